import type { Context } from '../context.ts'
import { commitEnd } from './end.ts'
import type { WorkKind } from './kind.ts'
import { Cancelled } from './run.ts'
import type { Work } from './schema.ts'
import { endIdleWork } from './store.ts'

/** Ends a unit before its time: a running one is aborted and settles itself, any other ends here. */
export async function cancelWork(
  context: Context,
  kind: WorkKind,
  work: Work,
  reason: string,
): Promise<void> {
  if (context.process.running.abort(work.id, new Cancelled(reason))) return
  const ending = await kind.ended?.(work, 'cancelled', context)
  await commitEnd(context, endIdleWork(context, work.id, 'cancelled'), ending)
  context.process.wake()
}
