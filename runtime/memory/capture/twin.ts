import type { Context } from '../../context.ts'
import { EmbeddingError } from '../../ports/embedder.ts'
import type { EpisodeFilter } from '../filter.ts'
import { likeness } from '../retrieval/neighbours.ts'
import type { NewEpisode, Trust } from '../schema.ts'
import { searchEpisodes } from '../search.ts'
import { findEpisode } from '../store.ts'
import { sameFacts, sameText, standsFor } from './duplicate.ts'

/** Words find the same text among the first. */
const lookedAt = 10
/** Characters of a text that are looked for. */
const lookedFor = 1_000

/** The stored episode that says the same already: in the same words, or at least so alike in meaning. Null if none. */
export async function findTwin(
  context: Context,
  episode: NewEpisode & { trust?: Trust },
  threshold: number,
): Promise<string | null> {
  const filter = episode.agent_id === null ? {} : { visible_to: [episode.agent_id] }
  const trust = episode.trust ?? 'owner'
  const q = episode.content.slice(0, lookedFor)
  const { results } = await searchEpisodes(context, {
    q,
    mode: 'keyword',
    filter,
    limit: lookedAt,
    offset: 0,
  })
  const same = results.find(
    ({ episode: old }) => sameText(old.content, episode.content) && standsFor(old.trust, trust),
  )
  if (same) return same.episode.id
  const near = await nearest(context, episode.content, filter)
  const old = near && near.score >= threshold ? await findEpisode(context, near.episode_id) : null
  return old && sameFacts(old.content, episode.content) && standsFor(old.trust, trust) ? old.id : null
}

/** An embedder that is away costs the likeness in meaning, not the memory. */
async function nearest(context: Context, text: string, filter: EpisodeFilter) {
  try {
    return await likeness(context, text, filter)
  } catch (thrown) {
    if (!(thrown instanceof EmbeddingError)) throw thrown
    return null
  }
}
