import words from '../words.json' with { type: 'json' }
import grammar from './grammar.json' with { type: 'json' }
import { phrase, rewritten } from './grammar.ts'

/** Lower case, plain punctuation and digits. */
export function normalised(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[‘’`´]/g, "'")
    .replace(/[“”„«»"]/g, ' ')
    .replace(/[‐-―]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![.!?;,])[.!?;,]+$/, '')
  return withDigits(corrected(plain)).trim()
}

const ordinals = grammar.ordinals.split(' ')
const numbers = new Map([
  ...words.small.split(' ').map((word, value) => [word, value] as const),
  ...words.tens.split(' ').map((word, index) => [word, (index + 2) * 10] as const),
])
const suffixed = (value: number) =>
  `${value}${{ 1: 'st', 2: 'nd', 3: 'rd' }[value > 10 && value < 14 ? 0 : value % 10] ?? 'th'}`

/**
 * Number words as digits: "twenty-five" → 25, "third" → 3rd, "half an hour" → 30 minutes. "second" is also a unit: it
 * is an ordinal only before something countable or another ordinal.
 */
function withDigits(text: string): string {
  const counted = rewritten(text, grammar.rewritten)
    .replace(phrase('second_of_many', 'g'), '2nd')
    .replace(/\b(\p{L}+ty)[- ](\p{L}+)\b/gu, (all, ten: string, one: string) => {
      const [tens, ones = 0] = [numbers.get(ten), numbers.get(one)]
      return tens && ones > 0 && ones < 10 ? String(tens + ones) : all
    })
    .replace(/\p{L}+/gu, (word) => {
      const place = word === 'second' ? 0 : ordinals.indexOf(word) + 1
      return place > 0 ? suffixed(place) : String(numbers.get(word) ?? word)
    })
  return rewritten(counted, grammar.rewritten_numbers)
}

const days = grammar.spelled_days.split(' ')
const exceptions = new Set(grammar.not_days.split(' '))

/** Corrects names of days with one letter wrong, missing, doubled or swapped. */
function corrected(text: string): string {
  return text.replace(/\p{L}{5,11}/gu, (word) => {
    const stem = word.replace(/s$/, '')
    if (exceptions.has(word) || days.includes(word) || days.includes(stem)) return word
    const meant = (typo: string) => days.find((day) => isOneEditAway(typo, day))
    return stem !== word && meant(stem) ? `${meant(stem)}s` : (meant(word) ?? word)
  })
}

function isOneEditAway(word: string, meant: string): boolean {
  let start = 0
  while (start < word.length && word[start] === meant[start]) start += 1
  const [rest, right] = [word.slice(start), meant.slice(start)]
  if (rest.slice(1) === right || rest === right.slice(1) || rest.slice(1) === right.slice(1)) return true
  return rest[0] === right[1] && rest[1] === right[0] && rest.slice(2) === right.slice(2)
}
