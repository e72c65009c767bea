import { unspaced, unspacedRun } from './retrieval/pairs.ts'
import { signsIn } from './retrieval/signs.ts'
import { stopWords } from './stop-words.ts'
import { wordPattern } from './words.ts'

/**
 * How a text is looked for: `index` is an FTS5 expression; `scan` are fragments as well, pairs of characters of scripts
 * that put no spaces between words and signs such as emoji, which the index of words does not keep, and words, if any,
 * beside them; `nothing` matches nothing.
 */
export type KeywordQuery =
  | { kind: 'index'; words: string[]; expression: string }
  | { kind: 'scan'; fragments: string[]; words: string[] }
  | { kind: 'nothing' }

/** More words than a question has; a pasted page is cut to its first. */
const mostWords = 32
const mostFragments = 16
const mostCompounds = 8

/** Words joined by signs: `user-id`, an address, a path, a date, a version. An apostrophe joins nothing. */
const compound =
  /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[^\s\p{L}\p{N}\p{M}'’"]{1,3}[\p{L}\p{N}][\p{L}\p{M}\p{N}]*){1,15}/gu

/**
 * Natural language as a keyword query. Its words are joined by OR, for almost no question has all of its words in
 * one episode, and each is quoted, so that nothing in the text is an operator. What is joined by signs counts once
 * more as a whole, so that whatever has it whole comes first.
 */
export function keywordQuery(text: string): KeywordQuery {
  const plain = text.normalize('NFC').toLowerCase()
  const telling = tellingOf(plain)
  const words = [...compoundsOf(plain), ...telling.filter((word) => !unspaced.test(word))]
  const fragments = fragmentsOf(plain, telling)
  if (fragments.length > 0) {
    const parts = telling.filter((word) => unspaced.test(word)).flatMap((word) => word.split(unspacedRun))
    return { kind: 'scan', fragments, words: distinct([...words, ...parts.filter((part) => part !== '')]) }
  }
  return words.length === 0 ? { kind: 'nothing' } : { kind: 'index', words, expression: expressionOf(words) }
}

/** Finds the words of a query in an index of words; empty where it has none. */
export const wordExpression = (query: KeywordQuery): string =>
  query.kind === 'nothing' ? '' : expressionOf(query.words)

export const expressionOf = (words: readonly string[]): string =>
  words.flatMap((word) => [`"${word}"`, ...stemOf(word)]).join(' OR ')

/** Scripts whose words change their ends, which the index knows of English alone. */
const inflected = /^[\p{Script=Cyrillic}\p{Script=Greek}\p{M}]{5,}$/u

/** What other forms of a word begin with. The word itself matches twice, so it comes first. */
function stemOf(word: string): string[] {
  if (!inflected.test(word)) return []
  const letters = [...word]
  return [`"${letters.slice(0, letters.length < 7 ? -1 : -2).join('')}"*`]
}

const tellingOf = (text: string): string[] =>
  distinct(text.match(wordPattern) ?? [])
    .filter((word) => !stopWords.has(word))
    .slice(0, mostWords)

const compoundsOf = (text: string): string[] =>
  distinct((text.match(compound) ?? []).flatMap(phraseOf)).slice(0, mostCompounds)

/** Stop words count here: `AT&T` has no others. */
const phraseOf = (text: string): string[] =>
  unspaced.test(text) ? [] : [(text.match(wordPattern) ?? []).join(' ')]

/** The signs, and pairs of characters of the unspaced runs. */
function fragmentsOf(text: string, words: readonly string[]): string[] {
  const runs = words.flatMap((word) => word.match(unspacedRun) ?? [])
  return distinct([...signsIn(text).map(({ sign }) => sign), ...runs.flatMap(pairsOf)]).slice(
    0,
    mostFragments,
  )
}

function pairsOf(run: string): string[] {
  const characters = [...run]
  if (characters.length <= 2) return [run]
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

const distinct = (words: readonly string[]): string[] => [...new Set(words)]
