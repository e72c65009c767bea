/** The commonest phrases of a language, put into English word for word, in this order. */
export interface ScheduleLanguage {
  code: string
  /** Words that only it has; two letters of them decide which language a text is in. */
  marks: RegExp
  phrases(): Phrases
}

type Phrases = readonly [RegExp, string][]

/** Made when a text is first in this language: so many patterns take some 10 ms. */
export function once(make: () => Phrases): () => Phrases {
  let made: Phrases | undefined
  return () => (made ??= make())
}

/** Pairs of words and their English, as whole words. */
export function wordList(pairs: readonly [string, string][]): [RegExp, string][] {
  return pairs.map(([from, to]) => [new RegExp(`(?<![\\p{L}\\d])(?:${from})(?![\\p{L}\\d])`, 'gu'), to])
}
