/**
 * What is no word and is looked for all the same: emoji and other pictures, and names that end or begin with a sign
 * (`C++`, `C#`, `.NET`), of which the index of words keeps the letters alone.
 */
const looks = '[\\u{1F3FB}-\\u{1F3FF}\\u{FE0F}\\u{E0020}-\\u{E007F}]*'
const picture = `[\\p{Extended_Pictographic}\\p{So}]${looks}`
const emoji = `\\p{RI}{2}|[#*\\d]\\u{FE0F}?\\u{20E3}|${picture}(?:\\u{200D}${picture})*`
const name =
  '(?<![\\p{L}\\p{N}])\\p{L}{1,20}(?:\\+{2,3}|[+#](?![\\p{L}\\p{N}+#]))|(?<![\\p{L}\\p{N}.])\\.\\p{L}{2,20}'
const pattern = new RegExp(`${emoji}|${name}`, 'giu')

/** Colour of skin and the request to be shown as a picture: the same sign with and without. */
const unimportant = /[\u{1F3FB}-\u{1F3FF}\u{FE0F}]/gu

export interface Sign {
  /** Its plain form, the same for all that look alike. */
  sign: string
  index: number
  length: number
}

/** The signs of a text, where they stand. */
export const signsIn = (text: string): Sign[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
    sign: found.replace(unimportant, '').toLowerCase(),
    index,
    length: found.length,
  }))

/** True for a fragment of a query that is a sign. */
export const isSign = (fragment: string): boolean => signsIn(fragment)[0]?.length === fragment.length

/** A sign as a word of plain letters and digits; never that of a pair, which has a z. */
export const signWord = (sign: string): string =>
  [...sign].map((character) => `q${(character.codePointAt(0) ?? 0).toString(16)}`).join('')

/** A sign as the index keeps it: a family is found by itself and by each of its members. */
export function signWords(sign: string): string[] {
  const parts = sign.split('\u200D')
  return (parts.length > 1 ? [sign, ...parts] : [sign]).map(signWord)
}
