/** What a text asks for. A message is found when it has all of it. */
export interface MessageQuery {
  /** Beginnings of words, lower case; a single letter is a whole word. */
  words: string[]
  /** Characters of scripts without spaces between words, and emoji, to be found anywhere. */
  runs: string[]
  /** Words with signs that mean something, such as `c++`, to be found as they are. */
  literals: string[]
}

/** A pasted page is cut to its first words. */
const mostWords = 32
const mostRuns = 16
const longestWord = 100
const longestRun = 64

const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const runPattern = new RegExp(`[${unspaced}][${unspaced}\\p{M}ー]*|\\p{Extended_Pictographic}`, 'gu')
const wordPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const signed = /[\p{L}\p{N}]+[+#]+/gu

/** Whatever is typed is text: nothing in it is an operator. */
export function messageQuery(text: string): MessageQuery {
  const plain = text.normalize('NFC').toLowerCase()
  const runs = distinct(plain.match(runPattern)).slice(0, mostRuns)
  const words = distinct(plain.replace(runPattern, ' ').match(wordPattern)).slice(0, mostWords)
  return {
    words: words.map((word) => cutTo(word, longestWord)),
    runs: runs.map((run) => cutTo(run, longestRun)),
    literals: distinct(plain.match(signed)).slice(0, mostWords),
  }
}

const distinct = (found: readonly string[] | null): string[] => [...new Set(found ?? [])]

const cutTo = (text: string, most: number): string => [...text].slice(0, most).join('')

/** The words as an FTS5 expression. */
export const wordsExpression = (words: readonly string[]): string =>
  words.map((word) => (word.length === 1 ? `"${word}"` : `"${word}" *`)).join(' AND ')
