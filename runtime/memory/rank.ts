import { day } from '../time.ts'
import type { Candidate } from './match-store.ts'

/** Importance and recency together move a score by at most this share, either way. */
const sway = 0.1
const halfLife = 30 * day

/**
 * Candidates of one query, best first, each with its score. Scores are shares of the best possible one: the
 * relevance over its maximum, swayed by importance and age, neither of which is ever a reason of its own.
 */
export function rank<Item extends Candidate>(
  candidates: readonly Item[],
  best: number,
  now: number,
): (Item & { score: number })[] {
  const scored = candidates.map((candidate) => ({ ...candidate, score: scoreOf(candidate, best, now) }))
  return scored.sort((left, right) => right.score - left.score)
}

function scoreOf({ relevance, importance, created_at }: Candidate, best: number, now: number): number {
  const age = Math.max(0, now - Date.parse(created_at))
  const recency = 2 ** (-age / halfLife)
  const factor = 1 + sway * (importance + recency - 1)
  return best > 0 ? ((relevance / best) * factor) / (1 + sway) : 0
}
