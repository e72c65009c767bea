import { day } from '../../time.ts'
import { feedbackFactor } from '../recall/feedback-factor.ts'
import { pieceKey, pieceOf } from './conversations.ts'
import { type PoolRow, type Surroundings, surroundingsOf } from './pool.ts'
import { type Query, type Speech, speechOf, type Traits, traitsOf } from './traits.ts'

/** How much each part counts. Fixed: they were chosen on other data than they are judged by. */
export const weights = {
  context: 0.55,
  vector: 0.75,
  vector_context: 0.3,
  conversation: 0.5,
  named: 0.25,
  answer: 0.5,
  vector_answer: 0.3,
  question: -0.2,
  short_question: -0.3,
  fullness: 0.3,
  dated: 0.3,
  in_time: 1,
} as const

/** How much of a neighbour's score counts as context: what was said before tells more than what was said after. */
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

function sumsOf(evidence: Evidence): number[] {
  const { query, rows } = evidence
  const speeches = rows.map(speechOf)
  const speakers = new Set(speeches.flatMap(({ speaker }) => speaker))
  const parts = partsOf(evidence, speeches)
  return speeches.map((speech, index) => {
    const measured = parts.reduce((total, [weight, scores]) => total + weight * (scores[index] ?? 0), 0)
    const in_time = query.time?.share(Date.parse(rows[index]?.created_at ?? '')) ?? 0
    return measured + weights.in_time * in_time + sumOfTraits(traitsOf(speech, query, speakers))
  })
}

/** What depends on the words and the meaning of the query: a weight, and the scores of all rows. */
function partsOf(
  { rows, keyword, vector, pieces }: Evidence,
  speeches: readonly Speech[],
): [number, readonly number[]][] {
  const around = surroundingsOf(rows)
  const own = (scores: ReadonlyMap<number, number>) =>
    shares(rows.map(({ rowid }) => Math.max(0, scores.get(rowid) ?? 0)))
  const beside = (scores: ReadonlyMap<number, number>) =>
    shares(rows.map((row) => contextOf(row, around.get(row.rowid), scores)))
  const [words, meaning] = [own(keyword), own(vector)]
  const questions = questionsBefore(rows, speeches, around)
  const asked = (scores: readonly number[]) => questions.map((place) => scores[place] ?? 0)
  return [
    [1, words],
    [weights.context, beside(keyword)],
    [weights.answer, asked(words)],
    [weights.vector, meaning],
    [weights.vector_context, beside(vector)],
    [weights.vector_answer, asked(meaning)],
    [weights.conversation, shares(rows.map((row) => pieces.get(pieceKeyOf(row)) ?? 0))],
  ]
}

const sumOfTraits = ({ named, fullness, question, short_question, dated }: Traits): number =>
  weights.named * named +
  weights.fullness * fullness +
  (question ? weights.question : 0) +
  (short_question ? weights.short_question : 0) +
  (dated ? weights.dated : 0)

/** For each row the place of the question right before it, which it may answer; -1 where there is none. */
function questionsBefore(
  rows: readonly PoolRow[],
  speeches: readonly Speech[],
  around: ReadonlyMap<number, Surroundings>,
): number[] {
  const places = new Map(rows.map(({ rowid }, place) => [rowid, place]))
  return rows.map(({ rowid }) => {
    const place = places.get(around.get(rowid)?.before[0]?.rowid ?? -1) ?? -1
    return speeches[place]?.open ? place : -1
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
