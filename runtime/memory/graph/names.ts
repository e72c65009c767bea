/** Characters of a name; more is a sentence. */
export const nameLimit = 120

/** The name as it is shown: one line, no control characters, no possessive, no marks around it; empty when nothing is left. */
export function cleanName(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/^[\s"'“”‘’([{]+|[\s"“”‘’)\]}.,;:!?]+$/gu, '')
    .replace(/['’]s?$/u, '')
    .slice(0, nameLimit)
    .toWellFormed()
    .trim()
}

/** What two spellings of one name have in common: neither case, accents, possessive nor spacing tell things apart. */
export function nameKey(name: string): string {
  const plain = cleanName(name).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.replace(/[\s_-]+/gu, ' ').trim()
}

/** A type of fact: `Works for` → `works_for`. */
export const predicateKey = (text: string): string =>
  nameKey(text)
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60)
