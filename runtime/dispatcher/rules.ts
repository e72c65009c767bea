import { patternsOf } from '../english/patterns.ts'
import cues from './cues.json' with { type: 'json' }
import examples from './examples.json' with { type: 'json' }
import table from './rules.json' with { type: 'json' }
import type { Candidate } from './schema.ts'

/** Folded text: lower case, without accents, `ß` as `ss`, straight apostrophes, single spaces. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[’‘`´]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()

/** Characters of a sentence that rules read. The beginning says what a text is for. */
const maxText = 600
/** Longer than this, a text that names a setting without a verb for changing it is about something else. */
const maxWish = 30

type Cue = keyof typeof cues
const names = Object.keys(cues) as Cue[]

/** The whole words of a cue. */
const cue = patternsOf(
  Object.fromEntries(names.map((name) => [name, `(?<![\\p{L}\\p{N}])(?:${cues[name]})(?![\\p{L}\\p{N}])`])),
)
const pages = names.filter((name) => name.startsWith('/'))
const pageIn = (text: string) => pages.find((page) => cue(page).test(text))

/** The page of the settings that a sentence names. */
export const settingsPage = (sentence: string): string => pageIn(fold(sentence.slice(0, maxText))) ?? '/settings'

/** The sentence names a setting and hardly anything else: "Set my time zone to Tokyo", not "Add a password to the file". */
function isSetting(text: string): boolean {
  const page = pageIn(text)
  if (page === undefined) return false
  const rest = text.replace(cue(page), ' ').replace(cue('around_setting', 'g'), ' ')
  if ((rest.match(/[\p{L}\p{N}]+/gu) ?? []).length > 1) return false
  return has('changes', text) || (text.length <= maxWish && !has('asks', text) && !has('orders', text))
}

const has = (name: string, text: string): boolean => (name === 'setting' ? isSetting(text) : cue(name).test(text))

export interface RuleMatch extends Candidate {
  reason: string
}

/** A sentence fits with all of the cues, none of those in `not`, and at most `max` characters. */
interface Rule extends RuleMatch {
  all: readonly string[]
  not?: readonly string[]
  max?: number
}

/** The first that fits decides. The confidence is how often it is right, by judgement. */
const rules = table as readonly Rule[]
const opening = new RegExp(cues.opening, 'u')

/** The intent of an English sentence by its wording; null if no rule fits. */
export function matchRules(sentence: string): RuleMatch | null {
  const text = fold(sentence.slice(0, maxText))
  const request = text.replace(opening, '') || text
  const fits = (name: string) => has(name, request)
  const match = rules.find(
    ({ all, not = [], max = maxText }) => request.length <= max && all.every(fits) && !not.some(fits),
  )
  return match ? { intent: match.intent, confidence: match.confidence, reason: match.reason } : null
}

const wordsOf = (text: string): string[] =>
  text
    .replace(/[’‘]/g, "'")
    .toLowerCase()
    .match(/[\p{L}\p{M}']+/gu) ?? []

/** Minimum share of a sentence's words in English: words of the cues and examples, or words of English alone. */
const minShare = { vocabulary: 0.5, common: 0.2 }
/** What is translated, corrected or explained can be in any language: the words before it say what to do. */
const firstWords = 5

/** What a cue says besides words: classes such as \p{L} and \d. */
const withoutClasses = (cue: string) => cue.replace(/\\(?:p\{\w\}|\w)/g, ' ')
const common = new Set(wordsOf(cues.common))
/** Computed on first use, from data that never changes. */
let vocabulary: ReadonlySet<string> | null = null

const share = (words: readonly string[], set: ReadonlySet<string>) =>
  words.filter((word) => set.has(word)).length / words.length

/** An address is in no language: `de` is not a word of the sentence that names a site. */
const withoutAddresses = (text: string) => text.replace(/(?<!\S)\S+\.\S+/g, ' ')

/** Whether the rules and examples, which are English, can judge a sentence. */
export function isEnglish(text: string): boolean {
  const { address: _, ...wording } = cues
  vocabulary ??= new Set([...Object.values(examples), ...Object.values(wording).map(withoutClasses)].flatMap(wordsOf))
  const sentence = text.slice(0, maxText)
  const own = wordsOf(withoutAddresses(sentence))
  const words = own.length > 0 ? own : wordsOf(sentence)
  return (
    share(words, vocabulary) > minShare.vocabulary ||
    share(words, common) >= minShare.common ||
    share(words.slice(0, firstWords), common) >= minShare.common
  )
}
