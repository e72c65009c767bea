import { type NamedTime, timeNamedIn } from './named-time.ts'
import type { PoolRow } from './pool.ts'
import { asksWhen, namesMoment } from './statement.ts'

/** What a question asks for besides its words. */
export interface Query {
  asks_when: boolean
  /** How near a moment is to the time it names, if it names one. */
  time: NamedTime | null
  /** Its words in lower case, without 's. */
  words: ReadonlySet<string>
  /** Its words that begin with a capital letter, in lower case. */
  names: readonly string[]
}

const word = /\p{L}[\p{L}\p{M}\p{N}]*/gu
const possessive = /['’]s\b/gu
const speech = /^(\p{L}[\p{L}\p{M}.'’ -]{0,39}):\s/u

const wordsOf = (text: string): string[] => text.toLowerCase().match(word) ?? []

export function queryOf(text: string, now: number): Query {
  const plain = text.replace(possessive, '')
  const capital = (plain.match(word) ?? []).filter((one, place) => place > 0 && /^\p{Lu}\p{L}/u.test(one))
  return {
    asks_when: asksWhen(text),
    time: timeNamedIn(text, now),
    words: new Set(wordsOf(plain)),
    names: capital.map((name) => name.toLowerCase()),
  }
}

export interface Speech {
  /** The words of whoever says it, in lower case, where the text begins with a name and a colon. */
  speaker: readonly string[]
  said: string
  /** Ends with a question that the episode itself does not answer: what is said next may. */
  open: boolean
}

/** UTF-16 units that the longest name may have. */
const longestSpeaker = 80

/** What stands in parentheses at the end is beside what is said, such as what is shared with it. */
function endsAsking(text: string): boolean {
  const end = text.trimEnd()
  return (
    end.endsWith('?') || (end.endsWith(')') && end.slice(0, end.lastIndexOf('(')).trimEnd().endsWith('?'))
  )
}

export function speechOf({ text, answered }: Pick<PoolRow, 'text' | 'answered'>): Speech {
  // Most texts have no colon there, which is faster to see than that they do not fit the expression.
  const colon = text.indexOf(':')
  const found = colon > 0 && colon <= longestSpeaker ? speech.exec(text) : null
  return {
    speaker: wordsOf(found?.[1] ?? ''),
    said: text.slice(found?.[0].length ?? 0),
    open: answered === 0 && endsAsking(text),
  }
}

/** What of a text speaks for it or against it, whatever the words of the query. */
export interface Traits {
  /** 1: the one who speaks is named in the query, or somebody or something else that it names is in the text. */
  named: number
  /** A question is rarely an answer, a short one hardly ever. */
  question: boolean
  short_question: boolean
  /** Says a time, where one is asked for. */
  dated: boolean
  /** Share of a full length: a word or two say little. */
  fullness: number
}

/** Whether one of these words stands in the text. Most texts hold none of them, not even inside a word. */
function says(text: string, names: readonly string[]): boolean {
  const lower = names.length > 0 ? text.toLowerCase() : ''
  const likely = names.filter((name) => lower.includes(name))
  if (likely.length === 0) return false
  const words = new Set(wordsOf(text))
  return likely.some((name) => words.has(name))
}

/** Characters of a short question, and of a text that says enough. */
const short = 90
const full = 120

export function traitsOf(
  { speaker, said, open }: Speech,
  query: Query,
  speakers: ReadonlySet<string>,
): Traits {
  const others = query.names.filter((name) => !speakers.has(name))
  const spoken = speaker.some((name) => query.words.has(name))
  return {
    named: spoken || says(said, others) ? 1 : 0,
    question: open,
    short_question: open && said.length <= short,
    dated: query.asks_when && namesMoment(said),
    fullness: Math.min(1, said.length / full),
  }
}
