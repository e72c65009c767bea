import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement, Value } from '../ports/sql.ts'
import type { Episode, MemoryStats } from './schema.ts'

type Sql = Pick<Host, 'sql'>

interface Row extends Omit<Episode, 'topics' | 'provenance' | 'cluster_id'> {
  topics: string
  provenance: string | null
}

const columns = `episodes.id, episodes.content, episodes.summary, episodes.source, episodes.valence,
  episodes.importance, episodes.access_count, episodes.topics, episodes.agent_id, episodes.provenance,
  episodes.trust, episodes.created_at, episodes.updated_at`

const toEpisode = ({ topics, provenance, ...row }: Row): Episode => ({
  ...row,
  topics: JSON.parse(topics) as string[],
  provenance: provenance === null ? null : (JSON.parse(provenance) as Episode['provenance']),
  cluster_id: null,
})

/** Which episodes count, before anything is ranked. */
export interface EpisodeFilter {
  source?: string | undefined
  agent_id?: string | undefined
  /** Agents whose episodes may be seen; those that belong to no agent may be seen by all. */
  visible_to?: readonly string[] | undefined
  /** Stored form of times, both ends included. */
  start_date?: string | undefined
  end_date?: string | undefined
}

interface Condition {
  sql: string
  args: Value[]
}

function conditionOf(filter: EpisodeFilter): Condition {
  const parts: [string, Value | undefined][] = [
    ['episodes.source = ?', filter.source],
    ['episodes.agent_id = ?', filter.agent_id],
    ['episodes.created_at >= ?', filter.start_date],
    ['episodes.created_at <= ?', filter.end_date],
    [
      '(episodes.agent_id IS NULL OR episodes.agent_id IN (SELECT value FROM json_each(?)))',
      filter.visible_to && JSON.stringify(filter.visible_to),
    ],
  ]
  const used = parts.filter((part): part is [string, Value] => part[1] !== undefined)
  return { sql: used.map(([sql]) => sql).join(' AND '), args: used.map(([, value]) => value) }
}

export async function findEpisode({ sql }: Sql, id: string): Promise<Episode | null> {
  const [row] = await sql.read<Row>(`SELECT ${columns} FROM episodes WHERE id = ?`, [id])
  return row ? toEpisode(row) : null
}

/** Newest first. */
export async function listEpisodes({ sql }: Sql, filter: EpisodeFilter, page: Page): Promise<Episode[]> {
  const condition = conditionOf(filter)
  const rows = await sql.read<Row>(
    `SELECT ${columns} FROM episodes ${where(condition)} ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?`,
    [...condition.args, page.limit, page.offset],
  )
  return rows.map(toEpisode)
}

export async function countEpisodes({ sql }: Sql, filter: EpisodeFilter): Promise<number> {
  const condition = conditionOf(filter)
  const rows = await sql.read<{ total: number }>(
    `SELECT count(*) AS total FROM episodes ${where(condition)}`,
    condition.args,
  )
  return rows[0]?.total ?? 0
}

const where = ({ sql }: Condition): string => (sql === '' ? '' : `WHERE ${sql}`)

/** Place of an episode in a conversation, and what was answered there; for search, not shown. */
export interface Exchange {
  reply: string
  position: number | null
}

export const insertEpisode = (episode: Episode, { reply, position }: Exchange): Statement => ({
  sql: `INSERT INTO episodes (id, content, reply, summary, source, valence, importance, access_count, topics, agent_id,
    conversation_id, position, provenance, trust, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    episode.id,
    episode.content,
    reply,
    episode.summary,
    episode.source,
    episode.valence,
    episode.importance,
    episode.access_count,
    JSON.stringify(episode.topics),
    episode.agent_id,
    episode.provenance?.conversation_id ?? null,
    position,
    episode.provenance && JSON.stringify(episode.provenance),
    episode.trust,
    episode.created_at,
    episode.updated_at,
  ],
})

export const updateEpisode = (episode: Episode): Statement => ({
  sql: `UPDATE episodes SET content = ?, summary = ?, valence = ?, importance = ?, topics = ?, agent_id = ?, updated_at = ?
    WHERE id = ?`,
  args: [
    episode.content,
    episode.summary,
    episode.valence,
    episode.importance,
    JSON.stringify(episode.topics),
    episode.agent_id,
    episode.updated_at,
    episode.id,
  ],
  guard: 'The episode was deleted',
})

export const deleteEpisode = (id: string): Statement => ({
  sql: 'DELETE FROM episodes WHERE id = ?',
  args: [id],
  guard: 'The episode was deleted already',
})

/** These episodes were recalled once more. */
export const countAccess = (ids: readonly string[]): Statement => ({
  sql: 'UPDATE episodes SET access_count = access_count + 1 WHERE id IN (SELECT value FROM json_each(?))',
  args: [JSON.stringify(ids)],
})

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

/** An episode as it was found: also the reply that stands beside its content, and the row it is. */
export interface FoundRow {
  rowid: number
  episode: Episode
  reply: string
}

export async function episodesByRow({ sql }: Sql, rowids: readonly number[]): Promise<FoundRow[]> {
  const rows = await sql.read<Row & { rowid: number; reply: string }>(
    `SELECT episodes.rowid AS rowid, reply, ${columns} FROM episodes WHERE rowid IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(rowids)],
  )
  return rows.map(({ rowid, reply, ...row }) => ({ rowid, reply, episode: toEpisode(row) }))
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

interface Averages {
  total: number
  importance: number
  valence: number
}

/** Everything that can be counted. Nothing extracts entities, relations or feedback yet, so there are none. */
export async function memoryStats({ sql }: Sql): Promise<MemoryStats> {
  const [[averages], buckets, sources] = await Promise.all([
    sql.read<Averages>(
      `SELECT count(*) AS total, coalesce(avg(importance), 0) AS importance, coalesce(avg(valence), 0) AS valence FROM episodes`,
    ),
    sql.read<{ bucket: number; count: number }>(
      'SELECT min(9, CAST(importance * 10 AS INTEGER)) AS bucket, count(*) AS count FROM episodes GROUP BY bucket',
    ),
    sql.read<{ source: string; count: number }>(
      'SELECT source, count(*) AS count FROM episodes GROUP BY source',
    ),
  ])
  const distribution = Array<number>(10).fill(0)
  for (const { bucket, count } of buckets) distribution[bucket] = count
  return {
    total_episodes: averages?.total ?? 0,
    total_entities: 0,
    total_relations: 0,
    avg_importance: averages?.importance ?? 0,
    avg_valence: averages?.valence ?? 0,
    importance_distribution: distribution,
    source_distribution: Object.fromEntries(sources.map(({ source, count }) => [source, count])),
    entity_type_distribution: {},
    recall_feedback: { total_recalls: 0, used_count: 0, ignored_count: 0, usage_rate: 0 },
  }
}
