import { iso } from '../time.ts'
import type { BudgetWindow } from './budget-schema.ts'
import { dayAfter, dayLabel, startOfDay, zoneReader } from './zoned.ts'

export interface Span {
  /** Milliseconds since the epoch; a run has no time, only its calls. */
  since: number | null
  resets_at: number | null
  /** Names this occurrence, so that its warnings are told once. */
  key: string
}

/** The window that `now` lies in, by the days of `zone`; weeks begin on Monday. Pure. */
export function spanOf(window: BudgetWindow, now: number, at: { zone: string; run: string }): Span {
  if (window === 'run') return { since: null, resets_at: null, key: at.run }
  if (window === 'total') return { since: 0, resets_at: null, key: 'total' }
  const read = zoneReader(at.zone)
  const [first, next] = daysAround(window, dayLabel(read(now)))
  const since = startOfDay(first, read)
  return { since, resets_at: startOfDay(next, read), key: iso(since) }
}

/** The first day of the window that holds `today`, and the first of the one behind it. */
function daysAround(window: 'day' | 'week' | 'month', today: string): [string, string] {
  if (window === 'day') return [today, dayAfter(today)]
  if (window === 'week') {
    const sinceMonday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7
    const monday = dayAfter(today, -sinceMonday)
    return [monday, dayAfter(monday, 7)]
  }
  const first = `${today.slice(0, 7)}-01`
  return [first, `${dayAfter(first, 31).slice(0, 7)}-01`]
}
