import type { Context } from '../context.ts'
import type { WorkKind } from './kind.ts'
import { Cancelled } from './run.ts'
import type { Work } from './schema.ts'
import { endIdleWork } from './store.ts'

/** Ends a unit before its time: a running one is aborted and settles itself, any other ends here. */
export async function cancelWork(context: Context, kind: WorkKind, work: Work, reason: string): Promise<void> {
  if (context.process.running.abort(work.id, new Cancelled(reason))) return
  const marks = await kind.ended?.(work, 'cancelled', context)
  const end = endIdleWork(context, work.id, 'cancelled')
  await context.commit([end, ...(marks?.statements ?? [])], marks?.events)
  context.process.wake()
}
