import { isTimeZone, minute } from '../time.ts'
import { offsetAt } from '../zones/offsets.ts'

/** The moment and the IANA zone from which words such as "tomorrow" are read. */
export interface Reference {
  now: number
  timezone: string
}

export interface DateReading {
  day: { year: number; month: number; day: number }
  /** Minutes after midnight if a time was given. */
  minute: number | undefined
  /** Milliseconds since the epoch. */
  instant: number
  /** The words that were read, and where they begin. */
  words: string
  index: number
}

/** All dates in an English text; `forward`: a weekday is the next one. chrono is loaded when first used. */
export async function readDates(text: string, { now, timezone }: Reference, forward = false): Promise<DateReading[]> {
  const { casual } = await import('chrono-node/en')
  const offset = offsetAt(isTimeZone(timezone) ? timezone : 'UTC', now) / minute
  return casual
    .parse(text, { instant: new Date(now), timezone: offset }, { forwardDate: forward })
    .map(({ start, text: words, index }) => ({
      day: { year: start.get('year') ?? 0, month: start.get('month') ?? 1, day: start.get('day') ?? 1 },
      minute: start.isCertain('hour') ? (start.get('hour') ?? 0) * 60 + (start.get('minute') ?? 0) : undefined,
      instant: start.date().getTime(),
      words,
      index,
    }))
}
