import { owned } from '../auth/owner.ts'
import { sharedIds } from '../auth/sharing.ts'
import type { Context } from '../context.ts'
import type { Page } from '../http/page.ts'
import { readOptionsOf } from '../index-size.ts'
import type { Condition } from '../ports/sql.ts'
import { readRows, sql } from '../statement.ts'
import type { Sql } from '../table.ts'

/** A parsed search text. A message matches if it contains all of it. */
export interface MessageQuery {
  /** Prefixes of words, lower case; a single letter is a whole word. */
  words: string[]
  /** Text in scripts without spaces between words, and emoji; matches anywhere. */
  runs: string[]
  /** Words with significant signs, such as `c++`; matched literally. */
  literals: string[]
}

/** The words as an FTS5 expression. */
export const wordsExpression = (words: readonly string[]): string =>
  words.map((word) => (word.length === 1 ? `"${word}"` : `"${word}" *`)).join(' AND ')

/** The shortest piece that the index can look up directly, in characters. */
const pieceLength = 3

/** The row ids of the matching messages, the latest first, and their total. */
export async function matchingRows(
  context: Pick<Context, 'sql' | 'caller'>,
  query: MessageQuery,
  { limit, offset }: Page,
): Promise<{ rowids: number[]; total: number }> {
  const conditions = [...conditionsOf(query), await shownRows(context)]
  const where = conditions.map((condition) => condition.sql).join(' AND ')
  const args = conditions.flatMap((condition) => condition.args)
  const options = await readOptionsOf(context, query.runs.length > 0 ? 'message_pieces' : 'message_words')
  const [[page], [count]] = await Promise.all([
    context.sql.read<{ rowids: string }>(
      `SELECT json_group_array(rowid) AS rowids FROM (
        SELECT rowid FROM message_rows WHERE ${where} ORDER BY rowid DESC LIMIT ? OFFSET ?)`,
      [...args, limit, offset],
      options,
    ),
    context.sql.read<{ total: number }>(`SELECT count(*) AS total FROM message_rows WHERE ${where}`, args, options),
  ])
  return { rowids: JSON.parse(page?.rowids ?? '[]') as number[], total: count?.total ?? 0 }
}

async function shownRows(context: Pick<Context, 'sql' | 'caller'>): Promise<Condition> {
  const own = owned(context)
  const shared = await sharedIds(context, 'conversations')
  if (!shared) return own
  return sql`(${own} OR message_id IN (SELECT id FROM messages WHERE conversation_id IN (${shared})))`
}

const conditionsOf = ({ words, runs, literals }: MessageQuery): Condition[] => [
  ...(words.length > 0 ? [withWords(words)] : []),
  ...runs.map(withRun),
  ...literals.map(withLiteral),
]

const withWords = (words: readonly string[]): Condition =>
  sql`rowid IN (SELECT rowid FROM message_words WHERE message_words MATCH ${wordsExpression(words)})`

function withRun(run: string): Condition {
  if ([...run].length >= pieceLength)
    return {
      sql: 'rowid IN (SELECT rowid FROM message_pieces WHERE message_pieces MATCH ?)',
      args: [`"${run}"`],
    }
  return {
    sql: 'rowid IN (SELECT doc FROM message_piece_terms WHERE term >= ? AND term < ?)',
    args: [run, `${run}\u{10FFFF}`],
  }
}

const withLiteral = (literal: string): Condition => sql`EXISTS (SELECT 1 FROM message_texts
    WHERE message_texts.rowid = message_rows.rowid AND instr(lower(content), ${literal}) > 0)`

export interface FoundRow {
  rowid: number
  conversation_id: string
  conversation_title: string
  message_id: string
  role: string
  content: string
  created_at: string
}

export function describeRows(host: Sql, rowids: readonly number[]): Promise<FoundRow[]> {
  return readRows<FoundRow>(
    host,
    sql`SELECT message_rows.rowid AS rowid, conversations.id AS conversation_id, title AS conversation_title,
      messages.id AS message_id, role, content, messages.created_at AS created_at
    FROM message_rows JOIN messages ON messages.id = message_rows.message_id
      JOIN conversations ON conversations.id = messages.conversation_id
    WHERE message_rows.rowid IN (SELECT value FROM json_each(${JSON.stringify(rowids)}))
    ORDER BY message_rows.rowid DESC`,
  )
}
