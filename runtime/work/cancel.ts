import type { Context } from '../context.ts'
import { commit } from '../events/commit.ts'
import { GuardFailed } from '../ports/sql.ts'
import type { WorkKind } from './kind.ts'
import { Cancelled, commitEnd } from './run.ts'
import type { Work } from './schema.ts'
import { endIdleWork, requestStop } from './store.ts'

/**
 * Cancels a unit. A running one is aborted and settles itself; any other is settled here. A unit that another process
 * runs is asked to stop, which can take up to 5 s. If several callers cancel the same unit, one succeeds and the
 * others get `GuardFailed`.
 */
export async function cancelWork(context: Context, kind: WorkKind, work: Work, reason: string): Promise<void> {
  const abort = () => context.process.running.abort(work.id, new Cancelled(reason))
  if (abort()) return
  const ending = await kind.ended?.(work, 'cancelled', context)
  try {
    await commitEnd(context, endIdleWork(context, work.id, 'cancelled'), ending)
    context.metrics.count('work_ended_total', { status: 'cancelled' })
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    // It was started concurrently, unless another caller has already ended it.
    if (abort()) return
    if (context.process.running.has(work.id)) throw thrown
    await commit(context, [requestStop(work.id, reason)])
  }
  context.process.wake()
}
