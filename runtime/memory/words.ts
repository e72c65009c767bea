import { stopWords } from './stop-words.ts'

/** A word of any script; of those without spaces, a run of them. */
export const wordPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Made when a text first needs it: it is slow to make, and most texts have spaces. */
let segmenter: Intl.Segmenter | undefined

/** The words of a text as they stand, those of scripts without spaces too. */
export function wordsOf(text: string): string[] {
  return (text.normalize('NFC').match(wordPattern) ?? []).flatMap((word) =>
    unspaced.test(word) ? segments(word) : [word],
  )
}

function segments(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  return [...segmenter.segment(text)].map(({ segment }) => segment)
}

/** What a text is about: its words in small letters without endings, each once, without those that say nothing. */
export function tellingWords(text: string): Set<string> {
  const words = wordsOf(text).map((word) => word.toLowerCase())
  return new Set(words.filter((word) => !stopWords.has(word)).map(stem))
}

/** Two texts that differ in letters of one size, in spaces or in punctuation only have the same form. */
export const plainForm = (text: string): string => wordsOf(text.toLowerCase()).join(' ')

/** English endings that do not change what is meant; cruder than a stemmer, and the same on both sides. */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word
  const short = word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '')
  const bare = short.replace(/(ing|ed)$/, '')
  return (bare.length < 3 ? short : bare).replace(/e$/, '')
}

/** Share of `words` that stand in `others` too; 0 when there are none. */
export function coverage(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (words.size === 0) return 0
  return [...words].filter((word) => others.has(word)).length / words.size
}

/** Sentences and lines; joined again they are the text. */
export const sentencesOf = (text: string): string[] =>
  text.match(/[^.!?。！？\n]*[.!?。！？\n]*\s*/gu)?.filter(Boolean) ?? []
