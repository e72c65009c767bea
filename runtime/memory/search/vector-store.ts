import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import { readRows, sql } from '../../statement.ts'
import { type Sql, Table } from '../../table.ts'
import { type EpisodeFilter, type Reader, selected } from '../store.ts'

/** Maximum number of vectors per episode. The rest of a longer text is found by keywords only. */
export const maxParts = 64

/** The first vector id of an episode; the ids are consecutive, one per part of its text. */
export const firstId = (episode: number): number => episode * maxParts
export const episodeOf = (id: number): number => Math.floor(id / maxParts)

const toBytes = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)

export function toVector(bytes: Uint8Array): Float32Array {
  if (bytes.byteOffset % 4 === 0) return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  return new Float32Array(bytes.slice().buffer)
}

/** An episode without current vectors. `seq` changes with its text. */
export interface Pending {
  seq: number
  episode: number
  id: string
  content: string
}

export const pendingEpisodes = ({ sql }: Sql, after: number, limit: number): Promise<Pending[]> =>
  sql.read<Pending>(
    `SELECT seq, episode, id, content FROM vectors_pending JOIN episodes ON episodes.rowid = episode
    WHERE seq > ? ORDER BY seq LIMIT ?`,
    [after, limit],
  )

/** The ids of the latest pending episodes. Without an embedder, all episodes stay pending. */
export async function newestPending({ sql }: Sql, limit: number): Promise<string[]> {
  const rows = await sql.read<{ id: string }>(
    `SELECT id FROM vectors_pending JOIN episodes ON episodes.rowid = episode ORDER BY seq DESC LIMIT ?`,
    [limit],
  )
  return rows.map(({ id }) => id)
}

export async function anyPending(host: Reader): Promise<boolean> {
  const own = selected(host, {})
  // In this order: mostly none is pending.
  const from = 'vectors_pending CROSS JOIN episodes ON episodes.rowid = episode'
  const sql = `SELECT 1 FROM ${from} WHERE ${own.sql} LIMIT 1`
  return (await host.sql.read(sql, own.args)).length > 0
}

const pending = new Table<Pick<Pending, 'seq' | 'episode'>>('vectors_pending')

export const countPending = (host: Sql) => pending.count(host)

const stillPending = 'SELECT 1 FROM vectors_pending WHERE episode = ? AND seq = ?'

/**
 * Stores an episode's vectors, unless its text has changed. An empty list means that there is nothing to
 * embed.
 */
export function saveVectors(
  { seq, episode }: Pick<Pending, 'seq' | 'episode'>,
  model: string,
  vectors: readonly Float32Array[],
): Statement[] {
  const inserts = vectors.map((vector, part) => ({
    sql: `INSERT OR REPLACE INTO episode_vectors (id, model, vector) SELECT ?, ?, ? WHERE EXISTS (${stillPending})`,
    args: [firstId(episode) + part, model, toBytes(vector), episode, seq],
  }))
  const change = {
    sql: `INSERT INTO vector_changes (episode) SELECT ? WHERE EXISTS (${stillPending})`,
    args: [episode, episode, seq],
  }
  const done = { sql: 'DELETE FROM vectors_pending WHERE episode = ? AND seq = ?', args: [episode, seq] }
  return vectors.length > 0 ? [...inserts, change, done] : [done]
}

/** The model of the stored vectors; null before the first vector. */
const vectorModel = new Table<{ only: number; name: string }>('vector_model')

export const storedModel = async (host: Sql): Promise<string | null> => (await vectorModel.find(host))?.name ?? null

/** Discards the vectors of the previous model and marks every episode as pending. */
export const changeModel = (name: string): Statement[] => [
  ...deleteVectors,
  { sql: 'DELETE FROM vectors_pending' },
  { sql: 'INSERT INTO vectors_pending (episode) SELECT rowid FROM episodes' },
  {
    sql: 'INSERT INTO vector_model (only, name) VALUES (1, ?) ON CONFLICT DO UPDATE SET name = excluded.name',
    args: [name],
  },
]

const deleteVectors: Statement[] = [
  { sql: 'DELETE FROM episode_vectors' },
  { sql: 'DELETE FROM vector_changes' },
  { sql: 'INSERT INTO vector_changes (episode) VALUES (0)' },
]

/**
 * Deletes every vector and the conversation index, for the commit that deletes all episodes. It must precede
 * that deletion, because row-by-row deletion is slow, and be repeated after it if triggers are active.
 */
export const wipeVectors = (): Statement[] => [
  ...deleteVectors,
  { sql: 'DELETE FROM vectors_pending' },
  { sql: 'DELETE FROM conversation_pieces' },
  { sql: `INSERT INTO conversations_fts (conversations_fts) VALUES ('delete-all')` },
]

export interface StoredVector {
  id: number
  vector: Uint8Array
}

const vectors = new Table<StoredVector, 'model'>('episode_vectors', { select: 'id, vector' })

export const vectorsById = (host: Sql, ids: readonly number[]): Promise<StoredVector[]> =>
  vectors.list(host, 'id', { id: ids })

