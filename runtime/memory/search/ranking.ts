import { day } from '../../time.ts'
import { asksWhen, mentionsTime, type NamedTime, timeNamedIn } from './question.ts'
import { type PoolRow, pieceOf } from './search-store.ts'

/** Weights of the ranking. They were tuned on data that neither the tests nor the benchmarks use. */
const weights = {
  context: 0.55,
  vector: 0.75,
  vector_context: 0.3,
  conversation: 0.5,
  named: 0.25,
  answer: 0.5,
  vector_answer: 0.3,
  question: -0.2,
  short_question: -0.3,
  length: 0.3,
  dated: 0.3,
  in_time: 1,
} as const

/** Neighbours on either side that count as context. */
export const contextReach = 2
/**
 * The weights of the neighbours' scores, nearest first. What was said before matters more than what was said
 * after.
 */
const beforeWeights = [1, 0.3] as const
const afterWeights = [0.7, 0.2] as const
/** At this length in characters the context counts half, because the episode explains itself. */
const halfContextLength = 300

/** Importance and recency together change a score by at most this share. */
const recencyShare = 0.1

export interface Evidence {
  query: Query
  rows: readonly PoolRow[]
  /** BM25 of the matching episodes by row; larger is better. */
  keyword: ReadonlyMap<number, number>
  /** Cosine of the embedded episodes by row. */
  vector: ReadonlyMap<number, number>
  /** BM25 of conversation pieces by the key of `pieceOf`. */
  pieces: ReadonlyMap<string, number>
  now: number
  half_life_days: number
}

export interface Scored {
  rowid: number
  /** 0 to 1. */
  score: number
}

/** Ranks episodes by how likely they answer the query, best first. */
export function combine(evidence: Evidence): Scored[] {
  const { rows } = evidence
  const sums = sumsOf(evidence)
  const best = sums.reduce((one, other) => Math.max(one, other), 0)
  const scored = rows.map((row, index) => ({
    rowid: row.rowid,
    score: best > 0 ? Math.max(0, (sums[index] ?? 0) / best) * recencyFactor(row, evidence) * feedbackFactor(row) : 0,
  }))
  scored.sort((left, right) => right.score - left.score || right.rowid - left.rowid)
  return scored.map(({ rowid, score }) => ({ rowid, score: Math.min(1, score) }))
}

function sumsOf(evidence: Evidence): number[] {
  const { query, rows } = evidence
  const utterances = rows.map(utteranceOf)
  const speakers = new Set(utterances.flatMap(({ speaker }) => speaker))
  const parts = queryParts(evidence, utterances)
  return utterances.map((utterance, index) => {
    const matched = parts.reduce((total, [weight, scores]) => total + weight * (scores[index] ?? 0), 0)
    const in_time = query.time?.share(Date.parse(rows[index]?.created_at ?? '')) ?? 0
    return matched + weights.in_time * in_time + featureSum(featuresOf(utterance, query, speakers))
  })
}

/**
 * The parts of the sum that depend on keywords and vectors: a weight, and the normalized scores of all rows.
 */
function queryParts(
  { rows, keyword, vector, pieces }: Evidence,
  utterances: readonly Utterance[],
): [number, readonly number[]][] {
  const around = surroundingsOf(rows)
  const own = (scores: ReadonlyMap<number, number>) =>
    normalized(rows.map(({ rowid }) => Math.max(0, scores.get(rowid) ?? 0)))
  const context = (scores: ReadonlyMap<number, number>) =>
    normalized(rows.map((row) => contextScore(row, around.get(row.rowid), scores)))
  const [keywords, vectors] = [own(keyword), own(vector)]
  const questions = precedingQuestions(rows, utterances, around)
  const answered = (scores: readonly number[]) => questions.map((place) => scores[place] ?? 0)
  return [
    [1, keywords],
    [weights.context, context(keyword)],
    [weights.answer, answered(keywords)],
    [weights.vector, vectors],
    [weights.vector_context, context(vector)],
    [weights.vector_answer, answered(vectors)],
    [weights.conversation, normalized(rows.map((row) => pieces.get(pieceKeyOf(row)) ?? 0))],
  ]
}

