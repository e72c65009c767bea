import type { CalendarEvent } from '../../../api/scheduler.ts'
import { locale } from '../../../parts/locale.ts'
import { addDays, dayOf, weekdayOf } from '../schedule/wall-clock.ts'

export type Extent = 'month' | 'week'
export type Days = ReadonlyMap<string, readonly CalendarEvent[]>

/** Whole weeks from Monday on; `end` is the day behind the last. */
export function spanOf(day: string, extent: Extent): { start: string; end: string } {
  const first = extent === 'month' ? `${day.slice(0, 7)}-01` : day
  const start = addDays(first, -weekdayOf(first))
  if (extent === 'week') return { start, end: addDays(start, 7) }
  const last = addDays(nextMonth(day), -1)
  return { start, end: addDays(last, 7 - weekdayOf(last)) }
}

export const stepped = (day: string, extent: Extent, by: 1 | -1): string => {
  if (extent === 'week') return addDays(day, 7 * by)
  return by === 1 ? nextMonth(day) : `${addDays(`${day.slice(0, 7)}-01`, -1).slice(0, 7)}-01`
}

const nextMonth = (day: string) => `${addDays(`${day.slice(0, 7)}-28`, 4).slice(0, 7)}-01`

export function byDay(events: readonly CalendarEvent[], zone: string): Days {
  return Map.groupBy(
    events.toSorted((left, right) => left.at.localeCompare(right.at)),
    ({ at }) => dayOf(Date.parse(at), zone),
  )
}

const format = (day: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' }).format(new Date(`${day}T00:00Z`))

export const titleOf = (day: string, extent: Extent): string =>
  extent === 'month'
    ? format(day, { month: 'long', year: 'numeric' })
    : `Week of ${format(spanOf(day, 'week').start, { day: 'numeric', month: 'long', year: 'numeric' })}`

export const longDay = (day: string) => format(day, { weekday: 'long', day: 'numeric', month: 'long' })
export const shortDay = (day: string) => format(day, { weekday: 'short' })

/** The names of the days, Monday first. */
export const weekdays = (): string[] =>
  Array.from({ length: 7 }, (_, index) => shortDay(addDays('2024-01-01', index)))
