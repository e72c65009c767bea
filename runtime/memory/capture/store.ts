import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'

type Sql = Pick<Host, 'sql'>

/** The episode that was made of a person's message, if any. */
export async function episodeOfMessage({ sql }: Sql, conversation: string, message: string) {
  const [row] = await sql.read<{ id: string; reply: string }>(
    `SELECT id, reply FROM episodes WHERE conversation_id = ? AND source = 'conversation' AND position IS NOT NULL
      AND provenance ->> '$.message_id' = ? LIMIT 1`,
    [conversation, message],
  )
  return row ?? null
}

/** The same question was answered anew. */
export const replaceReply = (id: string, reply: string, now: string): Statement => ({
  sql: 'UPDATE episodes SET reply = ?, updated_at = ? WHERE id = ?',
  args: [reply, now, id],
})

/** How many messages of persons stand before one in its conversation. */
export async function positionOf({ sql }: Sql, conversation: string, message: string): Promise<number> {
  const [row] = await sql.read<{ position: number }>(
    `SELECT count(*) AS position FROM messages WHERE conversation_id = ? AND role = 'user' AND id < ?`,
    [conversation, message],
  )
  return row?.position ?? 0
}
