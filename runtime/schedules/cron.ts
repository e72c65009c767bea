import { CronPattern, Cron as Matcher } from 'croner'
import { errorMessage } from '../thrown.ts'

/** A cron expression on a clock without a time zone: local times are written as if they were UTC. */
export interface Cron {
  /** Its hour field has a `*`, so it follows the wall clock; otherwise its local times are fixed. */
  wildcard: boolean
  /** The first matching local time after `local` (milliseconds), or null if there is none. */
  next(local: number): number | null
}

const options = { mode: '5-or-6-parts', utcOffset: 0, paused: true } as const

/** Parses an expression. Throws an `Error` whose message explains to people what is wrong. */
export function readCron(expression: string): Cron {
  const text = expression.trim()
  refuseExtensions(text)
  const matcher = parsed(() => new Matcher(text, options))
  const next = (local: number) => matcher.nextRun(new Date(local))?.getTime() ?? null
  if (next(0) === null) throw new Error('asks for a day that never comes')
  return { wildcard: fieldsOf(matcher.getPattern() ?? text).hour.includes('*'), next }
}

/** croner also accepts dates, years and its own additions. */
function refuseExtensions(text: string): void {
  if (/^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/i.test(text)) return
  if (text.startsWith('@')) throw new Error('takes @yearly, @monthly, @weekly, @daily and @hourly')
  const count = text.split(/\s+/).length
  if (text === '' || (count !== 5 && count !== 6))
    throw new Error('must have 5 fields (minute hour day month weekday), or 6 with seconds in front')
  const unknown = text.match(/[^\w\s*/,#?-]|\b\d*W\b/i)
  if (unknown) throw new Error(`has ${JSON.stringify(unknown[0])}, which is not part of cron`)
}

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse()
  } catch (thrown) {
    const message = errorMessage(thrown)
    throw new Error(message.replace(/^CronPattern:\s*/, ''))
  }
}

function fieldsOf(pattern: string) {
  const fields = pattern.toLowerCase().split(/\s+/)
  const second = fields.length === 6 ? (fields.shift() ?? '0') : '0'
  const [minute = '', hour = ''] = fields
  return { second, minute, hour }
}

/** A cron expression as lists of numbers; null for every one. */
export interface CronFields {
  /** Null at second 0. */
  seconds: string | null
  minute: string
  hour: string
  minutes: number[]
  hours: number[]
  /** -1 is the last day of the month. */
  dates: number[] | null
  months: number[] | null
  weekdays: number[] | null
  nth: { nth: number; weekday: number }[]
}

/** Marks of a weekday in croner: bit n-1 for the nth of the month, bit 5 for the last. */
const [everyOne, last] = [0b11111, 0b100000]

/** The fields of a valid expression. */
export function cronFields(expression: string): CronFields {
  const pattern = new CronPattern(expression, undefined, options)
  const { second, ...fields } = fieldsOf(pattern.pattern)
  const weekdays = pattern.dayOfWeek.flatMap((marks, day) => ((marks & everyOne) === everyOne ? [day] : []))
  const nth = pattern.dayOfWeek.flatMap((marks, weekday) => {
    if ((marks & everyOne) === everyOne) return []
    const counts = [1, 2, 3, 4, 5].filter((count) => marks & (1 << (count - 1)))
    return [...counts, ...(marks & last ? [-1] : [])].map((nth) => ({ nth, weekday }))
  })
  return {
    seconds: second === '0' ? null : second,
    ...fields,
    minutes: indexes(pattern.minute),
    hours: indexes(pattern.hour),
    dates: pattern.starDOM ? null : [...indexes(pattern.day, 1), ...(pattern.lastDayOfMonth ? [-1] : [])],
    months: pattern.month.every(Boolean) ? null : indexes(pattern.month, 1),
    weekdays: pattern.starDOW || weekdays.length === 0 ? null : weekdays,
    nth: pattern.starDOW ? [] : nth,
  }
}

const indexes = (marks: ArrayLike<number>, first = 0): number[] =>
  Array.from(marks).flatMap((mark, index) => (mark ? [index + first] : []))
