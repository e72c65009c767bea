import type { Context } from '../../context.ts'
import type { Host } from '../../host.ts'
import { conditionOf, type EpisodeFilter } from '../filter.ts'
import { readableParts } from './embed-pending.ts'
import { currentEmbedding } from './embedding.ts'
import { cosine } from './measure.ts'
import type { VectorIndex } from './vector-index.ts'
import { type IndexFilter, maskedBy } from './vector-rows.ts'
import { episodeOf, toVector, vectorsById, vectorsOfEpisodes } from './vector-store.ts'

/** Vectors that are measured exactly, of those whose signs are nearest. */
export const rescored = 300

export interface Neighbour {
  episode_id: string
  /** Cosine of the two texts: 1 is the same, 0 has nothing in common. */
  score: number
}

/** What the index cannot tell of a filter is asked of the database, as rows. */
export async function indexFilter(host: Pick<Host, 'sql'>, filter: EpisodeFilter): Promise<IndexFilter> {
  const rest = Object.fromEntries(
    Object.entries(filter).filter(
      ([name, value]) => value !== undefined && !(maskedBy as readonly string[]).includes(name),
    ),
  )
  if (Object.keys(rest).length === 0) return filter
  const { sql, args } = conditionOf(rest)
  const rows = await host.sql.read<{ rowid: number }>(`SELECT rowid FROM episodes WHERE ${sql}`, args)
  return { ...filter, within: rows.map(({ rowid }) => rowid) }
}

/** Episodes that say much the same as this one, the most alike first; none when it has no vector. */
export async function similarTo(
  host: Host,
  episodeId: string,
  { limit, filter = {} }: { limit: number; filter?: EpisodeFilter },
): Promise<Neighbour[]> {
  const index = await readyIndex(host)
  const [row] = await host.sql.read<{ rowid: number }>('SELECT rowid FROM episodes WHERE id = ?', [episodeId])
  if (!index || !row) return []
  const own = await vectorsOfEpisodes(host, [row.rowid])
  const found = new Map<number, number>()
  for (const { vector } of own.slice(0, 4)) {
    for (const [episode, score] of await nearestTo(host, index, { vector: toVector(vector), filter }))
      found.set(episode, Math.max(score, found.get(episode) ?? 0))
  }
  found.delete(row.rowid)
  return named(host, found, limit)
}

/** The stored episode that says most nearly the same as a text; null when there is none, or no embedder. */
export async function likeness(
  host: Host,
  text: string,
  filter: EpisodeFilter = {},
): Promise<Neighbour | null> {
  const [embedding, index] = [await currentEmbedding(host), await readyIndex(host)]
  if (!embedding || !index || index.size === 0) return null
  const [part] = readableParts(text, embedding)
  if (part === undefined) return null
  const [vector] = await embedding.embed([part], { purpose: 'passage' })
  if (!vector) return null
  const [best] = await named(host, await nearestTo(host, index, { vector, filter }), 1)
  return best ?? null
}

/** The vectors of the episodes that pass the filter: of a text in parts, that of its first. */
export async function vectorsOf(
  host: Host,
  filter: EpisodeFilter = {},
): Promise<{ episode_id: string; vector: Float32Array }[]> {
  const embedding = await currentEmbedding(host)
  if (!embedding) return []
  const condition = conditionOf(filter)
  const found: { episode_id: string; vector: Float32Array }[] = []
  for (let after = -1; ; ) {
    const rows = await host.sql.read<{ rowid: number; id: string; vector: Uint8Array }>(
      `SELECT episodes.rowid AS rowid, episodes.id AS id, vector FROM episodes
      JOIN episode_vectors ON episode_vectors.id = episodes.rowid * 64
      WHERE episodes.rowid > ? AND model = ? ${condition.sql && `AND ${condition.sql}`}
      ORDER BY episodes.rowid LIMIT 500`,
      [after, embedding.name, ...condition.args],
    )
    found.push(...rows.map(({ id, vector }) => ({ episode_id: id, vector: toVector(vector) })))
    if (rows.length < 500) return found
    after = rows.at(-1)?.rowid ?? after
    await host.clock.after(0)
  }
}

/** The index of the present model, up to date; null without an embedder. */
async function readyIndex(host: Host): Promise<VectorIndex | null> {
  const embedding = await currentEmbedding(host)
  if (!embedding) return null
  const index = host.process.retrieval.index(embedding.name)
  await index.sync(host)
  return index
}

async function nearestTo(
  host: Pick<Host, 'sql'>,
  index: VectorIndex,
  { vector, filter }: { vector: Float32Array; filter: EpisodeFilter },
): Promise<Map<number, number>> {
  const direction = vector.map((value, at) => value - (index.mean[at] ?? 0))
  const ids = index.nearest(direction, await indexFilter(host, filter), rescored)
  const scores = new Map<number, number>()
  for (const { id, vector: bytes } of await vectorsById(host, ids)) {
    const episode = episodeOf(id)
    scores.set(episode, Math.max(scores.get(episode) ?? 0, cosine(vector, toVector(bytes))))
  }
  return scores
}

async function named(
  { sql }: Pick<Context, 'sql'>,
  scores: Map<number, number>,
  limit: number,
): Promise<Neighbour[]> {
  const best = [...scores].sort((left, right) => right[1] - left[1]).slice(0, limit)
  const rows = await sql.read<{ rowid: number; id: string }>(
    'SELECT rowid, id FROM episodes WHERE rowid IN (SELECT value FROM json_each(?))',
    [JSON.stringify(best.map(([episode]) => episode))],
  )
  const ids = new Map(rows.map(({ rowid, id }) => [rowid, id]))
  return best.flatMap(([episode, score]) => {
    const id = ids.get(episode)
    return id ? [{ episode_id: id, score }] : []
  })
}
