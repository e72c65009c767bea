import type { Context } from '../../context.ts'
import { EmbeddingError } from '../../ports/embedder.ts'
import { requireEpisode } from '../episodes.ts'
import { similarTo } from '../retrieval/neighbours.ts'
import type { Episode } from '../schema.ts'
import { searchEpisodes } from '../search.ts'
import { episodesById } from '../store.ts'
import {
  aroundInTime,
  besideInConversation,
  type Link,
  sharingEntities,
  sharingTopics,
} from './related-store.ts'
import type { Related } from './schema.ts'

type Reason = Related['related'][number]['reason']

const perReason = 30

/** Cosine below which two texts are not near in meaning: any two have some. */
const leastAlike = 0.35

/** How much each reason counts: nearness in time alone says least. */
const weights: Record<Reason, number> = { semantic: 1, entity: 0.9, topic: 0.8, temporal: 0.6 }
/** What a second reason adds to the strongest. */
const second = 0.25

/**
 * Episodes that belong to one: near in meaning, with the same people, places and things, on the same topics, or said
 * around it. The reason is the strongest of several.
 */
export async function relatedTo(context: Context, id: string, limit: number): Promise<Related> {
  const episode = await requireEpisode(context, id)
  const [semantic, entity, beside, around, topic] = await Promise.all([
    alike(context, id),
    sharingEntities(context, id, perReason),
    besideInConversation(context, id, perReason),
    aroundInTime(context, id, perReason),
    onTopic(context, episode),
  ])
  const links: Record<Reason, Link[]> = {
    semantic,
    entity,
    topic,
    temporal: strongest([...beside, ...around]),
  }
  const best = combine(links).slice(0, limit)
  const found = await episodesById(
    context,
    best.map((one) => one.id),
  )
  const byId = new Map(found.map((one) => [one.id, one]))
  const related = best.flatMap(({ id: other, score, reason }) => {
    const shown = byId.get(other)
    return shown ? [{ episode: shown, score, reason }] : []
  })
  return { episode_id: id, related }
}

async function alike(context: Context, id: string): Promise<Link[]> {
  try {
    const found = await similarTo(context, id, { limit: perReason })
    return found
      .filter(({ score }) => score >= leastAlike)
      .map(({ episode_id, score }) => ({ id: episode_id, score }))
  } catch (thrown) {
    if (!(thrown instanceof EmbeddingError)) throw thrown
    return []
  }
}

/** Candidates are what a search for the topics finds; how much they share decides. */
async function onTopic(context: Context, { id, topics }: Episode): Promise<Link[]> {
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

/** The weighted links of all reasons as one list, the strongest first. Pure. */
export function combine(links: Record<Reason, readonly Link[]>): (Link & { reason: Reason })[] {
  const all = (Object.keys(links) as Reason[]).flatMap((reason) =>
    links[reason].map(({ id, score }) => ({ id, reason, score: score * weights[reason] })),
  )
  const byId = Map.groupBy(all, ({ id }) => id)
  const combined = [...byId.values()].flatMap((reasons) => {
    const [first, ...rest] = reasons.sort((left, right) => right.score - left.score)
    if (!first) return []
    const score = first.score + second * rest.reduce((sum, other) => sum + other.score, 0)
    return [{ ...first, score: Math.round(Math.min(1, score) * 1_000) / 1_000 }]
  })
  return combined.sort((left, right) => right.score - left.score || right.id.localeCompare(left.id))
}
