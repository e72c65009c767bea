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
  return (text.normalize('NFC').match(wordPattern) ?? []).flatMap((word) =>
    unspaced.test(word) ? segments(word) : [word],
  )
}

function segments(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  return [...segmenter.segment(text)].map(({ segment }) => segment)
}

/** The distinct stemmed words of a text in lower case, without stop words. */
export function keywordsOf(text: string): Set<string> {
  const words = wordsOf(text).map((word) => word.toLowerCase())
  return new Set(words.filter((word) => !stopWords.has(word)).map(stem))
}

/** The words of a text in lower case, so that texts can be compared regardless of case, spacing and punctuation. */
export const normalizedText = (text: string): string => wordsOf(text.toLowerCase()).join(' ')

/** Strips English inflections. Cruder than the Porter stemmer of FTS5, which SQLite does not expose. */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word
  const short = word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '')
  const bare = short.replace(/(ing|ed)$/, '')
  return (bare.length < 3 ? short : bare).replace(/e$/, '')
}

/** The share of `words` that `others` contains; 0 if there are none. */
export function coverage(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (words.size === 0) return 0
  return [...words].filter((word) => others.has(word)).length / words.size
}

/** Splits a text into sentences and lines. Joined, they are the text again. */
export const sentencesOf = (text: string): string[] =>
  text.match(/[^.!?。！？\n]*[.!?。！？\n]*\s*/gu)?.filter(Boolean) ?? []
