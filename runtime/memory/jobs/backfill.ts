import type { Context } from '../../context.ts'
import { mentionStatements } from '../graph/mentions.ts'
import type { Progress } from './progress.ts'
import type { OrderOf } from './schema.ts'
import { episodesToRead } from './store.ts'

/** Episodes whose mentions are one commit. */
const batch = 20

/** Finds by rules what episodes mention that nobody has read. */
export async function backfillEntities(context: Context, order: OrderOf<'backfill'>, progress: Progress) {
  const { agent_id, force, limit } = order
  const ids = await episodesToRead(context, { reading: 'mentions', agent_id, all: force, limit })
  const read = await readMentions(context, ids, { progress, force })
  return { episodes_read: read }
}

interface Reading {
  progress: Progress
  force: boolean
  state?: 'live' | 'building'
}

/** Notes the mentions of these episodes, a batch at a time. */
export async function readMentions(
  context: Context,
  ids: readonly string[],
  reading: Reading,
): Promise<number> {
  const { progress, ...options } = reading
  const step = (done: number) => ({ phase: 'entities', done, total: ids.length })
  await progress.commit(step(0))
  for (let at = 0; at < ids.length; at += batch) {
    const part = ids.slice(at, at + batch)
    const statements = await mentionStatements(
      context,
      part.map((id) => ({ id })),
      options,
    )
    await progress.commit(step(at + part.length), statements)
  }
  return ids.length
}
