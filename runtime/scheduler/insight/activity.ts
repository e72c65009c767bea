import type { Context } from '../../context.ts'
import { zoneReader } from '../../monitoring/zoned.ts'
import { day, iso } from '../../time.ts'
import { momentsByHand, momentsOfChat } from './store.ts'

/** Moments that are looked at: the latest ones. */
const most = 20_000

/** Something that a person did. */
export interface Moment {
  /** `2026-03-29`, on the clock of the wall. */
  date: string
  hour: number
  /** 0 Monday … 6 Sunday. */
  weekday: number
  /** What was started by hand; null for a message. */
  job: { id: string; name: string } | null
}

/** When the person was active over the last days, on the clock of the wall in `zone`. */
export async function activity(context: Context, zone: string, days: number): Promise<Moment[]> {
  const since = iso(context.clock.now() - days * day)
  const chat = await momentsOfChat(context, since, most)
  const byHand = await momentsByHand(context, since, most)
  const place = placer(zone)
  return [
    ...chat.map((at) => ({ ...place(at), job: null })),
    ...byHand.map(({ at, job_id, name }) => ({ ...place(at), job: { id: job_id, name } })),
  ]
}

/** Many moments share a minute, and reading the clock of a zone is what costs. */
function placer(zone: string): (minute: string) => Omit<Moment, 'job'> {
  const read = zoneReader(zone)
  const known = new Map<string, Omit<Moment, 'job'>>()
  return (minute) => {
    const found = known.get(minute)
    if (found) return found
    const { year, month, day: date, hour } = read(Date.parse(`${minute}:00Z`))
    const midnight = new Date(Date.UTC(year, month - 1, date))
    const placed = {
      date: midnight.toISOString().slice(0, 10),
      hour,
      weekday: (midnight.getUTCDay() + 6) % 7,
    }
    known.set(minute, placed)
    return placed
  }
}

export interface Heatmap {
  timezone: string
  /** 24 rows, one for each hour, of 7 counts, Monday first. */
  grid: number[][]
  max: number
}

export function heatmapOf(moments: readonly Moment[], timezone: string): Heatmap {
  const grid = Array.from({ length: 24 }, () => Array<number>(7).fill(0))
  let max = 0
  for (const { hour, weekday } of moments) {
    const row = grid[hour]
    if (!row) continue
    row[weekday] = (row[weekday] ?? 0) + 1
    max = Math.max(max, row[weekday] ?? 0)
  }
  return { timezone, grid, max }
}
