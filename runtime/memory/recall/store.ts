import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'

type Sql = Pick<Host, 'sql'>

export interface Feedback {
  recalled: number
  used: number
  ignored: number
}

const none: Feedback = { recalled: 0, used: 0, ignored: 0 }

/** How often an episode was recalled and what came of it. */
export async function feedbackOfOne({ sql }: Sql, id: string): Promise<Feedback> {
  const [counts] = await sql.read<Feedback>(
    'SELECT recalled, used, ignored FROM episode_recalls WHERE episode_id = ?',
    [id],
  )
  return counts ?? none
}

export async function feedbackTotals({ sql }: Sql): Promise<Feedback> {
  const [row] = await sql.read<Feedback>(
    `SELECT coalesce(sum(recalled), 0) AS recalled, coalesce(sum(used), 0) AS used, coalesce(sum(ignored), 0) AS ignored
    FROM episode_recalls`,
  )
  return row ?? none
}

/** Adds to the counts of an episode, unless it was forgotten meanwhile. */
export const addFeedback = (
  id: string,
  { recalled, used, ignored }: Feedback,
  recalledAt: string | null = null,
): Statement => ({
  sql: `INSERT INTO episode_recalls (episode_id, recalled, used, ignored, last_recalled_at)
    SELECT id, ?, ?, ?, ? FROM episodes WHERE id = ?
    ON CONFLICT (episode_id) DO UPDATE SET recalled = recalled + excluded.recalled, used = used + excluded.used,
      ignored = ignored + excluded.ignored, last_recalled_at = coalesce(excluded.last_recalled_at, last_recalled_at)`,
  args: [recalled, used, ignored, recalledAt, id],
})

interface TurnRecall {
  message_id: string
  episode_id: string
  score: number
  used: boolean
}

/** That an answer had this episode in its prompt, unless it was forgotten meanwhile. */
export const insertTurnRecall = (recall: TurnRecall, at: string): Statement => ({
  sql: `INSERT INTO turn_recalls (message_id, episode_id, score, used, recalled_at)
    SELECT ?, id, ?, ?, ? FROM episodes WHERE id = ? ON CONFLICT DO NOTHING`,
  args: [recall.message_id, recall.score, Number(recall.used), at, recall.episode_id],
})

export const pruneTurnRecalls = (before: string): Statement => ({
  sql: 'DELETE FROM turn_recalls WHERE recalled_at < ?',
  args: [before],
})

export async function hasEpisodes({ sql }: Sql): Promise<boolean> {
  return (await sql.read('SELECT 1 FROM episodes LIMIT 1')).length > 0
}

/** Messages that a model reads in their conversation anyway. */
export async function messagesInSight({ sql }: Sql, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql.read<{ id: string }>(
    'SELECT id FROM messages WHERE id IN (SELECT value FROM json_each(?)) AND compacted = 0',
    [JSON.stringify(ids)],
  )
  return new Set(rows.map(({ id }) => id))
}

/** What was answered, by the id of the episode. */
export async function repliesOf({ sql }: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql.read<{ id: string; reply: string }>(
    'SELECT id, reply FROM episodes WHERE id IN (SELECT value FROM json_each(?))',
    [JSON.stringify(ids)],
  )
  return new Map(rows.map(({ id, reply }) => [id, reply]))
}
