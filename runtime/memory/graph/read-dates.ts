import { readDates } from '../../models/offline/dates.ts'
import { iso } from '../../time.ts'

export interface Span {
  valid_at: string | null
  ended_at: string | null
}

interface Found {
  at: string
  before: string
}

/** Years that a memory may speak of; what is beyond is a misreading. */
const plausible = (at: number) => at > Date.UTC(1900, 0) && at < Date.UTC(2200, 0)

/** From when and until when a sentence says that it holds. `now`: when it was said, in milliseconds since the epoch. */
export async function spanOf(sentence: string, now: number): Promise<Span> {
  if (
    !/\d|day|week|month|year|morning|evening|night|[a-z]{3}\w*ber\b|jan|feb|mar|apr|may|june?|july?|aug/i.test(
      sentence,
    )
  )
    return { valid_at: null, ended_at: null }
  const found = [...years(sentence), ...(await dates(sentence, now))]
  const ends = /\b(until|till|through|to)\s+$/i
  return {
    valid_at: found.find(({ before }) => !ends.test(before))?.at ?? null,
    ended_at: found.find(({ before }) => ends.test(before))?.at ?? null,
  }
}

/** "since 2020": chrono reads a year only beside a month. */
const years = (sentence: string): Found[] =>
  [...sentence.matchAll(/(?<=\b(?:in|since|from|until|till|through|to)\s+)(19|20)\d\d\b(?!-)/gi)].map(
    ({ 0: year, index }) => ({
      at: `${year}-01-01T00:00:00.000Z`,
      before: sentence.slice(0, index),
    }),
  )

async function dates(sentence: string, now: number): Promise<Found[]> {
  const found = await readDates(sentence, { now, timezone: 'UTC' })
  return found
    .filter(({ instant }) => plausible(instant))
    .map(({ day, minute = 0, words, index }) => ({
      at: iso(Date.UTC(day.year, day.month - 1, day.day) + minute * 60_000),
      before: `${sentence.slice(0, index)}${/^(?:until|till)\s/i.exec(words)?.[0] ?? ''}`,
    }))
}
