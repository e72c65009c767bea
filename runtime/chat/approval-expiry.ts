import { GuardFailed } from '../ports/sql.ts'
import type { WorkKind } from '../work/kind.ts'
import { expireApproval } from './approvals.ts'
import { approvalExpiryKind } from './kinds.ts'

/** Closes a question that nobody answered in time, so that its turn goes on with a refusal. */
export const approvalExpiry: WorkKind = {
  kind: approvalExpiryKind,
  max_running: 10,
  after_crash: 'retry',
  async run(work, context) {
    await expireApproval(context, work.subject).catch((thrown: unknown) => {
      // Somebody answered in this very moment; the answer holds.
      if (!(thrown instanceof GuardFailed)) throw thrown
    })
    return { status: 'succeeded' }
  },
}
