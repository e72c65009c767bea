import { stem } from './stem.ts'

/** English words that are ignored in queries, including the parts of contractions (`what's`, `don't`). */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are aren as at be because been before being but by can could couldn d
  did didn do does doesn doing don each else ever for from further get got had hadn has hasn have haven having he
  her here hers him his how i if in into is isn it its itself just ll m me more most much my no nor not now of off
  on once only or other our ours out over own please re s same she should shouldn so some such t tell than that the
  their theirs them then there these they this those through to too under until us ve very was wasn we were weren
  what when where which while who whom whose why will with won would wouldn you your yours`.split(/\s+/),
)

/** A word of any script. In scripts without spaces it matches a whole run of characters. */
export const wordPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Created on first use: it is slow to create, and most texts do not need it. */
let segmenter: Intl.Segmenter | undefined

/** The words of a text in order, also for scripts without spaces. */
export function wordsOf(text: string): string[] {
  const words = text.normalize('NFC').match(wordPattern) ?? []
  const runs = words.filter((word) => unspaced.test(word))
  if (runs.length === 0) return words
  const parts = segmentsOf(runs).values()
  return words.flatMap((word) => (unspaced.test(word) ? (parts.next().value ?? []) : [word]))
}

/** The words of each run. All are segmented at once, because a call takes longer than a word. */
function segmentsOf(runs: readonly string[]): string[][] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  const sentences: string[][] = [[]]
  for (const { segment } of segmenter.segment(runs.join('\n')))
    if (segment === '\n') sentences.push([])
    else sentences.at(-1)?.push(segment)
  return sentences
}

const ascii = /^[\0-\x7f]*$/

/** A word as the index has it: in lower case, without accents. */
export function folded(word: string): string {
  const lower = word.toLowerCase()
  return ascii.test(lower) ? lower : lower.normalize('NFD').replace(/\p{M}/gu, '')
}

/** The distinct stemmed words of a text in lower case, without stop words. */
export function keywordsOf(text: string): Set<string> {
  const words = wordsOf(text).map((word) => word.toLowerCase())
  return new Set(words.filter((word) => !stopWords.has(word)).map(stem))
}

/** The words of a text in lower case, so that texts can be compared regardless of case, spacing and punctuation. */
export const normalizedText = (text: string): string => wordsOf(text.toLowerCase()).join(' ')

/** The share of `words` that `others` contains; 0 if there are none. */
export function coverage(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (words.size === 0) return 0
  return [...words].filter((word) => others.has(word)).length / words.size
}

/** Splits a text into sentences and lines. Joined, they are the text again. */
export const sentencesOf = (text: string): string[] =>
  text.match(/[^.!?。！？\n]*[.!?。！？\n]*\s*/gu)?.filter(Boolean) ?? []
