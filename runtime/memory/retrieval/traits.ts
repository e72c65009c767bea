import { asksWhen, namesMoment } from './statement.ts'

/** What a question asks for besides its words. */
export interface Query {
  asks_when: boolean
  /** Its words in lower case, without 's. */
  words: ReadonlySet<string>
  /** Its words that begin with a capital letter, in lower case. */
  names: readonly string[]
}

const word = /\p{L}[\p{L}\p{M}\p{N}]*/gu
const possessive = /['’]s\b/gu
const speech = /^(\p{L}[\p{L}\p{M}.'’ -]{0,39}):\s/u

const wordsOf = (text: string): string[] => text.toLowerCase().match(word) ?? []

export function queryOf(text: string): Query {
  const plain = text.replace(possessive, '')
  const capital = (plain.match(word) ?? []).filter((one, place) => place > 0 && /^\p{Lu}\p{L}/u.test(one))
  return {
    asks_when: asksWhen(text),
    words: new Set(wordsOf(plain)),
    names: capital.map((name) => name.toLowerCase()),
  }
}

/** The words of whoever says the text, where it begins with a name and a colon. */
export const speakerOf = (text: string): string[] => wordsOf(speech.exec(text)?.[1] ?? '')

const withoutSpeaker = (text: string): string => text.replace(speech, '')

/** What of a text speaks for it or against it, whatever the words of the query. */
export interface Traits {
  /** 1: the one who speaks is named in the query, or somebody or something else that it names is in the text. */
  named: number
  /** A short question is rarely an answer. */
  short_question: boolean
  /** Says a time, where one is asked for. */
  dated: boolean
  /** Share of a full length: a word or two say little. */
  fullness: number
}

/** Characters of a short question, and of a text that says enough. */
const short = 90
const full = 120

export function traitsOf(text: string, query: Query, speakers: ReadonlySet<string>): Traits {
  const said = withoutSpeaker(text)
  const others = query.names.filter((name) => !speakers.has(name))
  const words = others.length > 0 ? new Set(wordsOf(said)) : null
  const spoken = speakerOf(text).some((name) => query.words.has(name))
  return {
    named: spoken || (words && others.some((name) => words.has(name))) ? 1 : 0,
    short_question: said.length <= short && said.trimEnd().endsWith('?'),
    dated: query.asks_when && namesMoment(said),
    fullness: Math.min(1, said.length / full),
  }
}
