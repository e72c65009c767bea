import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { deleteLoop } from './loop-store.ts'
import { requireLoop } from './loops.ts'

/** Deletes a loop with its runs; its conversations stay. */
export async function removeLoop(context: Context, id: string): Promise<void> {
  await requireLoop(context, id)
  await context.commit([deleteLoop(id)], [event('loop.deleted', { loop_id: id })])
}
