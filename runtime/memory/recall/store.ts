import { owned } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import type { Statement } from '../../ports/sql.ts'
import { readRow, sql } from '../../statement.ts'
import { type Sql, Table } from '../../table.ts'

/** How often an episode was recalled into a prompt, and how often the answer used or ignored it. */
export interface RecallCounts {
  recalled: number
  used: number
  ignored: number
}

const none: RecallCounts = { recalled: 0, used: 0, ignored: 0 }

const recalls = new Table<RecallCounts, 'episode_id'>('episode_recalls', { select: 'recalled, used, ignored' })

export const feedbackOf = async (host: Sql, id: string): Promise<RecallCounts> =>
  (await recalls.find(host, { episode_id: id })) ?? none

/** The sums over the owner's episodes. */
export async function feedbackTotals(context: Pick<Context, 'sql' | 'caller'>): Promise<RecallCounts> {
  const own = owned(context)
  const row = await readRow<RecallCounts>(
    context,
    sql`SELECT coalesce(sum(recalled), 0) AS recalled, coalesce(sum(used), 0) AS used, coalesce(sum(ignored),
      0) AS ignored
    FROM episode_recalls WHERE EXISTS (SELECT 1 FROM episodes WHERE id = episode_id AND ${own})`,
  )
  return row ?? none
}

/** Adds to the counts of an episode, unless it was deleted. */
export const addFeedback = (
  id: string,
  { recalled, used, ignored }: RecallCounts,
  recalledAt: string | null = null,
): Statement => sql`INSERT INTO episode_recalls (episode_id, recalled, used, ignored, last_recalled_at)
    SELECT id, ${recalled}, ${used}, ${ignored}, ${recalledAt} FROM episodes WHERE id = ${id}
    ON CONFLICT (episode_id) DO UPDATE SET recalled = recalled + excluded.recalled, used = used + excluded.used,
      ignored = ignored + excluded.ignored, last_recalled_at = coalesce(excluded.last_recalled_at, last_recalled_at)`

interface TurnRecall {
  message_id: string
  episode_id: string
  score: number
  used: boolean
}

/** Records that an episode was in the prompt of an answer, unless it was deleted. */
export const insertTurnRecall = (
  recall: TurnRecall,
  at: string,
): Statement => sql`INSERT INTO turn_recalls (message_id, episode_id, score, used, recalled_at)
    SELECT ${recall.message_id}, id, ${recall.score}, ${Number(recall.used)}, ${at} FROM episodes
    WHERE id = ${recall.episode_id} ON CONFLICT DO NOTHING`

export const pruneTurnRecalls = (before: string): Statement =>
  sql`DELETE FROM turn_recalls WHERE recalled_at < ${before}`
