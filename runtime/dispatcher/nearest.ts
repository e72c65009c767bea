import { LRUCache } from 'lru-cache'
import { sumOf } from '../numbers.ts'
import type { Candidate, Intent } from './schema.ts'

/** Neighbours that vote. */
const voters = 5
/** Sharpens the votes: near examples count much more than far ones. */
const sharpness = 3
/** Similarity at which neighbours that agree are right nine times out of ten, by leaving examples out. */
const certain = 0.4

/**
 * The intents of the nearest examples, most likely first. The confidence is the share of the votes, reduced if
 * even the nearest example is far away.
 */
export function vote(neighbours: readonly { intent: Intent; similarity: number }[]): Candidate[] {
  const nearest = neighbours.toSorted((left, right) => right.similarity - left.similarity).slice(0, voters)
  const votes = new Map<Intent, number>()
  for (const { intent, similarity } of nearest)
    votes.set(intent, (votes.get(intent) ?? 0) + Math.max(0, similarity) ** sharpness)
  const all = sumOf(votes.values())
  if (all === 0) return []
  const closeness = Math.min(1, (nearest[0]?.similarity ?? 0) / certain)
  return [...votes]
    .map(([intent, weight]) => ({ intent, confidence: (weight / all) * closeness }))
    .sort((left, right) => right.confidence - left.confidence)
}

/** Of the examples and the corrections, so that they are taken apart once. */
const features = new LRUCache<string, ReadonlySet<string>>({ max: 2_000 })

/** The words of a text, its pairs of words and its letter triples. */
function featuresOf(text: string): ReadonlySet<string> {
  const known = features.get(text)
  if (known) return known
  const words = text.match(/[\p{L}\p{M}#]+|\p{N}+/gu) ?? []
  const found = words.flatMap((word, index) => [
    word,
    `${words[index - 1] ?? '^'} ${word}`,
    ...Array.from({ length: word.length }, (_, start) => `~${` ${word} `.slice(start, start + 3)}`),
  ])
  const set = new Set(found)
  features.set(text, set)
  return set
}

/** How much two folded texts have in common, 0 to 1. */
export function likeness(left: string, right: string): number {
  const [one, other] = [featuresOf(left), featuresOf(right)]
  return one.intersection(other).size / (Math.sqrt(one.size * other.size) || 1)
}
