import type { Days } from './days.ts'
import type { Frequency, Unit } from './frequency.ts'
import type { Reference } from './moment.ts'
import type { Notes } from './reading.ts'
import type { Times, Window } from './times.ts'

/** What the rules have read of a schedule that comes again. */
export interface Parts {
  frequency: Frequency
  days: Days
  times: Times
  window: Window | null
  /** Wall-clock moment of "starting …": a date, with a time where one was given. */
  start: { date: number; time: number | null } | null
  /** Minutes of each hour: "at :15". */
  minutes: number[] | null
  /** "by the clock": counted from midnight, not from now. */
  clock: boolean
}

export interface Scene extends Reference {
  notes: Notes
}

/** Of one unit; months and years have no fixed length. */
export const seconds: Record<Unit, number> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 0,
  year: 0,
}
