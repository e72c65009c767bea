import type { Context } from '../../context.ts'
import { notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { sumOf } from '../../numbers.ts'
import { EmbeddingError } from '../../ports/embedder.ts'
import type { Episode, Related } from '../schema.ts'
import { searchState } from '../state.ts'
import { type EpisodeFilter, episodesById, findEpisode } from '../store.ts'
import { currentEmbedding, queryVectors, readableParts } from './embedding.ts'
import { rescored } from './hybrid.ts'
import { searchEpisodes } from './search.ts'
import { conversationNeighbours, type Link, sharingEntities, sharingTopics, withinTheHour } from './search-store.ts'
import { cosine } from './vector-codes.ts'
import { indexFilter, type VectorIndex } from './vector-index.ts'
import { episodeOf, idsOfRows, rowOf, toVector, vectorsById, vectorsOfEpisodes } from './vector-store.ts'

/** Parts of a long episode that are compared with others. */
const comparedParts = 4

/** The episodes most similar to one, by cosine; none if it has no vector. */
export async function similarTo(
  host: Host,
  id: string,
  { limit, filter = {} }: { limit: number; filter?: EpisodeFilter },
): Promise<Link[]> {
  const index = await readyIndex(host)
  const row = await rowOf(host, id)
  if (!index || row === null) return []
  const own = await vectorsOfEpisodes(host, [row])
  const scores = new Map<number, number>()
  for (const { vector } of own.slice(0, comparedParts)) {
    for (const [episode, score] of await cosinesNear(host, index, { vector: toVector(vector), filter }))
      scores.set(episode, Math.max(score, scores.get(episode) ?? 0))
  }
  scores.delete(row)
  return toLinks(host, scores, limit)
}

/**
 * The episode most similar to a text, by cosine; null if there is none, or no embedder. The vector of a query that was just
 * searched for is in memory.
 */
export async function closestTo(
  host: Host,
  text: string,
  filter: EpisodeFilter = {},
  purpose: 'query' | 'passage' = 'passage',
): Promise<Link | null> {
  const [embedding, index] = [await currentEmbedding(host), await readyIndex(host)]
  if (!embedding || !index || index.size === 0) return null
  const [part] = readableParts(text, embedding)
  if (part === undefined) return null
  const [vector] =
    purpose === 'query' ? await queryVectors(host, embedding, [part]) : await embedding.embed([part], { purpose })
  if (!vector) return null
  const [best] = await toLinks(host, await cosinesNear(host, index, { vector, filter }), 1)
  return best ?? null
}

/** The up-to-date index of the configured model; null without an embedder. */
async function readyIndex(host: Host): Promise<VectorIndex | null> {
  const embedding = await currentEmbedding(host)
  if (!embedding) return null
  const index = searchState(host).index(embedding.name)
  await index.sync(host)
  return index
}

async function cosinesNear(
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

async function toLinks(host: Pick<Host, 'sql'>, scores: Map<number, number>, limit: number): Promise<Link[]> {
  const best = [...scores].sort((left, right) => right[1] - left[1]).slice(0, limit)
  const ids = await idsOfRows(
    host,
    best.map(([row]) => row),
  )
  return best.flatMap(([row, score]) => {
    const id = ids.get(row)
    return id ? [{ id, score }] : []
  })
}

type Reason = Related['related'][number]['reason']

const perReason = 30

/** Cosine below which two episodes are unrelated: any two texts have some similarity. */
const minSimilarity = 0.35

/** Weights of the reasons. Time alone says the least. */
const weights: Record<Reason, number> = { semantic: 1, entity: 0.9, topic: 0.8, temporal: 0.6 }
/** The weight of further reasons. */
const furtherReasons = 0.25

/** The episodes related to one by similarity, entities, topics or time. The reason is the strongest of several. */
export async function relatedTo(context: Context, id: string, limit: number): Promise<Related> {
  const episode = await findEpisode(context, id)
  if (!episode) throw notFound(`The episode ${id}`)
  const [semantic, entity, neighbours, recent, topic] = await Promise.all([
    similarEpisodes(context, id),
    sharingEntities(context, id, perReason),
    conversationNeighbours(context, id, perReason),
    withinTheHour(context, id, perReason),
    onSameTopics(context, episode),
  ])
  const links = { semantic, entity, topic, temporal: strongest([...neighbours, ...recent]) }
  const best = combineLinks(links).slice(0, limit)
  const episodes = await episodesById(
    context,
    best.map((one) => one.id),
  )
  const byId = new Map(episodes.map((one) => [one.id, one]))
  const related = best.flatMap(({ id: other, score, reason }) => {
    const episode = byId.get(other)
    return episode ? [{ episode, score, reason }] : []
  })
  return { episode_id: id, related }
}

/** If the embedder fails, the other reasons are still returned. */
async function similarEpisodes(context: Context, id: string): Promise<Link[]> {
  try {
    const similar = await similarTo(context, id, { limit: perReason })
    return similar.filter(({ score }) => score >= minSimilarity)
  } catch (thrown) {
    if (!(thrown instanceof EmbeddingError)) throw thrown
    return []
  }
}

/** A search for the topics finds candidates, which are scored by the topics that they share. */
async function onSameTopics(context: Context, { id, topics }: Episode): Promise<Link[]> {
  if (topics.length === 0) return []
  const search = { q: topics.join(' '), mode: 'keyword' as const, filter: {}, limit: perReason, offset: 0 }
  const { results } = await searchEpisodes(context, search)
  const ids = results.map(({ episode }) => episode.id).filter((other) => other !== id)
  return sharingTopics(context, id, ids)
}

function strongest(links: readonly Link[]): Link[] {
  const best = new Map<string, number>()
  for (const { id, score } of links) best.set(id, Math.max(score, best.get(id) ?? 0))
  return [...best].map(([id, score]) => ({ id, score }))
}

/** Merges the weighted links of all reasons, strongest first. */
function combineLinks(links: Record<Reason, readonly Link[]>): (Link & { reason: Reason })[] {
  const all = (Object.keys(links) as Reason[]).flatMap((reason) =>
    links[reason].map(({ id, score }) => ({ id, reason, score: score * weights[reason] })),
  )
  const byId = Map.groupBy(all, ({ id }) => id)
  const combined = [...byId.values()].flatMap((reasons) => {
    const [first, ...rest] = reasons.sort((left, right) => right.score - left.score)
    if (!first) return []
    const score = first.score + furtherReasons * sumOf(rest, (other) => other.score)
    return [{ ...first, score: Math.round(Math.min(1, score) * 1_000) / 1_000 }]
  })
  return combined.sort((left, right) => right.score - left.score || right.id.localeCompare(left.id))
}
