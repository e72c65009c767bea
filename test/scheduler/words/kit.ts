import { parseWords } from '../../../runtime/english/schedules/parse.ts'
import { nextRun } from '../../../runtime/schedules/next-run.ts'
import type { Schedule } from '../../../runtime/schedules/schedule.ts'
import { iso } from '../../../runtime/time.ts'

/** The words, the schedule in short, and its first time in UTC. */
export type Phrase = [words: string, schedule: string, next: string]

/** A Monday, 13:00 in Berlin. */
export const monday = Date.parse('2026-01-05T12:00:00Z')
export const berlin = 'Europe/Berlin'

/** What the words give: the schedule in short, with its zone where that is not the person's, and its first time. */
export async function readShort(words: string, now = monday, zone = berlin): Promise<[string, string]> {
  const read = await parseWords(words, { now, zone })
  if (!read.ok) return [`refused: ${read.reason}`, '']
  const next = nextRun(read.schedule, now, { zone, anchor: now })
  const { timezone } = read.schedule
  return [
    `${short(read.schedule)}${timezone === zone ? '' : ` ${timezone}`}`,
    next === null ? '' : iso(next).slice(0, 16),
  ]
}

export function short(schedule: Schedule): string {
  if (schedule.type === 'at') return `at ${schedule.datetime}`
  if (schedule.type === 'cron') return [schedule.expression, ...(schedule.also ?? [])].join(' | ')
  return `every ${schedule.interval}${schedule.starts_at === undefined ? '' : ` from ${schedule.starts_at}`}`
}
