import { unspaced, unspacedRun } from './retrieval/pairs.ts'
import { stopWords } from './stop-words.ts'
import { wordPattern } from './words.ts'

/**
 * How a text is looked for: `index` is an FTS5 expression, `scan` are fragments to be found anywhere, for scripts
 * that put no spaces between words, which the index keeps as one word; `nothing` matches nothing.
 */
export type KeywordQuery =
  | { kind: 'index'; words: string[]; expression: string }
  | { kind: 'scan'; fragments: string[] }
  | { kind: 'nothing' }

/** More words than a question has; a pasted page is cut to its first. */
const mostWords = 32
const mostFragments = 16

/**
 * Natural language as a keyword query. Its words are joined by OR, for almost no question has all of its words in
 * one episode, and each is quoted, so that nothing in the text is an operator.
 */
export function keywordQuery(text: string): KeywordQuery {
  const words = distinct(text.normalize('NFC').toLowerCase().match(wordPattern) ?? [])
  const telling = words.filter((word) => !stopWords.has(word)).slice(0, mostWords)
  if (telling.length === 0) return { kind: 'nothing' }
  if (telling.some((word) => unspaced.test(word))) return { kind: 'scan', fragments: fragmentsOf(telling) }
  return { kind: 'index', words: telling, expression: expressionOf(telling) }
}

export const expressionOf = (words: readonly string[]): string =>
  words.map((word) => `"${word}"`).join(' OR ')

/** Pairs of characters of the unspaced runs, and the other words whole. */
function fragmentsOf(words: string[]): string[] {
  const others = words.flatMap((word) => word.split(unspacedRun)).filter((part) => part !== '')
  const runs = words.flatMap((word) => word.match(unspacedRun) ?? [])
  return distinct([...others, ...runs.flatMap(pairsOf)]).slice(0, mostFragments)
}

function pairsOf(run: string): string[] {
  const characters = [...run]
  if (characters.length <= 2) return [run]
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

const distinct = (words: readonly string[]): string[] => [...new Set(words)]
