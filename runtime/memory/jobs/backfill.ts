import type { Context } from '../../context.ts'
import { mentionStatements } from '../graph/mentions.ts'
import { Pace } from '../pace.ts'
import type { Progress } from './progress.ts'
import type { OrderOf } from './schema.ts'
import { episodesToRead } from './store.ts'

/** Episodes whose mentions are one commit. */
const perCommit = { least: 5, most: 64 }

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
  const pace = new Pace(perCommit, 16)
  for (let at = 0; at < ids.length; ) {
    const part = ids.slice(at, at + pace.size)
    at += part.length
    const statements = await mentionStatements(
      context,
      part.map((id) => ({ id })),
      options,
    )
    await pace.time(context.clock.now, () => progress.commit(step(at), statements))
  }
  return ids.length
}