/** The highest vector id; 0 if there are no vectors. */
export async function lastVector({ sql }: Sql): Promise<number> {
  const [row] = await sql.read<{ id: number | null }>('SELECT max(id) AS id FROM episode_vectors')
  return row?.id ?? 0
}

const joinVectors = `JOIN episode_vectors
  ON episode_vectors.id BETWEEN listed.value * ${maxParts} AND listed.value * ${maxParts} + ${maxParts - 1}`

export const vectorsOfEpisodes = ({ sql }: Sql, episodes: readonly number[]): Promise<StoredVector[]> =>
  sql.read<StoredVector>(`SELECT episode_vectors.id AS id, vector FROM json_each(?) AS listed ${joinVectors}`, [
    JSON.stringify(episodes),
  ])

/** A vector with the filter columns of its episode. */
export interface IndexedVector extends StoredVector {
  owner_id: string
  agent_id: string | null
  source: string
  created_at: string
}

export const indexedAfter = (
  { sql }: Sql,
  { model, after, limit }: { model: string; after: number; limit: number },
): Promise<IndexedVector[]> =>
  sql.read<IndexedVector>(
    `SELECT episode_vectors.id AS id, vector, owner_id, agent_id, source, created_at
    FROM episode_vectors JOIN episodes ON episodes.rowid = episode_vectors.id / ${maxParts}
    WHERE episode_vectors.id > ? AND model = ? ORDER BY episode_vectors.id LIMIT ?`,
    [after, model, limit],
  )

export const indexedOf = ({ sql }: Sql, model: string, episodes: readonly number[]): Promise<IndexedVector[]> =>
  sql.read<IndexedVector>(
    `SELECT episode_vectors.id AS id, vector, owner_id, agent_id, source, created_at FROM json_each(?) AS listed ${joinVectors}
    JOIN episodes ON episodes.rowid = listed.value WHERE model = ?`,
    [JSON.stringify(episodes), model],
  )

export interface VectorChange {
  seq: number
  episode: number
}

const vectorChanges = new Table<VectorChange>('vector_changes')

export const changesAfter = (host: Sql, after: number, limit: number): Promise<VectorChange[]> =>
  vectorChanges.list(host, `seq LIMIT ${limit}`, sql`seq > ${after}`)

/** The sequence numbers of the oldest and the latest recorded change. */
export async function changeRange({ sql }: Sql): Promise<{ first: number; last: number }> {
  const [row] = await sql.read<{ first: number | null; last: number | null }>(
    'SELECT (SELECT min(seq) FROM vector_changes) AS first, (SELECT max(seq) FROM vector_changes) AS last',
  )
  return { first: row?.first ?? 0, last: row?.last ?? 0 }
}

export const pruneChanges = (before: number): Statement => vectorChanges.delete(sql`seq < ${before}`)

/** The row numbers of the episodes that pass a filter. */
export async function filteredRows(host: Reader, filter: EpisodeFilter): Promise<number[]> {
  const query = sql`SELECT rowid FROM episodes WHERE ${selected(host, filter)}`
  return (await readRows<{ rowid: number }>(host, query)).map(({ rowid }) => rowid)
}

const episodes = new Table<{ rowid: number; id: string }>('episodes', { select: 'rowid, id' })

export const rowOf = async (host: Sql, id: string): Promise<number | null> =>
  (await episodes.find(host, { id }))?.rowid ?? null

/** Episode ids by row number. */
export const idsOfRows = async (host: Sql, rowids: readonly number[]): Promise<Map<number, string>> =>
  new Map((await episodes.list(host, 'rowid', { rowid: rowids })).map(({ rowid, id }) => [rowid, id]))

export interface EpisodeVector {
  id: string
  vector: Float32Array
}

const samplePage = 500

/** The first vector of every `step`th episode that passes the filter, oldest first. */
export async function sampleVectors(
  host: Reader & Pick<Host, 'clock'>,
  { filter, model, step = 1 }: { filter: EpisodeFilter; model: string; step?: number },
): Promise<EpisodeVector[]> {
  const { sql: condition, args } = selected(host, filter)
  const vectors: EpisodeVector[] = []
  for (let after = -1; ; ) {
    const rows = await host.sql.read<{ rowid: number; id: string; vector: Uint8Array }>(
      `SELECT episodes.rowid AS rowid, episodes.id AS id, vector FROM episodes
      JOIN episode_vectors ON episode_vectors.id = episodes.rowid * ${maxParts}
      WHERE episodes.rowid > ? AND episodes.rowid % ? = 0 AND model = ? AND ${condition}
      ORDER BY episodes.rowid LIMIT ?`,
      [after, step, model, ...args, samplePage],
    )
    vectors.push(...rows.map(({ id, vector }) => ({ id, vector: toVector(vector) })))
    if (rows.length < samplePage) return vectors
    after = rows.at(-1)?.rowid ?? after
    await host.clock.after(0)
  }
}