/** For each row the index of the question right before it, which it may answer; −1 if there is none. */
function precedingQuestions(
  rows: readonly PoolRow[],
  utterances: readonly Utterance[],
  around: ReadonlyMap<number, Surroundings>,
): number[] {
  const places = new Map(rows.map(({ rowid }, place) => [rowid, place]))
  return rows.map(({ rowid }) => {
    const place = places.get(around.get(rowid)?.before[0]?.rowid ?? -1) ?? -1
    return utterances[place]?.open ? place : -1
  })
}

const pieceKeyOf = ({ conversation_id, position }: PoolRow): string => pieceOf(conversation_id ?? '', position)

/** The weighted scores of the neighbours. The shorter the episode, the more its context counts. */
function contextScore(
  { length }: PoolRow,
  around: Surroundings | undefined,
  scores: ReadonlyMap<number, number>,
): number {
  if (!around) return 0
  const side = (rows: readonly PoolRow[], shares: readonly number[]) =>
    rows.reduce((sum, { rowid }, place) => sum + (shares[place] ?? 0) * Math.max(0, scores.get(rowid) ?? 0), 0)
  return (side(around.before, beforeWeights) + side(around.after, afterWeights)) / (1 + length / halfContextLength)
}

/** Values divided by their maximum. */
function normalized(values: readonly number[]): number[] {
  const max = values.reduce((one, other) => Math.max(one, other), 0)
  return values.map((value) => (max > 0 ? value / max : 0))
}

/** The neighbours of a row in its conversation, nearest first. */
interface Surroundings {
  before: PoolRow[]
  after: PoolRow[]
}

function surroundingsOf(rows: readonly PoolRow[]): Map<number, Surroundings> {
  const conversations = Map.groupBy(
    rows.filter(({ conversation_id, position }) => conversation_id !== null && position !== null),
    ({ conversation_id }) => conversation_id,
  )
  const surroundings = new Map<number, Surroundings>()
  for (const conversation of conversations.values()) {
    conversation.sort((left, right) => placeOf(left) - placeOf(right) || left.rowid - right.rowid)
    for (const [index, row] of conversation.entries()) {
      const near = (other: PoolRow | undefined): other is PoolRow =>
        other !== undefined && Math.abs(placeOf(other) - placeOf(row)) <= contextReach
      surroundings.set(row.rowid, {
        before: [conversation[index - 1], conversation[index - 2]].filter(near),
        after: [conversation[index + 1], conversation[index + 2]].filter(near),
      })
    }
  }
  return surroundings
}

const placeOf = ({ position }: PoolRow): number => position ?? 0

/** The lowest value of `recencyFactor`. */
export const minRecencyFactor = (1 - recencyShare) / (1 + recencyShare)

/** A factor of at most 1 for importance and recency. */
export function recencyFactor(
  { importance, created_at }: Pick<PoolRow, 'importance' | 'created_at'>,
  { now, half_life_days }: Pick<Evidence, 'now' | 'half_life_days'>,
): number {
  const age = Math.max(0, now - Date.parse(created_at))
  const recency = 2 ** (-age / (half_life_days * day))
  return (1 + recencyShare * (importance + recency - 1)) / (1 + recencyShare)
}

/** Recall feedback changes a score by at most this share. */
const feedbackShare = 0.1
/** Assumed neutral recalls, so that a single one says little. */
const neutralRecalls = 4

/** Above 1 for episodes that answers used after a recall, below 1 for those that they ignored. */
export const feedbackFactor = ({ used, ignored }: { used: number; ignored: number }): number =>
  1 + (feedbackShare * (used - ignored)) / (used + ignored + neutralRecalls)

