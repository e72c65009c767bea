import { CronPattern } from 'croner'
import { day, second } from '../time.ts'

/** What a cron expression asks for; wall-clock times are written as if they were UTC. */
export interface Cron {
  /** Its hours have a `*`, so it follows the wall clock; else its local times are fixed. */
  wildcard: boolean
  /** The first wall-clock time behind `wall` (milliseconds), or null when none comes. */
  next(wall: number): number | null
}

/** The expression as it is meant. Throws an `Error` whose text tells a person what is wrong with it. */
export function readCron(expression: string): Cron {
  const words = expression.trim()
  refuseOddities(words)
  const pattern = parse(words)
  const cron = { wildcard: hoursOf(words).includes('*'), next: (wall: number) => nextTime(pattern, wall) }
  if (cron.next(0) === null) throw new Error('asks for a day that never comes')
  return cron
}

const nicknames = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/i

/** The parser below takes dates, years and its own additions for expressions too. */
function refuseOddities(words: string): void {
  if (nicknames.test(words)) return
  if (words.startsWith('@')) throw new Error('takes @yearly, @monthly, @weekly, @daily and @hourly')
  const count = words.split(/\s+/).length
  if (words === '' || (count !== 5 && count !== 6))
    throw new Error('must have 5 fields (minute hour day month weekday), or 6 with seconds in front')
  const odd = words.match(/[^\w\s*/,#?-]|\b\d*W\b/i)
  if (odd) throw new Error(`has ${JSON.stringify(odd[0])}, which is not part of cron`)
}

function parse(words: string): CronPattern {
  try {
    return new CronPattern(words, undefined, { mode: '5-or-6-parts' })
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    throw new Error(message.replace(/^CronPattern:\s*/, ''))
  }
}

function hoursOf(words: string): string {
  if (words.startsWith('@')) return /hourly/i.test(words) ? '*' : '0'
  const fields = words.split(/\s+/)
  return fields.at(-4) ?? ''
}

/** A leap day on a given weekday is at most 40 years away. */
const farthest = 41 * 366 * day

function nextTime(pattern: CronPattern, wall: number): number | null {
  const from = Math.floor(wall / second) * second + second
  const today = Math.floor(from / day) * day
  if (isDay(pattern, new Date(today))) {
    const time = timeFrom(pattern, (from - today) / second)
    if (time !== null) return today + time * second
  }
  const date = nextDay(pattern, today + day, from + farthest)
  return date === null ? null : date + (timeFrom(pattern, 0) ?? 0) * second
}

function nextDay(pattern: CronPattern, from: number, until: number): number | null {
  for (let at = from; at < until; ) {
    const date = new Date(at)
    if (pattern.month[date.getUTCMonth()]) {
      if (isDay(pattern, date)) return at
      at += day
    } else at = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  }
  return null
}

/** The first time of day at or behind `seconds` after midnight. */
function timeFrom({ hour, minute, second }: CronPattern, seconds: number): number | null {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const later = (list: number[], from: number) => list.indexOf(1, from)
  const first = (at: number) => at * 3600 + later(minute, 0) * 60 + later(second, 0)
  if (hour[h]) {
    if (minute[m] && later(second, s) >= 0) return h * 3600 + m * 60 + later(second, s)
    const next = later(minute, m + 1)
    if (next >= 0) return h * 3600 + next * 60 + later(second, 0)
  }
  const next = later(hour, h + 1)
  return next < 0 ? null : first(next)
}

/** Day of month and day of week together mean either. */
function isDay(pattern: CronPattern, date: Date): boolean {
  if (!pattern.month[date.getUTCMonth()]) return false
  if (pattern.starDOM && pattern.starDOW) return true
  if (pattern.starDOM) return isWeekday(pattern, date)
  if (pattern.starDOW) return isMonthDay(pattern, date)
  return isMonthDay(pattern, date) || isWeekday(pattern, date)
}

const daysIn = (date: Date) =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()

const isMonthDay = (pattern: CronPattern, date: Date) =>
  pattern.day[date.getUTCDate() - 1] === 1 || (pattern.lastDayOfMonth && date.getUTCDate() === daysIn(date))

/** The parser marks the weekdays that count: bit n-1 for the nth of the month, bit 5 for the last. */
function isWeekday(pattern: CronPattern, date: Date): boolean {
  const marks = pattern.dayOfWeek[date.getUTCDay()] ?? 0
  const nth = Math.floor((date.getUTCDate() - 1) / 7)
  const last = date.getUTCDate() + 7 > daysIn(date)
  return (marks & (1 << nth)) !== 0 || (last && (marks & 32) !== 0)
}
