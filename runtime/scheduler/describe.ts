import { type CronFields, cronFields } from '../schedules/cron.ts'
import { parseInstant } from '../schedules/next-run.ts'
import type { Schedule } from '../schedules/schedule.ts'
import { day, hour, minute, second } from '../time.ts'
import { clockText, dayOf, instantOf, localOf } from '../zones/offsets.ts'

export interface Viewer {
  /** The time zone of the reader; a schedule in another zone names its own. */
  zone: string
  /** Milliseconds since the epoch. */
  now: number
}

/** A schedule in English, in words that `parseWords` parses back into the same schedule. Pure. */
export function humanReadable(schedule: Schedule, viewer: Viewer): string {
  const zone = schedule.timezone ?? viewer.zone
  const words = inWords(schedule, { ...viewer, zone })
  const local = `${words[0]?.toUpperCase()}${words.slice(1)}`
  return zone === viewer.zone ? local : `${local} (${zone} time)`
}

function inWords(schedule: Schedule, viewer: Viewer): string {
  if (schedule.type === 'at') return `once, ${momentText(schedule.datetime, viewer)}`
  if (schedule.type === 'every') return everyText(schedule, viewer)
  const { expression, also } = schedule
  return also ? alsoText([expression, ...also]) : cronText(expression)
}

const units: readonly [string, number][] = [
  ['week', 7 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
  ['second', second],
]

/** One day is written as 24 hours and one week as 7 days, because "every day" means a time of day. */
function everyText(
  { interval, starts_at }: { interval: number; starts_at?: string | undefined },
  viewer: Viewer,
): string {
  const length = interval * second
  const fits = ([name, unit]: readonly [string, number]) =>
    length % unit === 0 && !(length === unit && (name === 'week' || name === 'day'))
  const [name, unit] = units.find(fits) ?? ['second', second]
  const count = length / unit
  const every = count === 1 ? `every ${name}` : `every ${count} ${name}s`
  return starts_at === undefined ? every : `${every} from ${startText(starts_at, viewer)}`
}

const isLocal = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text)

const startText = (text: string, viewer: Viewer) => (isLocal(text) ? dateAndTime(Date.parse(`${text}Z`), viewer) : text)

/** A local time that occurs twice is written as ISO with its offset. */
function momentText(text: string, viewer: Viewer): string {
  const at = parseInstant(text, viewer.zone)
  const local = localOf(viewer.zone, at)
  return instantOf(viewer.zone, local) === at && at % second === 0 ? dateAndTime(local, viewer) : text
}

function dateAndTime(local: number, { now, zone }: Viewer): string {
  const time = clockText((local - dayOf(local)) / second)
  const days = (dayOf(local) - dayOf(localOf(zone, now))) / day
  if (days === 0 || days === 1) return `${days === 0 ? 'today' : 'tomorrow'} at ${time}`
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'full' })
  return `${format.format(local).replace(',', '')} at ${time}`
}

/** The longest list of times; longer ones are written as steps. */
const maxTimes = 12

function alsoText(expressions: string[]): string {
  const all = expressions.map(cronFields)
  const days = all.map(daysText)
  const times = all.map(timesOf)
  const sameDays = days.every((text) => text !== null && text === days[0])
  const merged = times.every((list) => list !== null)
    ? [...new Set(times.flatMap((list) => list ?? []))].sort((a, b) => a - b)
    : null
  const time = sameDays && merged ? progression(merged) : null
  return time
    ? `${time} ${days[0]}`.replace(/^(at .+?) (every .*)$/, '$2 $1')
    : expressions.map(cronText).join('; also ')
}

function cronText(expression: string): string {
  const fields = cronFields(expression)
  const time = timeText(fields)
  const days = daysText(fields)
  if (time === null || days === null) return `by the cron expression ${expression}`
  return time.startsWith('at ') ? `${days} ${time}` : days === 'every day' ? time : `${time} ${days}`
}

/** Fixed times of day, in seconds after midnight; null if the hours have a `*`. */
function timesOf({ seconds, hour, minutes, hours }: CronFields): number[] | null {
  if (/\*/.test(hour) || (seconds !== null && !/^\d+$/.test(seconds))) return null
  return hours.flatMap((h) => minutes.map((m) => h * 3_600 + m * 60 + Number(seconds ?? 0)))
}

