import { factorOf } from './retrieval/combine.ts'

interface Candidate {
  relevance: number
  importance: number
  created_at: string
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
