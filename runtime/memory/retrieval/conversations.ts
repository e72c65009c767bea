import type { Context } from '../../context.ts'
import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import { Pace } from '../pace.ts'
import { readPacked } from '../packed.ts'

/**
 * Episodes that count as one text of the conversation index. A long conversation is about many things, so it is
 * several texts. The triggers of migration 13 know the number too.
 */
export const pieceLength = 40

const perCommit = { least: 1, most: 50 }

interface Stale {
  rowid: number
  conversation_id: string
  piece: number
}

/** Indexes anew the pieces of conversations whose episodes have changed, at most `most`. */
export async function refreshConversations(
  context: Pick<Context, 'sql' | 'clock'>,
  most = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const pace = new Pace(perCommit, 4)
  for (let left = most; left > 0; ) {
    const stale = await context.sql.read<Stale>(
      'SELECT rowid, conversation_id, piece FROM conversation_pieces WHERE stale = 1 LIMIT ?',
      [Math.min(pace.size, left)],
    )
    if (stale.length === 0) return
    left -= stale.length
    await pace.time(context.clock.now, () => context.sql.write(stale.flatMap(refresh), { durable: false }))
    await context.clock.after(0)
  }
}

const inPiece = 'conversation_id = ? AND coalesce(position, 0) / 40 = ?'

/** A piece without episodes is forgotten. Its text is read as it is at the moment of the write. */
function refresh({ rowid, conversation_id, piece }: Stale): Statement[] {
  return [
    { sql: 'DELETE FROM conversations_fts WHERE rowid = ?', args: [rowid] },
    {
      sql: `INSERT INTO conversations_fts (rowid, text)
        SELECT ?, group_concat(content || ' ' || reply, char(10)) FROM episodes WHERE ${inPiece} HAVING count(*) > 0`,
      args: [rowid, conversation_id, piece],
    },
    {
      sql: `DELETE FROM conversation_pieces WHERE rowid = ? AND NOT EXISTS (SELECT 1 FROM episodes WHERE ${inPiece})`,
      args: [rowid, conversation_id, piece],
    },
    { sql: 'UPDATE conversation_pieces SET stale = 0 WHERE rowid = ?', args: [rowid] },
  ]
}

const mostPieces = 200

/** How well each piece of a conversation as a whole fits the expression: by `conversation/piece`. */
export async function pieceScores(
  { sql }: Pick<Host, 'sql'>,
  expression: string,
  conversations: readonly string[],
): Promise<Map<string, number>> {
  if (conversations.length === 0) return new Map()
  const rows = await readPacked<{ conversation_id: string; piece: number; score: number }>(
    sql,
    {
      columns: { conversation_id: 'conversation_id', piece: 'piece', score: 'score' },
      from: `FROM (
        SELECT conversations_fts.rowid AS rowid, -bm25(conversations_fts) AS score FROM conversations_fts
        WHERE conversations_fts MATCH ? ORDER BY score DESC LIMIT ${mostPieces}
      ) AS best JOIN conversation_pieces ON conversation_pieces.rowid = best.rowid`,
    },
    [expression],
  )
  return new Map(rows.map(({ conversation_id, piece, score }) => [pieceKey(conversation_id, piece), score]))
}

export const pieceKey = (conversation: string, piece: number): string => `${piece}/${conversation}`

export const pieceOf = (position: number | null): number => Math.floor((position ?? 0) / pieceLength)
