import type { Statement } from '../../ports/sql.ts'
import type { Sql } from '../../table.ts'
import type { MemoryMap } from '../schema.ts'
import { maxParts } from '../search/vector-store.ts'
import { type EpisodeFilter, type Reader, selected } from '../store.ts'

export interface Counts {
  total: number
  embedded: number
  /** Not embedded yet. */
  pending: number
  /** Changes with everything that a map depends on. */
  version: string
}

/** Counts the episodes that pass the filter, and their vectors of `model`. */
export async function countMemory(host: Reader, filter: EpisodeFilter, model: string | null): Promise<Counts> {
  const { sql: condition, args } = selected(host, filter)
  const [row] = await host.sql.read<
    Omit<Counts, 'version'> & { changed: string | null; seq: number | null; last_entity: number | null }
  >(
    `SELECT count(*) AS total, count(vector.id) AS embedded, count(waiting.episode) AS pending,
      max(episodes.updated_at) AS changed, (SELECT max(seq) FROM vector_changes) AS seq,
      (SELECT max(rowid) FROM entities) AS last_entity
    FROM episodes
    LEFT JOIN episode_vectors AS vector ON vector.id = episodes.rowid * ${maxParts} AND vector.model = ?
    LEFT JOIN vectors_pending AS waiting ON waiting.episode = episodes.rowid
    WHERE ${condition}`,
    [model, ...args],
  )
  const { total = 0, embedded = 0, pending = 0, changed, seq, last_entity } = row ?? {}
  return {
    total,
    embedded,
    pending,
    version: JSON.stringify([model, total, embedded, changed, seq, last_entity]),
  }
}

/** The data that labels are generated from. */
export interface ClusterText {
  id: string
  content: string
  topics: string[]
  importance: number
}

/** Characters of an episode that a label is based on. */
const maxText = 2_000

export async function clusterTexts({ sql }: Sql, ids: readonly string[]): Promise<ClusterText[]> {
  const rows = await sql.read<Omit<ClusterText, 'topics'> & { topics: string }>(
    `SELECT id, coalesce(summary, substr(content, 1, ?)) AS content, topics, importance FROM episodes
    WHERE id IN (SELECT value FROM json_each(?))`,
    [maxText, JSON.stringify(ids)],
  )
  return rows.map((row) => ({ ...row, topics: JSON.parse(row.topics) as string[] }))
}

/** Identifies a map: its owner and agent, and the number of clusters. */
interface MapKey {
  scope: string
  clusters: number
}

export async function findMap({ sql }: Sql, { scope, clusters }: MapKey, version: string): Promise<MemoryMap | null> {
  const [row] = await sql.read<{ body: string }>(
    'SELECT body FROM memory_maps WHERE scope = ? AND clusters = ? AND version = ?',
    [scope, clusters, version],
  )
  return row ? (JSON.parse(row.body) as MemoryMap) : null
}

/** Replaces the stored map. Episodes that were deleted are in no cluster. */
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
