import { patternsOf } from '../patterns.ts'
import words from '../words.json' with { type: 'json' }
import grammar from './grammar.json' with { type: 'json' }

/** Patterns of schedules in English. Their texts are in lower case. */
export const phrase = patternsOf({ ...grammar.patterns, unit: Object.keys(grammar.units).join('|') })

/** Replaces each pattern of a table by its text, in order. */
const rewritten = (text: string, table: Record<string, string>): string =>
  Object.entries(table).reduce((words, [from, to]) => words.replace(new RegExp(from, 'gu'), to), text)

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
  return withDigits(plain).trim()
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
