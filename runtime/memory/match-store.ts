import type { Host } from '../host.ts'
import type { Value } from '../ports/sql.ts'
import { type Condition, conditionOf, type EpisodeFilter, where } from './filter.ts'

type Sql = Pick<Host, 'sql'>

/** A row that matches, with what it is ranked by. `relevance` grows with the match, on a scale of its query's own. */
export interface Candidate {
  rowid: number
  relevance: number
  importance: number
  created_at: string
}

export interface Matches {
  candidates: Candidate[]
  total: number
}

interface MatchOptions {
  filter: EpisodeFilter
  /** Candidates to answer, best first. */
  most: number
}

/** The matches that pass the filter; without one the index alone answers. */
const matching = ({ sql }: Condition): string =>
  sql === ''
    ? 'FROM episodes_fts WHERE episodes_fts MATCH ?'
    : `FROM episodes_fts JOIN episodes ON episodes.rowid = episodes_fts.rowid WHERE episodes_fts MATCH ? AND ${sql}`

/** Weights of content, reply and topics; see the README for where they come from. bm25 is negative, so it is turned round. */
const relevance = '-bm25(episodes_fts, 1.0, 0.3, 0.5)'

/** The best matches of an FTS5 expression. Only the best are looked up, and counting needs no bm25. */
export async function matchIndex(host: Sql, expression: string, options: MatchOptions): Promise<Matches> {
  const condition = conditionOf(options.filter)
  const candidates = await host.sql.read<Candidate>(
    `SELECT best.rowid AS rowid, best.relevance AS relevance, importance, created_at
    FROM (
      SELECT episodes_fts.rowid AS rowid, ${relevance} AS relevance ${matching(condition)}
      ORDER BY relevance DESC, episodes_fts.rowid DESC LIMIT ?
    ) AS best JOIN episodes ON episodes.rowid = best.rowid
    ORDER BY best.relevance DESC, best.rowid DESC`,
    [expression, ...condition.args, options.most],
  )
  if (candidates.length < options.most) return { candidates, total: candidates.length }
  return { candidates, total: await countMatches(host, expression, condition) }
}

async function countMatches({ sql }: Sql, expression: string, condition: Condition): Promise<number> {
  const rows = await sql.read<{ total: number }>(`SELECT count(*) AS total ${matching(condition)}`, [
    expression,
    ...condition.args,
  ])
  return rows[0]?.total ?? 0
}

/** The episodes that hold most of the fragments, letters and digits only; reads every episode that the filter leaves. */
export async function scanFragments(
  { sql }: Sql,
  fragments: readonly string[],
  { filter, most }: MatchOptions,
): Promise<Matches> {
  const condition = conditionOf(filter)
  const held = fragments.map(() => `(content LIKE ? OR reply LIKE ? OR topics LIKE ?)`).join(' + ')
  const patterns = fragments.flatMap((fragment) => Array<Value>(3).fill(`%${fragment}%`))
  const rows = await sql.read<Candidate & { total: number }>(
    `SELECT rowid, relevance, count(*) OVER () AS total, importance, created_at
    FROM (SELECT rowid, ${held} AS relevance, importance, created_at FROM episodes ${where(condition)})
    WHERE relevance > 0 ORDER BY relevance DESC, rowid DESC LIMIT ?`,
    [...patterns, ...condition.args, most],
  )
  return { candidates: rows.map(({ total: _, ...candidate }) => candidate), total: rows[0]?.total ?? 0 }
}
export interface Marks {
  open: string
  close: string
}

export interface Snippets {
  rowid: number
  content: string
  reply: string
  /** JSON, with the marks inside its strings. */
  topics: string
}

/** Fragments of at most 24 words around what the expression matched. */
export async function snippetsOf(
  { sql }: Sql,
  expression: string,
  { rowids, open, close }: Marks & { rowids: readonly number[] },
): Promise<Snippets[]> {
  const snippet = (column: number) => `snippet(episodes_fts, ${column}, ?, ?, '…', 24)`
  return sql.read<Snippets>(
    `SELECT rowid, ${snippet(0)} AS content, ${snippet(1)} AS reply, highlight(episodes_fts, 2, ?, ?) AS topics
    FROM episodes_fts WHERE episodes_fts MATCH ? AND rowid IN (SELECT value FROM json_each(?))`,
    [open, close, open, close, open, close, expression, JSON.stringify(rowids)],
  )
}