/** The properties of a query besides its keywords. */
export interface Query {
  asks_when: boolean
  /** The time that it names, if any. */
  time: NamedTime | null
  /** Its words in lower case, without 's. */
  words: ReadonlySet<string>
  /** Its capitalized words in lower case. */
  names: readonly string[]
}

const word = /\p{L}[\p{L}\p{M}\p{N}]*/gu
const possessive = /['’]s\b/gu
const speakerPrefix = /^(\p{L}[\p{L}\p{M}.'’ -]{0,39}):\s/u

const lowerWords = (text: string): string[] => text.toLowerCase().match(word) ?? []

export function queryOf(text: string, now: number): Query {
  const plain = text.replace(possessive, '')
  const capital = (plain.match(word) ?? []).filter((one, place) => place > 0 && /^\p{Lu}\p{L}/u.test(one))
  return {
    asks_when: asksWhen(text),
    time: timeNamedIn(text, now),
    words: new Set(lowerWords(plain)),
    names: capital.map((name) => name.toLowerCase()),
  }
}

interface Utterance {
  /** The words of the speaker's name in lower case, if the text starts with a name and a colon. */
  speaker: readonly string[]
  said: string
  /** Ends with a question that the episode itself does not answer. */
  open: boolean
}

/** Maximum length of a speaker's name in UTF-16 units. */
const maxSpeaker = 80

/** Ignores a parenthesis at the end, such as the description of a shared picture. */
function endsWithQuestion(text: string): boolean {
  const end = text.trimEnd()
  return end.endsWith('?') || (end.endsWith(')') && end.slice(0, end.lastIndexOf('(')).trimEnd().endsWith('?'))
}

function utteranceOf({ text, answered }: Pick<PoolRow, 'text' | 'answered'>): Utterance {
  // Most texts have no colon there, which is faster to check than the expression.
  const colon = text.indexOf(':')
  const match = colon > 0 && colon <= maxSpeaker ? speakerPrefix.exec(text) : null
  return {
    speaker: lowerWords(match?.[1] ?? ''),
    said: text.slice(match?.[0].length ?? 0),
    open: answered === 0 && endsWithQuestion(text),
  }
}

/** Properties of a text that make it more or less likely to be an answer. */
interface Features {
  /** 1 if the query names the speaker, or the text contains another name of the query. */
  named: number
  /** A question is rarely an answer, and a short one hardly ever. */
  question: boolean
  short_question: boolean
  /** The query asks when, and the text names a time. */
  dated: boolean
  /** 0 to 1: one or two words rarely answer anything. */
  length: number
}

const featureSum = ({ named, length, question, short_question, dated }: Features): number =>
  weights.named * named +
  weights.length * length +
  (question ? weights.question : 0) +
  (short_question ? weights.short_question : 0) +
  (dated ? weights.dated : 0)

/** Whether a text contains one of these names as a word. */
function containsName(text: string, names: readonly string[]): boolean {
  const lower = names.length > 0 ? text.toLowerCase() : ''
  // Most texts contain none of the names, not even within a word.
  const likely = names.filter((name) => lower.includes(name))
  if (likely.length === 0) return false
  const words = new Set(lowerWords(text))
  return likely.some((name) => words.has(name))
}

/** Maximum characters of a short question, and the length from which a text has full weight. */
const shortQuestion = 90
const fullLength = 120

function featuresOf({ speaker, said, open }: Utterance, query: Query, speakers: ReadonlySet<string>): Features {
  const others = query.names.filter((name) => !speakers.has(name))
  const isNamed = speaker.some((name) => query.words.has(name))
  return {
    named: isNamed || containsName(said, others) ? 1 : 0,
    question: open,
    short_question: open && said.length <= shortQuestion,
    dated: query.asks_when && mentionsTime(said),
    length: Math.min(1, said.length / fullLength),
  }
}
