import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { conditionOf, type EpisodeFilter, where } from './filter.ts'
import { countGraph } from './graph/view-store.ts'
import { feedbackTotals } from './recall/store.ts'
import { pairsOf } from './retrieval/pairs.ts'
import type { Episode, MemoryStats } from './schema.ts'

type Sql = Pick<Host, 'sql'>

interface Row extends Omit<Episode, 'topics' | 'provenance'> {
  topics: string
  provenance: string | null
}

const columns = `episodes.id, episodes.content, episodes.summary, episodes.source, episodes.valence,
  episodes.importance, episodes.access_count, episodes.topics, episodes.agent_id, episodes.provenance,
  episodes.trust, episodes.created_at, episodes.updated_at,
  (SELECT max(cluster_id) FROM episode_clusters WHERE episode_id = episodes.id) AS cluster_id`

const toEpisode = ({ topics, provenance, ...row }: Row): Episode => ({
  ...row,
  topics: JSON.parse(topics) as string[],
  provenance: provenance === null ? null : (JSON.parse(provenance) as Episode['provenance']),
})

export async function findEpisode({ sql }: Sql, id: string): Promise<Episode | null> {
  const [row] = await sql.read<Row>(`SELECT ${columns} FROM episodes WHERE id = ?`, [id])
  return row ? toEpisode(row) : null
}

/** What was answered, for an episode that keeps an exchange; else empty. */
export async function replyOf({ sql }: Sql, id: string): Promise<string> {
  const [row] = await sql.read<{ reply: string }>('SELECT reply FROM episodes WHERE id = ?', [id])
  return row?.reply ?? ''
}

/** Those that are still there, in no order. */
export async function episodesById({ sql }: Sql, ids: readonly string[]): Promise<Episode[]> {
  const rows = await sql.read<Row>(
    `SELECT ${columns} FROM episodes WHERE id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(ids)],
  )
  return rows.map(toEpisode)
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

/** Place of an episode in a conversation, and what was answered there; for search, not shown. */
export interface Exchange {
  reply: string
  position: number | null
}

/** An episode of a conversation that says no place comes behind the others there. */
const nextPosition = `coalesce(?, (SELECT max(position) + 1 FROM episodes WHERE conversation_id = ?), 0)`

export const insertEpisode = (episode: Episode, { reply, position }: Exchange): Statement => ({
  sql: `INSERT INTO episodes (id, content, reply, summary, source, valence, importance, access_count, topics, agent_id,
    conversation_id, position, provenance, trust, created_at, updated_at, pairs)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${nextPosition}, ?, ?, ?, ?, ?)`,
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
    episode.provenance?.conversation_id ?? null,
    episode.provenance && JSON.stringify(episode.provenance),
    episode.trust,
    episode.created_at,
    episode.updated_at,
    pairsOf([episode.content, reply, ...episode.topics].join('\n')),
  ],
})

export const updateEpisode = (episode: Episode): Statement => ({
  sql: `UPDATE episodes SET content = ?, summary = ?, valence = ?, importance = ?, topics = ?, agent_id = ?, updated_at = ?,
    pairs = iif(reply = '', ?, NULL) WHERE id = ?`,
  args: [
    episode.content,
    episode.summary,
    episode.valence,
    episode.importance,
    JSON.stringify(episode.topics),
    episode.agent_id,
    episode.updated_at,
    pairsOf([episode.content, ...episode.topics].join('\n')),
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

interface Averages {
  total: number
  importance: number
  valence: number
}

/** Everything that can be counted. */
export async function memoryStats({ sql }: Sql): Promise<MemoryStats> {
  const [[averages], buckets, sources, graph, feedback] = await Promise.all([
    sql.read<Averages>(
      `SELECT count(*) AS total, coalesce(avg(importance), 0) AS importance, coalesce(avg(valence), 0) AS valence FROM episodes`,
    ),
    sql.read<{ bucket: number; count: number }>(
      'SELECT min(9, CAST(importance * 10 AS INTEGER)) AS bucket, count(*) AS count FROM episodes GROUP BY bucket',
    ),
    sql.read<{ source: string; count: number }>(
      'SELECT source, count(*) AS count FROM episodes GROUP BY source',
    ),
    countGraph({ sql }),
    feedbackTotals({ sql }),
  ])
  const judged = feedback.used + feedback.ignored
  const distribution = Array<number>(10).fill(0)
  for (const { bucket, count } of buckets) distribution[bucket] = count
  return {
    total_episodes: averages?.total ?? 0,
    ...graph,
    avg_importance: averages?.importance ?? 0,
    avg_valence: averages?.valence ?? 0,
    importance_distribution: distribution,
    source_distribution: Object.fromEntries(sources.map(({ source, count }) => [source, count])),
    recall_feedback: {
      total_recalls: feedback.recalled,
      used_count: feedback.used,
      ignored_count: feedback.ignored,
      usage_rate: judged === 0 ? 0 : feedback.used / judged,
    },
  }
}
