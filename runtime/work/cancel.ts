import type { Context } from '../context.ts'
import { commit } from '../events/commit.ts'
import { GuardFailed } from '../ports/sql.ts'
import { commitEnd } from './end.ts'
import type { WorkKind } from './kind.ts'
import { Cancelled } from './run.ts'
import type { Work } from './schema.ts'
import { requestStop } from './stop-store.ts'
import { endIdleWork } from './store.ts'

/**
 * Ends a unit before its time: a running one is aborted and settles itself, any other ends here. One that another
 * process runs is asked to end, which takes that process up to 20 s.
 */
export async function cancelWork(
  context: Context,
  kind: WorkKind,
  work: Work,
  reason: string,
): Promise<void> {
  const abort = () => context.process.running.abort(work.id, new Cancelled(reason))
  if (abort()) return
  const ending = await kind.ended?.(work, 'cancelled', context)
  try {
    await commitEnd(context, endIdleWork(context, work.id, 'cancelled'), ending)
  } catch (thrown) {
    // It began in this very moment.
    if (!(thrown instanceof GuardFailed)) throw thrown
    if (!abort()) await commit(context, [requestStop(work.id, reason)])
  }
  context.process.wake()
}
