import type { Terms } from '../../english/highlight.ts'
import { stem } from '../../english/stem.ts'
import { isSymbol, symbolParts, symbolsIn } from '../../english/symbols.ts'
import { folded, stopWords, wordPattern } from '../../english/words.ts'

/** Scripts without spaces between words, and Korean, whose words carry their particles. */
const unspacedScripts = 'Han|Hiragana|Katakana|Hangul|Thai|Lao|Khmer|Myanmar'
  .split('|')
  .map((script) => `\\p{Script=${script}}`)
  .join('')

const unspaced = new RegExp(`[${unspacedScripts}]`, 'u')
const unspacedRun = new RegExp(`[${unspacedScripts}][${unspacedScripts}\\p{M}ー]*`, 'gu')

/**
 * Encodes a symbol as an index term of letters and digits. It has no `z`, so it never equals a bigram's term.
 */
const symbolTerm = (symbol: string): string =>
  [...symbol].map((character) => `q${(character.codePointAt(0) ?? 0).toString(16)}`).join('')

/**
 * The index terms of a symbol: a combined emoji, such as a family, is also indexed under each of its members.
 */
const symbolTerms = (symbol: string): string[] => symbolParts(symbol).map(symbolTerm)

const code = (character: string): string => (character.codePointAt(0) ?? 0).toString(36)

/** Encodes two characters as an index term of letters and digits, which every tokenizer keeps whole. */
const bigram = (first: string, second: string): string => `${code(first)}z${code(second)}`

/**
 * The content of the column `pairs` for a text: the character bigrams of its unspaced runs, and its symbols.
 * The last character of a run is a term of its own, so that every character is the first half of some term.
 */
export function bigramTerms(text: string): string {
  const plain = text.normalize('NFC')
  const runs = plain.toLowerCase().match(unspacedRun) ?? []
  const bigrams = runs.flatMap((run) => {
    const characters = [...run]
    return characters.map((character, index) => bigram(character, characters[index + 1] ?? ''))
  })
  return [...bigrams, ...symbolsIn(plain).flatMap(({ symbol }) => symbolTerms(symbol))].join(' ')
}

/** The FTS5 expression that matches fragments of a query: symbols, and runs of one or two characters. */
export const bigramExpression = (fragments: readonly string[]): string =>
  fragments
    .map((fragment) => {
      if (isSymbol(fragment)) return `"${symbolTerm(fragment)}"`
      const [first = '', second = ''] = [...fragment]
      return second === '' ? `"${code(first)}z"*` : `"${bigram(first, second)}"`
    })
    .join(' OR ')

/**
 * A text as a keyword query. `words` needs the word index only. `fragments` needs the bigram index for
 * symbols and for scripts without spaces, and the word index for the remaining words. `empty` matches
 * nothing.
 */
export type KeywordQuery =
  | { kind: 'words'; words: string[]; expression: string }
  | { kind: 'fragments'; fragments: string[]; words: string[] }
  | { kind: 'empty' }

/** More words than any question has. Of a pasted page only the first words are used. */
const maxWords = 32
const maxFragments = 16
const maxCompounds = 8

/**
 * Words joined by punctuation: `user-id`, an email address, a path, a date, a version. An apostrophe joins
 * nothing.
 */
const compound =
  /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[^\s\p{L}\p{N}\p{M}'’"]{1,3}[\p{L}\p{N}][\p{L}\p{M}\p{N}]*){1,15}/gu

/**
 * Converts natural language to a keyword query. Words are joined by OR, because almost no episode contains
 * all the words of a question, and each is quoted, so that nothing in the text is an operator. A compound is
 * added as a phrase, so that exact matches rank first.
 */
export function keywordQuery(text: string): KeywordQuery {
  const plain = text.normalize('NFC').toLowerCase()
  const searched = searchedWords(plain)
  const words = [...compoundsOf(plain), ...searched.filter((word) => !unspaced.test(word))]
  const fragments = fragmentsOf(plain, searched)
  if (fragments.length > 0) {
    const parts = searched.filter((word) => unspaced.test(word)).flatMap((word) => word.split(unspacedRun))
    return {
      kind: 'fragments',
      fragments,
      words: distinct([...words, ...parts.filter((part) => part !== '')]),
    }
  }
  return words.length === 0 ? { kind: 'empty' } : { kind: 'words', words, expression: expressionOf(words) }
}

/** The expression for the word index; empty if the query has no words. */
export const wordExpression = (query: KeywordQuery): string => (query.kind === 'empty' ? '' : expressionOf(query.words))

export const expressionOf = (words: readonly string[]): string =>
  words.flatMap((word) => [`"${word}"`, ...prefixOf(word).map((prefix) => `"${prefix}"*`)]).join(' OR ')

/** Inflected scripts that the English stemmer of the index does not handle. */
const inflected = /^[\p{Script=Cyrillic}\p{Script=Greek}\p{M}]{5,}$/u

/** A prefix that matches other forms of a word. The exact word matches twice, so it ranks first. */
function prefixOf(word: string): string[] {
  if (!inflected.test(word)) return []
  const letters = [...word]
  return [letters.slice(0, letters.length < 7 ? -1 : -2).join('')]
}

/** What a query marks in the texts that it finds. */
export function termsOf(query: Exclude<KeywordQuery, { kind: 'empty' }>): Terms {
  const split = query.words.map((word) => word.split(' ').map((part) => stem(folded(part))))
  const words = new Set(split.filter(({ length }) => length === 1).flat())
  const prefixes = query.words.flatMap(prefixOf).map(folded)
  return {
    matches: (word) => words.has(stem(word)) || prefixes.some((prefix) => word.startsWith(prefix)),
    phrases: split.filter(({ length }) => length > 1),
    form: stem,
    fragments: query.kind === 'fragments' ? query.fragments : [],
  }
}

const searchedWords = (text: string): string[] =>
  distinct(text.match(wordPattern) ?? [])
    .filter((word) => !stopWords.has(word))
    .slice(0, maxWords)

/** Stop words are kept: `AT&T` consists of them. */
const compoundsOf = (text: string): string[] =>
  distinct(
    (text.match(compound) ?? [])
      .filter((match) => !unspaced.test(match))
      .map((match) => (match.match(wordPattern) ?? []).join(' ')),
  ).slice(0, maxCompounds)

/** The symbols of a text and the bigrams of its unspaced runs. */
function fragmentsOf(text: string, words: readonly string[]): string[] {
  const runs = words.flatMap((word) => word.match(unspacedRun) ?? [])
  const symbols = symbolsIn(text).map(({ symbol }) => symbol)
  return distinct([...symbols, ...runs.flatMap(bigramsOf)]).slice(0, maxFragments)
}

function bigramsOf(run: string): string[] {
  const characters = [...run]
  if (characters.length <= 2) return [run]
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

const distinct = (words: readonly string[]): string[] => [...new Set(words)]
