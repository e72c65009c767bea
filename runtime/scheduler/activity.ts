import { z } from 'zod'
import { owned } from '../auth/owner.ts'
import { userMessageTimes } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { sumOf } from '../numbers.ts'
import { day, iso, minute as minutes } from '../time.ts'
import { zoneReader } from '../zones/wall-clock.ts'
import { manualRunTimes } from './run-store.ts'

/** The number of latest activities considered, per kind. */
const maxMoments = 20_000

export interface Moment {
  /** `2026-03-29`, in local time. */
  date: string
  hour: number
  /** 0 Monday … 6 Sunday. */
  weekday: number
  /** The job that was started by hand; null for a chat message. */
  job: { id: string; name: string } | null
}

/** When the person was active over the last days, in local time of `zone`. */
export async function activity(context: Context, zone: string, days: number): Promise<Moment[]> {
  const since = iso(context.clock.now() - days * day)
  const messages = await userMessageTimes(context, since, maxMoments)
  const runs = await manualRunTimes(context, since, maxMoments, owned(context))
  const localTime = localTimeReader(zone)
  return [
    ...messages.map((at) => ({ ...localTime(at), job: null })),
    ...runs.map(({ at, job_id, name }) => ({ ...localTime(at), job: { id: job_id, name } })),
  ]
}

/** Reading the local time is what costs, and it is the same hour for a quarter of an hour: zones differ by quarters. */
function localTimeReader(zone: string): (minute: string) => Omit<Moment, 'job'> {
  const read = zoneReader(zone)
  const cache = new Map<number, Omit<Moment, 'job'>>()
  return (minute) => {
    const at = Date.parse(`${minute}:00Z`)
    const quarter = at - (at % (15 * minutes))
    const cached = cache.get(quarter)
    if (cached) return cached
    const { year, month, day: date, hour } = read(quarter)
    const midnight = new Date(Date.UTC(year, month - 1, date))
    const local = {
      date: midnight.toISOString().slice(0, 10),
      hour,
      weekday: (midnight.getUTCDay() + 6) % 7,
    }
    cache.set(quarter, local)
    return local
  }
}

export interface Heatmap {
  timezone: string
  /** 24 rows, one per hour, of 7 counts, Monday first. */
  grid: number[][]
  max: number
}

export function heatmapOf(moments: readonly Moment[], timezone: string): Heatmap {
  const grid = Array.from({ length: 24 }, () => Array<number>(7).fill(0))
  for (const { hour, weekday } of moments) {
    const row = grid[hour]
    if (row) row[weekday] = (row[weekday] ?? 0) + 1
  }
  return { timezone, grid, max: Math.max(...grid.flat()) }
}

export const Suggestion = z.object({
  /** `09:00` */
  time: z.string(),
  days: z.array(z.string()),
  reason: z.string(),
  /** The job that is repeatedly started by hand; null for chat messages. */
  job_id: z.string().nullable(),
})
export type Suggestion = z.output<typeof Suggestion>

/** Days that suggestions are based on: four weeks. */
export const suggestionDays = 28

/** Weeks of the four in which the same hour of the same weekday must recur. */
const minWeeks = 3

const maxSuggestions = 5

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** Hours that recur week after week. Pure. Less than three weeks of activity gives no suggestions. */
export function suggestionsOf(moments: readonly Moment[]): Suggestion[] {
  const subjects = Map.groupBy(moments, ({ job }) => job?.id ?? null)
  return [...subjects.values()]
    .flatMap(habitsOf)
    .sort((left, right) => right.times - left.times)
    .slice(0, maxSuggestions)
    .map(({ times: _, ...suggestion }) => suggestion)
}

interface Habit extends Suggestion {
  times: number
}

function habitsOf(moments: Moment[]): Habit[] {
  const hours = Map.groupBy(moments, ({ hour }) => hour)
  return [...hours].flatMap(([hour, those]) => {
    const weekdays = Map.groupBy(those, ({ weekday }) => weekday)
    const recurring = [...weekdays]
      .map(([weekday, days]) => ({ weekday, dates: new Set(days.map(({ date }) => date)).size }))
      .filter(({ dates }) => dates >= minWeeks)
      .sort((left, right) => left.weekday - right.weekday)
    if (recurring.length === 0) return []
    const times = sumOf(recurring, ({ dates }) => dates)
    const job = moments[0]?.job ?? null
    const time = `${String(hour).padStart(2, '0')}:00`
    const did = job ? `You started “${job.name}” by hand` : 'You wrote to an agent'
    const until = `${String((hour + 1) % 24).padStart(2, '0')}:00`
    const reason = `${did} between ${time} and ${until} on ${times} days of the last four weeks`
    return [
      {
        time,
        days: recurring.map(({ weekday }) => days[weekday] ?? ''),
        reason,
        job_id: job?.id ?? null,
        times,
      },
    ]
  })
}
