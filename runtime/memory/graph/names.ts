import predicates from './predicates.json' with { type: 'json' }

/** Maximum length of a name in characters. Anything longer is a sentence. */
export const nameLimit = 120

/** A name for display: one line without control characters, possessive ending or surrounding punctuation; may be empty. */
export function cleanName(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/^[\s"'“”‘’([{]+|(?<![\s"“”‘’)\]}.,;:!?])[\s"“”‘’)\]}.,;:!?]+$/gu, '')
    .replace(/['’]s?$/u, '')
    .slice(0, nameLimit)
    .toWellFormed()
    .trim()
}

/** The key of a name, equal for all its spellings: case, accents, possessive and spacing do not matter. */
export function nameKey(name: string): string {
  const plain = cleanName(name).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.replace(/[\s_-]+/gu, ' ').trim()
}

/** A predicate in snake case: `Works for` → `works_for`. */
const predicateKey = (text: string): string =>
  nameKey(text)
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60)

/** Predicates with their synonyms. */
const meanings = new Map(
  Object.entries(predicates.synonyms).flatMap(([meaning, words]) =>
    words.split(' ').map((word) => [word, meaning] as const),
  ),
)

/** Predicates with one value at a time: a newer fact ends the older one. */
const exclusive: ReadonlySet<string> = new Set(predicates.exclusive.split(' '))

/** The canonical predicate for a phrase; empty for an empty phrase. */
export function predicateOf(words: string): string {
  const key = predicateKey(words)
  return meanings.get(key) ?? key
}

export const isExclusive = (predicate: string): boolean => exclusive.has(predicate)
