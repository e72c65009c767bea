import { translated } from './languages/index.ts'
import { digits } from './numbers.ts'
import { spelled } from './spelling.ts'

/** Lower case, plain signs and digits, in English. */
export function normalised(text: string, locale?: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[‘’`´]/g, "'")
    .replace(/[“”„«»"]/g, ' ')
    .replace(/[‐-―]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?;,]+$/, '')
  return digits(spelled(translated(plain, locale)))
    .replace(dayFirst, (_, date: string, month: string, year: string) =>
      [year, two(month), two(date)].join('-'),
    )
    .replace(everyNth, '$1 $2 $3')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Dates with dots have the day first wherever they are written. */
const dayFirst = /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g
/** "every third day" */
const everyNth =
  /\b(every|each) (\d+)(?:st|nd|rd|th) (days?|weeks?|months?|hours?|minutes?|years?)\b(?! (?:of|in)\b)/g

const two = (digits: string) => digits.padStart(2, '0')
