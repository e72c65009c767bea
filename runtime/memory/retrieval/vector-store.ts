import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import { mostParts } from './chunks.ts'

type Sql = Pick<Host, 'sql'>

/** Vectors of one episode have the ids from here on, one per part of its text. */
export const firstId = (episode: number): number => episode * mostParts
export const episodeOf = (id: number): number => Math.floor(id / mostParts)

const toBytes = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)

export function toVector(bytes: Uint8Array): Float32Array {
  if (bytes.byteOffset % 4 === 0)
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  return new Float32Array(bytes.slice().buffer)
}

/** An episode that waits for its vectors. `seq` tells whether its text is still the one that was read. */
export interface Pending {
  seq: number
  episode: number
  id: string
  content: string
}

export const pendingEpisodes = ({ sql }: Sql, after: number, most: number): Promise<Pending[]> =>
  sql.read<Pending>(
    `SELECT seq, episode, id, content FROM vectors_pending JOIN episodes ON episodes.rowid = episode
    WHERE seq > ? ORDER BY seq LIMIT ?`,
    [after, most],
  )

/** Those that have waited least: without an embedder all go on waiting. */
export async function newestPending({ sql }: Sql, most: number): Promise<string[]> {
  const rows = await sql.read<{ id: string }>(
    `SELECT id FROM vectors_pending JOIN episodes ON episodes.rowid = episode ORDER BY seq DESC LIMIT ?`,
    [most],
  )
  return rows.map(({ id }) => id)
}

export async function anyPending({ sql }: Sql): Promise<boolean> {
  return (await sql.read('SELECT 1 FROM vectors_pending LIMIT 1')).length > 0
}

export async function countPending({ sql }: Sql): Promise<number> {
  const [row] = await sql.read<{ total: number }>('SELECT count(*) AS total FROM vectors_pending')
  return row?.total ?? 0
}

const stillPending = 'SELECT 1 FROM vectors_pending WHERE episode = ? AND seq = ?'

/** Stores the vectors of an episode, unless its text has changed or is gone. None means that it has nothing to embed. */
export function saveVectors(
  { seq, episode }: Pick<Pending, 'seq' | 'episode'>,
  model: string,
  vectors: readonly Float32Array[],
): Statement[] {
  const saved = vectors.map((vector, part) => ({
    sql: `INSERT OR REPLACE INTO episode_vectors (id, model, vector) SELECT ?, ?, ? WHERE EXISTS (${stillPending})`,
    args: [firstId(episode) + part, model, toBytes(vector), episode, seq],
  }))
  const told = {
    sql: `INSERT INTO vector_changes (episode) SELECT ? WHERE EXISTS (${stillPending})`,
    args: [episode, episode, seq],
  }
  const done = { sql: 'DELETE FROM vectors_pending WHERE episode = ? AND seq = ?', args: [episode, seq] }
  return vectors.length > 0 ? [...saved, told, done] : [done]
}

/** The model that the vectors are of; null before there are any. */
export async function storedModel({ sql }: Sql): Promise<string | null> {
  const [row] = await sql.read<{ name: string }>('SELECT name FROM vector_model')
  return row?.name ?? null
}

/** Every episode waits for vectors of another model; those of the old one are worth nothing. */
export const changeModel = (name: string): Statement[] => [
  ...forgetVectors,
  { sql: 'DELETE FROM vectors_pending' },
  { sql: 'INSERT INTO vectors_pending (episode) SELECT rowid FROM episodes' },
  {
    sql: 'INSERT INTO vector_model (only, name) VALUES (1, ?) ON CONFLICT DO UPDATE SET name = excluded.name',
    args: [name],
  },
]

const forgetVectors: Statement[] = [
  { sql: 'DELETE FROM episode_vectors' },
  { sql: 'DELETE FROM vector_changes' },
  { sql: 'INSERT INTO vector_changes (episode) VALUES (0)' },
]

/**
 * Forgets every vector and what goes with them, for the commit that deletes all episodes: before it, because deleting
 * them one by one is slow; and once more behind it where triggers note the conversation of each deletion.
 */
export const wipeVectors = (): Statement[] => [
  ...forgetVectors,
  { sql: 'DELETE FROM vectors_pending' },
  { sql: 'DELETE FROM conversation_pieces' },
  { sql: `INSERT INTO conversations_fts (conversations_fts) VALUES ('delete-all')` },
]

export interface StoredVector {
  id: number
  vector: Uint8Array
}

export const vectorsById = ({ sql }: Sql, ids: readonly number[]): Promise<StoredVector[]> =>
  sql.read<StoredVector>(
    'SELECT id, vector FROM episode_vectors WHERE id IN (SELECT value FROM json_each(?))',
    [JSON.stringify(ids)],
  )

/** The highest id of all; 0 when there is none. */
export async function lastVector({ sql }: Sql): Promise<number> {
  const [row] = await sql.read<{ id: number | null }>('SELECT max(id) AS id FROM episode_vectors')
  return row?.id ?? 0
}

export const vectorsOfEpisodes = ({ sql }: Sql, episodes: readonly number[]): Promise<StoredVector[]> =>
  sql.read<StoredVector>(
    `SELECT episode_vectors.id AS id, vector FROM json_each(?) AS wanted
    JOIN episode_vectors ON episode_vectors.id BETWEEN wanted.value * ${mostParts} AND wanted.value * ${mostParts} + ${mostParts - 1}`,
    [JSON.stringify(episodes)],
  )

/** A vector with what its episode is filtered by. */
export interface IndexedVector extends StoredVector {
  agent_id: string | null
  source: string
  created_at: string
}

const indexed = `SELECT episode_vectors.id AS id, vector, agent_id, source, created_at
  FROM episode_vectors JOIN episodes ON episodes.rowid = episode_vectors.id / ${mostParts}`

export const indexedAfter = (
  { sql }: Sql,
  { model, after, most }: { model: string; after: number; most: number },
): Promise<IndexedVector[]> =>
  sql.read<IndexedVector>(
    `${indexed} WHERE episode_vectors.id > ? AND model = ? ORDER BY episode_vectors.id LIMIT ?`,
    [after, model, most],
  )

export const indexedOf = (
  { sql }: Sql,
  model: string,
  episodes: readonly number[],
): Promise<IndexedVector[]> =>
  sql.read<IndexedVector>(
    `SELECT episode_vectors.id AS id, vector, agent_id, source, created_at FROM json_each(?) AS wanted
    JOIN episode_vectors ON episode_vectors.id BETWEEN wanted.value * ${mostParts} AND wanted.value * ${mostParts} + ${mostParts - 1}
    JOIN episodes ON episodes.rowid = wanted.value WHERE model = ?`,
    [JSON.stringify(episodes), model],
  )

export interface Change {
  seq: number
  episode: number
}

export const changesAfter = ({ sql }: Sql, after: number, most: number): Promise<Change[]> =>
  sql.read<Change>('SELECT seq, episode FROM vector_changes WHERE seq > ? ORDER BY seq LIMIT ?', [
    after,
    most,
  ])

/** The first and the last change that are still told. */
export async function changesKept({ sql }: Sql): Promise<{ first: number; last: number }> {
  const [row] = await sql.read<{ first: number | null; last: number | null }>(
    'SELECT (SELECT min(seq) FROM vector_changes) AS first, (SELECT max(seq) FROM vector_changes) AS last',
  )
  return { first: row?.first ?? 0, last: row?.last ?? 0 }
}

export const forgetChanges = (before: number): Statement => ({
  sql: 'DELETE FROM vector_changes WHERE seq < ?',
  args: [before],
})
