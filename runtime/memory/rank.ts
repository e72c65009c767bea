import { factorOf, leastFactor } from './retrieval/combine.ts'

interface Candidate {
  relevance: number
  importance: number
  created_at: string
}

/**
 * Of matches, best first, those that may be among the first `wanted` when importance and age have swayed them: the
 * others are too far behind.
 */
export function withinReach<Match extends { relevance: number }>(
  matches: readonly Match[],
  wanted: number,
): readonly Match[] {
  const last = matches[wanted - 1]
  if (!last) return matches
  return matches.filter(({ relevance }) => relevance >= last.relevance * leastFactor)
}

/**
 * Candidates of one query, best first, each with its score. Scores are shares of the best possible one: the
 * relevance over its maximum, swayed by importance and age, neither of which is ever a reason of its own.
 */
export function rank<Item extends Candidate>(
  candidates: readonly Item[],
  best: number,
  time: { now: number; half_life_days: number },
): (Item & { score: number })[] {
  const scored = candidates.map((candidate) => ({
    ...candidate,
    score: best > 0 ? (candidate.relevance / best) * factorOf(candidate, time) : 0,
  }))
  return scored.sort((left, right) => right.score - left.score)
}
