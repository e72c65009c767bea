// Wall clocks and calendar days, by `Temporal`; `index.tsx` loads a polyfill where the browser has none.

/** An instant (milliseconds) on the wall clock of `zone`: `2026-11-22T09:00`, the format of date fields. */
export const wallOf = (instant: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(instant)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'minute' })

/** The instant of a wall clock time or a date. A time that a clock change skips is moved past the gap. */
export const instantOf = (wall: string, zone: string): number =>
  Temporal.PlainDateTime.from(wall).toZonedDateTime(zone).epochMilliseconds

export const isoOf = (wall: string, zone: string): string => new Date(instantOf(wall, zone)).toISOString()

/** The day of an instant in `zone`: `2026-11-22`. */
export const dayOf = (instant: number, zone: string): string => wallOf(instant, zone).slice(0, 10)

export const addDays = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString()

export type Extent = 'month' | 'week'

/** Whole weeks from Monday that contain the month or the week of `day`; `end` is exclusive. */
export function spanOf(day: string, extent: Extent): { start: string; end: string } {
  const date = Temporal.PlainDate.from(day)
  const first = extent === 'month' ? date.with({ day: 1 }) : date
  const last = extent === 'month' ? date.with({ day: date.daysInMonth }) : date
  return {
    start: first.subtract({ days: first.dayOfWeek - 1 }).toString(),
    end: last.add({ days: 8 - last.dayOfWeek }).toString(),
  }
}

/** The day to show for the next (`by` 1) or the previous (-1) month or week. */
export const stepped = (day: string, extent: Extent, by: 1 | -1): string =>
  extent === 'week'
    ? addDays(day, 7 * by)
    : Temporal.PlainDate.from(day).with({ day: 1 }).add({ months: by }).toString()

/** Whether a time of a schedule has an offset. Without one it is on the wall clock of the schedule's zone. */
export const isAbsolute = (datetime: string): boolean => /(?:Z|[+-]\d\d:?\d\d)$/i.test(datetime)

/** A time of a schedule for a date field. */
export const fieldOf = (datetime: string, zone: string): string =>
  isAbsolute(datetime) ? wallOf(Date.parse(datetime), zone) : datetime.replace(' ', 'T').slice(0, 16)
