import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import { conditionOf, type EpisodeFilter } from '../filter.ts'
import { toVector } from '../retrieval/vector-store.ts'
import type { MemoryMap } from './schema.ts'

type Sql = Pick<Host, 'sql'>

export interface Counts {
  total: number
  embedded: number
  /** Waiting to be embedded. */
  pending: number
  /** Other than before as soon as anything has changed that a map is drawn from. */
  version: string
}

/** What there is of the episodes that pass the filter, and of their vectors by `model`. */
export async function countMemory(
  { sql }: Sql,
  filter: EpisodeFilter,
  model: string | null,
): Promise<Counts> {
  const { sql: condition, args } = conditionOf(filter)
  const [row] = await sql.read<
    Omit<Counts, 'version'> & { changed: string | null; seq: number | null; known: number | null }
  >(
    `SELECT count(*) AS total, count(vector.id) AS embedded, count(waiting.episode) AS pending,
      max(episodes.updated_at) AS changed, (SELECT max(seq) FROM vector_changes) AS seq,
      (SELECT max(rowid) FROM entities) AS known
    FROM episodes
    LEFT JOIN episode_vectors AS vector ON vector.id = episodes.rowid * 64 AND vector.model = ?
    LEFT JOIN vectors_pending AS waiting ON waiting.episode = episodes.rowid
    ${condition && `WHERE ${condition}`}`,
    [model, ...args],
  )
  const { total = 0, embedded = 0, pending = 0, changed, seq, known } = row ?? {}
  return { total, embedded, pending, version: JSON.stringify([model, total, embedded, changed, seq, known]) }
}

export interface Embedded {
  id: string
  vector: Float32Array
}

const page = 500

/** Vectors of every `step`th episode that passes the filter, the oldest first. */
export async function sampleVectors(
  host: Pick<Host, 'sql' | 'clock'>,
  { filter, model, step }: { filter: EpisodeFilter; model: string; step: number },
): Promise<Embedded[]> {
  const { sql: condition, args } = conditionOf(filter)
  const found: Embedded[] = []
  for (let after = -1; ; ) {
    const rows = await host.sql.read<{ rowid: number; id: string; vector: Uint8Array }>(
      `SELECT episodes.rowid AS rowid, episodes.id AS id, vector FROM episodes
      JOIN episode_vectors ON episode_vectors.id = episodes.rowid * 64
      WHERE episodes.rowid > ? AND episodes.rowid % ? = 0 AND model = ? ${condition && `AND ${condition}`}
      ORDER BY episodes.rowid LIMIT ?`,
      [after, step, model, ...args, page],
    )
    found.push(...rows.map(({ id, vector }) => ({ id, vector: toVector(vector) })))
    if (rows.length < page) return found
    after = rows.at(-1)?.rowid ?? after
    await host.clock.after(0)
  }
}

/** What a label is made of. */
export interface ClusterText {
  id: string
  content: string
  topics: string[]
  importance: number
}

/** Characters of an episode that say what it is about. */
const telling = 2_000

export async function clusterTexts({ sql }: Sql, ids: readonly string[]): Promise<ClusterText[]> {
  const rows = await sql.read<Omit<ClusterText, 'topics'> & { topics: string }>(
    `SELECT id, coalesce(summary, substr(content, 1, ?)) AS content, topics, importance FROM episodes
    WHERE id IN (SELECT value FROM json_each(?))`,
    [telling, JSON.stringify(ids)],
  )
  return rows.map((row) => ({ ...row, topics: JSON.parse(row.topics) as string[] }))
}

/** Which map: of an agent or, when empty, of all, with so many clusters. */
interface MapKey {
  scope: string
  clusters: number
}

export async function findMap(
  { sql }: Sql,
  { scope, clusters }: MapKey,
  version: string,
): Promise<MemoryMap | null> {
  const [row] = await sql.read<{ body: string }>(
    'SELECT body FROM memory_maps WHERE scope = ? AND clusters = ? AND version = ?',
    [scope, clusters, version],
  )
  return row ? (JSON.parse(row.body) as MemoryMap) : null
}

/** The map takes the place of the one before; episodes that were deleted meanwhile are in no cluster. */
export const saveMap = ({ scope, clusters }: MapKey, version: string, map: MemoryMap): Statement[] => [
  { sql: 'DELETE FROM episode_clusters WHERE scope = ? AND clusters = ?', args: [scope, clusters] },
  {
    sql: `INSERT OR REPLACE INTO memory_maps (scope, clusters, version, body) VALUES (?, ?, ?, ?)`,
    args: [scope, clusters, version, JSON.stringify(map)],
  },
  ...map.clusters.map(({ id, episode_ids }) => ({
    sql: `INSERT INTO episode_clusters (episode_id, cluster_id, scope, clusters)
      SELECT id, ?, ?, ? FROM episodes WHERE id IN (SELECT value FROM json_each(?))`,
    args: [id, scope, clusters, JSON.stringify(episode_ids)],
  })),
]