function timeText(fields: CronFields): string | null {
  const times = timesOf(fields)
  if (times) return progression(times)
  const { seconds, minute, hour, minutes } = fields
  if (seconds !== null) return secondsText(fields)
  const hours = /^\*\/(\d+)$/.exec(hour)?.[1]
  if (hour !== '*' && !hours) return null
  if (hours && minute === '0') return `every ${hours} hours by the clock`
  if (!hours && minute === '*') return 'every minute by the clock'
  const step = /^\*\/(\d+)$/.exec(minute)?.[1]
  if (!hours && step) return 60 % Number(step) === 0 ? `every ${step} minutes by the clock` : null
  if (!hours && minute === '0') return 'every hour by the clock'
  if (/[*/]/.test(minute) || minutes.length > maxTimes) return null
  const marks = list(minutes.map((each) => `:${String(each).padStart(2, '0')}`))
  return `every ${hours ? `${hours} hours` : 'hour'} at ${marks}`
}

function secondsText({ seconds, minute, hour }: CronFields): string | null {
  const step = /^\*\/(\d+)$/.exec(seconds ?? '')?.[1]
  return step && minute === '*' && hour === '*' ? `every ${step} seconds by the clock` : null
}

/** A short list of times, or steps from the first to the last; null for neither. */
function progression(times: readonly number[]): string | null {
  const [first = 0, second = first] = times
  const last = times.at(-1) ?? first
  const step = second - first
  const even = times.length > 4 && times.every((time, index) => time === first + index * step)
  // A window of minutes that ends at a full hour excludes its end.
  const isWindow = even && step % 60 === 0 && (step >= 3_600 || last % 3_600 !== 0)
  if (isWindow) return `every ${stepText(step)} from ${clockText(first)} to ${clockText(last)}`
  return times.length <= maxTimes ? `at ${list(times.map(clockText))}` : null
}

function stepText(step: number): string {
  if (step === 60 || step === 3_600) return step === 60 ? 'minute' : 'hour'
  return step % 3_600 === 0 ? `${step / 3_600} hours` : `${step / 60} minutes`
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = 'January February March April May June July August September October November December'.split(' ')
const places = ['first', 'second', 'third', 'fourth', 'fifth']

/** The days in English; null if there is no short phrase. */
function daysText({ dates, months, weekdays, nth }: CronFields): string | null {
  const inMonths = months ? ` in ${list(months.map(monthName))}` : ''
  if (nth.length > 0) return weekdays || dates ? null : nthText(nth, inMonths)
  if (dates && weekdays) return `${datesText(dates, null)}${inMonths} or ${weekdaysText(weekdays)}`
  if (dates) return datesText(dates, months)
  return `${weekdaysText(weekdays)}${inMonths}`
}

const monthName = (month: number) => months[month - 1] ?? ''

function nthText(nth: CronFields['nth'], inMonths: string): string | null {
  const [first] = nth
  if (!first || nth.some(({ weekday }) => weekday !== first.weekday)) return null
  const which = list(nth.map(({ nth }) => (nth < 0 ? 'last' : (places[nth - 1] ?? ''))))
  return `on the ${which} ${weekdays[first.weekday]} of the month${inMonths}`
}

function datesText(dates: number[], months: number[] | null): string {
  const [date = 0] = dates
  if (months?.length === 1 && dates.length === 1 && date > 0) return `every ${date} ${list(months.map(monthName))}`
  const days = list(dates.map((each) => (each < 0 ? 'last day' : ordinal(each))))
  return `on the ${days} of the month${months ? ` in ${list(months.map(monthName))}` : ''}`
}

function weekdaysText(days: number[] | null): string {
  if (days === null || days.length === 7) return 'every day'
  if (days.join() === '1,2,3,4,5') return 'every weekday'
  // Weeks begin on Monday.
  const sorted = days.map((each) => each || 7).sort((a, b) => a - b)
  return `every ${list(sorted.map((each) => weekdays[each % 7] ?? ''))}`
}

function ordinal(value: number): string {
  const ending = { 1: 'st', 2: 'nd', 3: 'rd' }[value > 10 && value < 14 ? 0 : value % 10]
  return `${value}${ending ?? 'th'}`
}

const list = (items: readonly string[]) =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
