import { type Day, wallClock, zoneOffset } from './clock.ts'
import { findHoliday } from './holidays.ts'

export interface DateReading {
  day: Day
  /** Minutes after midnight when a time was given. */
  minute: number | undefined
  /** Milliseconds since the epoch. */
  instant: number
  /** The words that were read, and where they stand. */
  words: string
  index: number
}

export interface Reference {
  now: number
  timezone: string
}

/** All dates in an English text, read from the reference's day. chrono is loaded when first used. */
export async function readDates(text: string, reference: Reference, forward = false): Promise<DateReading[]> {
  const { casual } = await import('chrono-node/en')
  const offset = zoneOffset(reference.now, reference.timezone)
  const found = casual.parse(
    text,
    { instant: new Date(reference.now), timezone: offset },
    { forwardDate: forward },
  )
  return found.map(({ start, text: words, index }) => ({
    day: { year: start.get('year') ?? 0, month: start.get('month') ?? 1, day: start.get('day') ?? 1 },
    minute: start.isCertain('hour') ? (start.get('hour') ?? 0) * 60 + (start.get('minute') ?? 0) : undefined,
    instant: start.date().getTime(),
    words,
    index,
  }))
}

/** The one day that a text names: a holiday or a date. Undefined when none is read. */
export async function readDay(
  text: string,
  reference: Reference,
  forward = false,
): Promise<DateReading | undefined> {
  const holiday = findHoliday(text, wallClock(reference.now, reference.timezone))
  if (holiday) {
    const instant = Date.UTC(holiday.day.year, holiday.day.month - 1, holiday.day.day)
    return {
      day: holiday.day,
      minute: undefined,
      instant,
      words: holiday.name,
      index: text.indexOf(holiday.name),
    }
  }
  const plain = text
    .replace(/\b(?:the )?day after tomorrow\b/i, 'in 2 days')
    .replace(/\b(?:the )?day before yesterday\b/i, '2 days ago')
  return (await readDates(plain, reference, forward))[0]
}
