import type { Host } from '../host.ts'
import { withoutCommon } from './common-words.ts'
import { type Condition, conditionOf, type EpisodeFilter } from './filter.ts'
import { readPacked } from './packed.ts'
import { expressionOf, type KeywordQuery } from './query.ts'
import { pairExpression } from './retrieval/pairs.ts'

type Sql = Pick<Host, 'sql'>

/** Rows that match, best first. `relevance` grows with the match, on a scale of its query's own. */
export interface Matches {
  rows: Match[]
  /** All that match, also those beyond `rows`. */
  total: number
}

export interface Match {
  rowid: number
  relevance: number
}

interface MatchOptions {
  filter: EpisodeFilter
  /** Rows to answer. */
  most: number
}

/** An index of words, and how it weighs what it finds. bm25 is negative, so it is turned round. */
interface Index {
  table: string
  relevance: string
}

/** Weights of content, reply and topics; see the README for where they come from. */
const ofWords: Index = { table: 'episodes_fts', relevance: '-bm25(episodes_fts, 1.0, 0.3, 0.5)' }
/** Pairs of characters of scripts without spaces, and signs. */
const ofPairs: Index = { table: 'pairs_fts', relevance: '-bm25(pairs_fts)' }

/** The matches that pass the filter; without one the index alone answers. */
const matching = ({ table }: Index, { sql }: Condition): string =>
  sql === ''
    ? `FROM ${table} WHERE ${table} MATCH ?`
    : `FROM ${table} JOIN episodes ON episodes.rowid = ${table}.rowid WHERE ${table} MATCH ? AND ${sql}`

/** The best matches of a query; counting needs no bm25. */
export async function matchWords(
  host: Pick<Host, 'sql' | 'process'>,
  asked: KeywordQuery,
  options: MatchOptions,
): Promise<Matches> {
  const query = await withoutCommon(host, asked)
  if (query.kind === 'nothing') return { rows: [], total: 0 }
  const condition = conditionOf(options.filter)
  const parts = partsOf(query)
  const found: Match[] = []
  for (const part of parts) found.push(...(await bestOf(host, part, { condition, most: options.most })))
  const rows = parts.length > 1 ? merged(found).slice(0, options.most) : found
  if (rows.length < options.most) return { rows, total: rows.length }
  return { rows, total: await countMatches(host, parts, condition) }
}

type Part = Index & { expression: string }

function partsOf(query: Exclude<KeywordQuery, { kind: 'nothing' }>): Part[] {
  if (query.kind === 'index') return [{ ...ofWords, expression: query.expression }]
  const { fragments, words } = query
  return [
    { ...ofPairs, expression: pairExpression(fragments) },
    ...(words.length > 0 ? [{ ...ofWords, expression: expressionOf(words) }] : []),
  ]
}

async function bestOf(
  { sql }: Sql,
  part: Part,
  { condition, most }: { condition: Condition; most: number },
): Promise<Match[]> {
  const rows = await readPacked<Match>(
    sql,
    {
      columns: { rowid: 'rowid', relevance: 'relevance' },
      from: `FROM (SELECT ${part.table}.rowid AS rowid, ${part.relevance} AS relevance ${matching(part, condition)}
        ORDER BY relevance DESC, ${part.table}.rowid DESC LIMIT ?)`,
    },
    [part.expression, ...condition.args, most],
  )
  return rows.sort(byRelevance)
}

const byRelevance = (left: Match, right: Match): number =>
  right.relevance - left.relevance || right.rowid - left.rowid

/** What both indexes have found counts with both. */
function merged(found: readonly Match[]): Match[] {
  const sums = new Map<number, number>()
  for (const { rowid, relevance } of found) sums.set(rowid, (sums.get(rowid) ?? 0) + relevance)
  return [...sums].map(([rowid, relevance]) => ({ rowid, relevance })).sort(byRelevance)
}

async function countMatches({ sql }: Sql, parts: readonly Part[], condition: Condition): Promise<number> {
  const rowids = parts
    .map((part) => `SELECT ${part.table}.rowid ${matching(part, condition)}`)
    .join(' UNION ')
  const rows = await sql.read<{ total: number }>(
    parts.length > 1
      ? `SELECT count(*) AS total FROM (${rowids})`
      : rowids.replace(/^SELECT \S+/, 'SELECT count(*) AS total'),
    parts.flatMap(({ expression }) => [expression, ...condition.args]),
  )
  return rows[0]?.total ?? 0
}

/** What is ranked besides the match, of some rows. */
export async function weightsOf(
  { sql }: Sql,
  rowids: readonly number[],
): Promise<Map<number, { importance: number; created_at: string }>> {
  const rows = await sql.read<{ rowid: number; importance: number; created_at: string }>(
    'SELECT rowid, importance, created_at FROM episodes WHERE rowid IN (SELECT value FROM json_each(?))',
    [JSON.stringify(rowids)],
  )
  return new Map(rows.map(({ rowid, ...weights }) => [rowid, weights]))
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

interface SnippetOptions extends Marks {
  rowids: readonly number[]
  /**
   * Whether the expression has a word that very many rows have. Then the index is asked for each row alone; else it goes
   * through all matches once, which takes a third of the time for ten rows.
   */
  many: boolean
}

/** Fragments of at most 24 words around what the expression matched. */
export async function snippetsOf(
  { sql }: Sql,
  expression: string,
  { rowids, open, close, many }: SnippetOptions,
): Promise<Snippets[]> {
  const snippet = (column: number) => `snippet(episodes_fts, ${column}, ?, ?, '…', 24)`
  return sql.read<Snippets>(
    `SELECT rowid, ${snippet(0)} AS content, ${snippet(1)} AS reply, highlight(episodes_fts, 2, ?, ?) AS topics
    FROM episodes_fts WHERE episodes_fts MATCH ? AND ${many ? '' : '+'}rowid IN (SELECT value FROM json_each(?))`,
    [open, close, open, close, open, close, expression, JSON.stringify(rowids)],
  )
}
