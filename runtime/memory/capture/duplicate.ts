import type { Context } from '../../context.ts'
import { coverage, keywordsOf, normalizedText, stopWords, wordsOf } from '../../english/words.ts'
import { EmbeddingError } from '../../ports/embedder.ts'
import type { Trust } from '../../trust.ts'
import type { NewEpisode } from '../schema.ts'
import { closestTo } from '../search/related.ts'
import { searchEpisodes } from '../search/search.ts'
import { type EpisodeFilter, findEpisode } from '../store.ts'

/** A keyword search ranks an identical text among the first results. */
const checkedResults = 10
/** Characters of the text that are searched for. */
const queryLength = 1_000

/**
 * The stored episode that already says the same, in the same words or with the same meaning; null if none.
 */
export async function findDuplicate(
  context: Context,
  episode: NewEpisode & { trust?: Trust },
  threshold: number,
): Promise<string | null> {
  const filter = episode.agent_id === null ? {} : { visible_to: [episode.agent_id] }
  const trust = episode.trust ?? 'owner'
  const q = episode.content.slice(0, queryLength)
  const search = { q, mode: 'keyword' as const, filter, limit: checkedResults, offset: 0 }
  const { results } = await searchEpisodes(context, search)
  const same = results.find(
    ({ episode: old }) => sameText(old.content, episode.content) && coversTrust(old.trust, trust),
  )
  if (same) return same.episode.id
  const closest = await closestOrNull(context, episode.content, filter)
  const old = closest && closest.score >= threshold ? await findEpisode(context, closest.id) : null
  return old && sameFacts(old.content, episode.content) && coversTrust(old.trust, trust) ? old.id : null
}

/** Without an embedder, only identical texts are duplicates. */
async function closestOrNull(context: Context, text: string, filter: EpisodeFilter) {
  try {
    return await closestTo(context, text, filter)
  } catch (thrown) {
    if (!(thrown instanceof EmbeddingError)) throw thrown
    return null
  }
}

/** Equal except for case, spacing and punctuation. */
export const sameText = (left: string, right: string): boolean => normalizedText(left) === normalizedText(right)

/** The share of keywords that two texts must have in common. */
const minOverlap = 0.5

/**
 * Whether two similar texts state the same facts. "My flight is on the 12th" and "… on the 13th" are as
 * similar as two texts can be, and dropping one would lose a fact.
 */
export function sameFacts(left: string, right: string): boolean {
  const [one, other] = [keywordsOf(left), keywordsOf(right)]
  if (numbersAndNegation(left) !== numbersAndNegation(right)) return false
  if (!namesIn(left, lowerWords(right)) || !namesIn(right, lowerWords(left))) return false
  return Math.min(coverage(one, other), coverage(other, one)) >= minOverlap
}

const negation = /\b(not|no|never|none|nobody|nothing|without|cannot|\w+n['’]t|stopped|anymore)\b/giu

function numbersAndNegation(text: string): string {
  const numbers = text.match(/\d+/g) ?? []
  const negations = text.match(negation) ?? []
  return JSON.stringify([numbers.sort(), negations.length % 2])
}

const lowerWords = (text: string) => new Set(wordsOf(text).map((word) => word.toLowerCase()))

/** Whether `others` contains every name of a text. */
function namesIn(text: string, others: ReadonlySet<string>): boolean {
  const names = wordsOf(text).filter((word) => /^\p{Lu}/u.test(word))
  return names.map((word) => word.toLowerCase()).every((word) => stopWords.has(word) || others.has(word))
}

const trustLevel: Record<Trust, number> = { external: 0, agent: 1, owner: 2 }

/**
 * Whether an existing memory is trusted enough to replace a new one: a stranger's text does not replace the
 * owner's.
 */
export const coversTrust = (old: Trust, fresh: Trust): boolean => trustLevel[old] >= trustLevel[fresh]
