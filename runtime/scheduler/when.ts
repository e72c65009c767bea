import { readDates } from '../models/offline/dates/read.ts'
import { iso } from '../time.ts'
import { nextRun } from './next-run.ts'
import { Schedule } from './schema.ts'

export interface Reference {
  /** Milliseconds since the epoch. */
  now: number
  timezone: string
}

const units: Record<string, number> = { second: 1, minute: 60, hour: 3_600, day: 86_400, week: 604_800 }

/** A schedule as an agent writes it: a cron expression, "every 2 hours", an ISO time, or a moment in plain words. */
export async function readWhen(text: string, { now, timezone }: Reference): Promise<Schedule | null> {
  const words = text.trim()
  const candidates = [
    { type: 'cron', expression: words, timezone },
    { type: 'every', interval: intervalOf(words), timezone },
    { type: 'at', datetime: words, timezone },
    { type: 'at', datetime: await momentOf(words, { now, timezone }), timezone },
  ]
  for (const candidate of candidates) {
    const read = Schedule.safeParse(candidate)
    if (read.success && nextRun(read.data, now, { zone: timezone, anchor: now }) !== null) return read.data
  }
  return null
}

function intervalOf(words: string): number | null {
  const found = words.match(/^every(?: (\d+))? (second|minute|hour|day|week)s?$/i)
  return found ? Number(found[1] ?? 1) * (units[found[2]?.toLowerCase() ?? ''] ?? 0) : null
}

/** Words that name a repetition are not taken for their first time. */
async function momentOf(words: string, reference: Reference): Promise<string | null> {
  if (/\b(?:every|each|daily|hourly|weekly|monthly|yearly|\w+days)\b/i.test(words)) return null
  const [date] = await readDates(words, reference, true)
  return date ? iso(date.instant) : null
}
