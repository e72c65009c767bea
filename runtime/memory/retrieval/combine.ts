import { day } from '../../time.ts'
import { feedbackFactor } from '../recall/feedback-factor.ts'
import { pieceKey, pieceOf } from './conversations.ts'
import { type PoolRow, type Surroundings, surroundingsOf } from './pool.ts'
import { type Query, speechOf, traitsOf } from './traits.ts'

/** How much each part counts. Fixed: they were chosen on other data than they are judged by. */
export const weights = {
  context: 0.75,
  vector: 0.75,
  vector_context: 0.4,
  conversation: 0.5,
  named: 0.25,
  short_question: -0.25,
  fullness: 0.2,
  dated: 0.3,
} as const

/** How much of a neighbour's score counts as context. An answer stands after its question more often than before. */
const before = [1, 0.3] as const
const after = [0.7, 0.2] as const
/** Characters from which an episode speaks for itself. */
const spoken = 300

/** Importance and recency together move a score by at most this share, either way, and are never a reason alone. */
const sway = 0.1

export interface Evidence {
  query: Query
  rows: readonly PoolRow[]
  /** bm25 of the episodes that match, by row; larger is better. */
  keyword: ReadonlyMap<number, number>
  /** Cosine of the episodes that have a vector, by row. */
  vector: ReadonlyMap<number, number>
  /** bm25 of pieces of conversations, by `pieceKey`. */
  pieces: ReadonlyMap<string, number>
  now: number
  half_life_days: number
}

export interface Scored {
  rowid: number
  /** 0 to 1. */
  score: number
}

/** Episodes by how likely they answer the query, the best first. */
export function combine(evidence: Evidence): Scored[] {
  const { rows } = evidence
  const sums = sumsOf(evidence)
  const best = sums.reduce((one, other) => Math.max(one, other), 0)
  const scored = rows.map((row, index) => ({
    rowid: row.rowid,
    score:
      best > 0 ? Math.max(0, (sums[index] ?? 0) / best) * factorOf(row, evidence) * feedbackFactor(row) : 0,
  }))
  scored.sort((left, right) => right.score - left.score || right.rowid - left.rowid)
  return scored.map(({ rowid, score }) => ({ rowid, score: Math.min(1, score) }))
}

function sumsOf({ query, rows, keyword, vector, pieces }: Evidence): number[] {
  const around = surroundingsOf(rows)
  const speeches = rows.map(({ text }) => speechOf(text))
  const speakers = new Set(speeches.flatMap(({ speaker }) => speaker))
  const own = (scores: ReadonlyMap<number, number>) =>
    shares(rows.map(({ rowid }) => Math.max(0, scores.get(rowid) ?? 0)))
  const beside = (scores: ReadonlyMap<number, number>) =>
    shares(rows.map((row) => contextOf(row, around.get(row.rowid), scores)))
  const parts: [number, number[]][] = [
    [1, own(keyword)],
    [weights.context, beside(keyword)],
    [weights.vector, own(vector)],
    [weights.vector_context, beside(vector)],
    [weights.conversation, shares(rows.map((row) => pieces.get(pieceKeyOf(row)) ?? 0))],
  ]
  return speeches.map((speech, index) => {
    const traits = traitsOf(speech, query, speakers)
    const sum = parts.reduce((total, [weight, scores]) => total + weight * (scores[index] ?? 0), 0)
    return (
      sum +
      weights.named * traits.named +
      weights.fullness * traits.fullness +
      (traits.short_question ? weights.short_question : 0) +
      (traits.dated ? weights.dated : 0)
    )
  })
}

const pieceKeyOf = ({ conversation_id, position }: PoolRow): string =>
  pieceKey(conversation_id ?? '', pieceOf(position))

/** What stands beside an episode says what it is about, the more the less it says itself. */
function contextOf(
  { length }: PoolRow,
  around: Surroundings | undefined,
  scores: ReadonlyMap<number, number>,
): number {
  if (!around) return 0
  const side = (rows: readonly PoolRow[], shares: readonly number[]) =>
    rows.reduce(
      (sum, { rowid }, place) => sum + (shares[place] ?? 0) * Math.max(0, scores.get(rowid) ?? 0),
      0,
    )
  return (side(around.before, before) + side(around.after, after)) / (1 + length / spoken)
}

/** Of the largest; nothing where all are nothing. */
function shares(values: readonly number[]): number[] {
  const most = values.reduce((one, other) => Math.max(one, other), 0)
  return values.map((value) => (most > 0 ? value / most : 0))
}

/** What `factorOf` is for what is old and unimportant. */
export const leastFactor = (1 - sway) / (1 + sway)

/** 1 at most. */
export function factorOf(
  { importance, created_at }: Pick<PoolRow, 'importance' | 'created_at'>,
  { now, half_life_days }: Pick<Evidence, 'now' | 'half_life_days'>,
): number {
  const age = Math.max(0, now - Date.parse(created_at))
  const recency = 2 ** (-age / (half_life_days * day))
  return (1 + sway * (importance + recency - 1)) / (1 + sway)
}
