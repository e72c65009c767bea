import type { Schedule } from '../../schedules/schedule.ts'
import { day, second } from '../../time.ts'
import { clockText, dayOf, instantOf, localOf, localText } from '../../zones/offsets.ts'
import { cronOfTimes, dayFields, sixtieths } from './cron-text.ts'
import type { Days } from './days.ts'
import { defaultTime, type Notes, Refusal, type Scene, secondsPerDay } from './draft.ts'
import { type Count, type Frequency, seconds } from './frequency.ts'
import type { Window } from './times.ts'

/** The parsed parts of a repeating schedule. */
export interface Parts {
  frequency: Frequency
  days: Days
  /** Times of day in seconds after midnight. */
  times: number[]
  window: Window | null
  /** Local time of "starting …": a date, with a time if one was given. */
  start: { date: number; time: number | null } | null
  /** Minutes of each hour: "at :15". */
  minutes: number[] | null
  /** "by the clock": counted from midnight, not from the creation of the job. */
  clock: boolean
}

/** Combines the parts into a schedule. Throws a `Refusal`. */
export function recurrence(parts: Parts, scene: Scene): Schedule {
  const { frequency, window, minutes, times, days } = parts
  const { step } = frequency
  if (frequency.times) return counted(parts, frequency.times, scene)
  if (step && seconds[step.unit] > 0 && seconds[step.unit] <= seconds.hour)
    return withinDays(parts, step.count * seconds[step.unit], scene)
  if (window && minutes === null) throw new Refusal('How often within these hours is missing, such as "every 2 hours"')
  if (minutes) return withinDays(parts, seconds.hour, scene)
  if (step) return calendar(parts, step, scene)
  if (times.length === 0 && dayFields(days) === '* * *')
    throw new Refusal('How often is missing, such as "every day at 9"')
  return onDays(parts, days, scene)
}

/** Refuses days that never occur. */
export function checkDays({ nth, monthDays, months }: Days, notes: Notes): void {
  const longest = Math.max(...(months ?? [1]).map((month) => new Date(Date.UTC(2024, month, 0)).getUTCDate()))
  for (const date of monthDays) {
    if (date === 0 || date > 31) throw new Refusal(`No month has a day ${date}`)
    if (date > longest) throw new Refusal(`That month never has a day ${date}`)
    if (date === 29 && months?.join() === '2') notes.warn('29 February exists only in leap years')
    else if (date > 28 && !months) notes.warn(`Months without a day ${date} are skipped`)
  }
  if (nth.some(({ nth }) => nth === 0 || nth > 5)) throw new Refusal('No month has that many of a weekday')
  if (nth.some(({ nth }) => nth === 5)) notes.warn('Months without a fifth one are skipped')
}

/** Fixed times on the named days. */
function onDays({ times, start }: Parts, days: Days, { now, zone, notes }: Scene): Schedule {
  const single = start?.time ?? null
  const list = times.length > 0 ? times : [single ?? notes.assumeTime()]
  if (start && start.date - dayOf(localOf(zone, now)) > day)
    notes.assume(`The start date ${localText(start.date).slice(0, 10)} is ignored: the schedule starts at once`)
  return cronOfTimes(list, days)
}

/** Every so many days, weeks, months or years. */
function calendar(parts: Parts, { count, unit }: Count, scene: Scene): Schedule {
  const { days, start } = parts
  const { notes, zone } = scene
  if (unit === 'day' || unit === 'week') {
    if (count > 1) return spaced(parts, count * seconds[unit], scene)
    if (unit === 'day' || days.weekdays) return onDays(parts, days, scene)
    const weekdays = start
      ? [new Date(start.date).getUTCDay()]
      : notes.assume('No weekday is given: Monday is assumed', [1])
    return onDays(parts, { ...days, weekdays }, scene)
  }
  if (days.weekdays)
    throw new Refusal('Which of these weekdays of the month is missing, such as "the first Monday of the month"')
  const dated = days.monthDays.length > 0 || days.nth.length > 0
  const monthDays = dated ? days.monthDays : notes.assume('No day is given: the 1st is assumed', [1])
  const inMonths = (months: readonly number[] | null) =>
    onDays(parts, { ...days, monthDays, months: days.months ?? months }, scene)
  if (unit === 'year' && count > 1)
    throw new Refusal(`Every ${count} years is not possible in a schedule; every year is`, [
      { ...inMonths([1]), timezone: zone },
    ])
  if (unit === 'year') return inMonths(days.months ?? notes.assume('No month is given: January is assumed', [1]))
  if (count === 1) return inMonths(null)
  if (12 % count !== 0)
    throw new Refusal(
      `Every ${count} months does not divide a year, so no schedule can express it; every ${count > 6 ? 12 : count - 1} months works`,
    )
  if (count !== 3) notes.warn('The months are counted from January')
  return inMonths(Array.from({ length: 12 / count }, (_, index) => 1 + index * count))
}

/** Every so many whole days, in local time; from a start if a time or a day is given. */
function spaced({ days, times, start }: Parts, interval: number, scene: Scene): Schedule {
  if (days.monthDays.length > 0 || days.nth.length > 0 || days.months)
    throw new Refusal('An interval combined with days of the month needs more than one schedule')
  if (days.weekdays && interval % seconds.week !== 0)
    throw new Refusal('An interval of days combined with weekdays needs more than one schedule')
  const clockTimes = times.length > 0 ? times : [start?.time ?? null]
  const all = (days.weekdays ?? [null]).flatMap((weekday) =>
    clockTimes.map((time) => everyFrom({ interval, weekday, time, start: start?.date ?? null }, scene)),
  )
  const [only, ...more] = all
  if (only && more.length === 0) return only
  throw new Refusal('Such an interval takes one day and one time: create a job for each', all)
}

interface Spacing {
  interval: number
  weekday: number | null
  time: number | null
  start: number | null
}

function everyFrom({ interval, weekday, time, start }: Spacing, { now, zone, notes }: Scene): Schedule {
  if (weekday === null && time === null && start === null) return { type: 'every', interval, timezone: zone }
  const at = (time ?? notes.assumeTime()) * second
  let date = Math.max(dayOf(localOf(zone, now)), start ?? 0)
  while ((weekday !== null && new Date(date).getUTCDay() !== weekday) || instantOf(zone, date + at) <= now) date += day
  const starts_at = localText(date + at)
  if (start === null) notes.warn(`It is counted from ${starts_at.slice(0, 10)}`)
  return { type: 'every', interval, starts_at, timezone: zone }
}

/** "twice a day", "once a week", "4 times an hour". On which days "3 times a week" is, nobody can know. */
function counted(parts: Parts, { count, unit }: Count, scene: Scene): Schedule {
  const span = seconds[unit]
  if (unit === 'day' && count > 1) return timesADay(parts, count, scene)
  if (span > 0 && span <= seconds.hour && span % count === 0) return withinDays(parts, span / count, scene)
  if (count === 1) return calendar(parts, { count, unit }, scene)
  throw new Refusal(`${count} times a ${unit} leaves open when; name the days and times`)
}

/** Spread from 9:00 to 21:00. */
function timesADay(parts: Parts, count: number, scene: Scene): Schedule {
  const { notes, zone } = scene
  const named = parts.times.length
  if (named > 0 && named !== count) notes.assume(`${named} times are named, not ${count}`)
  if (named > 0) return onDays(parts, parts.days, scene)
  const step = Math.floor(secondsPerDay / 2 / (count - 1) / 60) * 60
  if (step < 1_800) return withinDays(parts, Math.round(secondsPerDay / count), scene)
  const list = Array.from({ length: count }, (_, index) => defaultTime + index * step)
  notes.assume(`No times are given: ${list.map(clockText).join(', ')} are assumed`)
  if (dayFields(parts.days) === '* * *' && secondsPerDay % count === 0)
    notes.alternatives.push({ type: 'every', interval: secondsPerDay / count, timezone: zone })
  return cronOfTimes(list, parts.days)
}

/** Seconds between two due times. */
export const minInterval = 10
/** Times in one day. */
const maxTimes = 1_440

/** Every so many seconds, minutes or hours: elapsed time, or cron if hours or days are named. */
function withinDays(parts: Parts, interval: number, scene: Scene): Schedule {
  if (interval < minInterval) throw new Refusal(`More often than every ${minInterval} seconds is not possible`)
  if (parts.window) return withinWindow(parts, { interval, ...parts.window }, scene)
  const fields = dayFields(parts.days)
  if (parts.minutes) return atMinutes(parts.minutes, interval, fields)
  const even = clockFields(interval)
  if (parts.clock || fields !== '* * *') {
    if (even) return { type: 'cron', expression: `${even} ${fields}` }
    if (interval % 60 !== 0) throw new Refusal('An interval in seconds on certain days needs more than one schedule')
    scene.notes.warn('It is counted from midnight of each day')
    return cronOfTimes(timesFrom(0, secondsPerDay - 60, interval), parts.days)
  }
  const started = startTime(parts, scene)
  if (started !== null) return { type: 'every', interval, starts_at: localText(started), timezone: scene.zone }
  if (even) scene.notes.alternatives.push({ type: 'cron', expression: `${even} * * *`, timezone: scene.zone })
  return { type: 'every', interval, timezone: scene.zone }
}

/** "starting tomorrow at 9", "starting at 9"; local time. */
function startTime({ start, times }: Parts, { now, zone }: Scene): number | null {
  const time = start?.time ?? times[0] ?? null
  if (start === null && time === null) return null
  const at = (start?.date ?? dayOf(localOf(zone, now))) + (time ?? 0) * second
  if (instantOf(zone, at) > now) return at
  return start === null ? at + day : null
}

/** The fields up to the hour of an interval that divides the hour or the day; null for others. */
function clockFields(interval: number): string | null {
  const [minutes, hours] = [interval / 60, interval / 3_600]
  if (minutes < 1) return 60 % interval === 0 ? `*/${interval} * *` : null
  if (hours < 1 && (3_600 % interval !== 0 || interval % 60 !== 0)) return null
  if (hours < 1) return `${minutes === 1 ? '*' : `*/${minutes}`} *`
  if (24 % hours !== 0 || interval % 3_600 !== 0) return null
  return hours === 1 ? '0 *' : hours < 24 ? `0 */${hours}` : null
}

function atMinutes(minutes: number[], interval: number, fields: string): Schedule {
  if (interval % 3_600 !== 0 || interval > 43_200)
    throw new Refusal('Minutes past the hour can be combined with whole hours only')
  const hours = interval / 3_600
  return { type: 'cron', expression: `${sixtieths(minutes)} ${hours === 1 ? '*' : `*/${hours}`} ${fields}` }
}

/** Whole hours include the end of the window; shorter steps end before it. */
function withinWindow(
  { days, minutes }: Parts,
  { interval, from, to }: Window & { interval: number },
  { notes }: Scene,
): Schedule {
  if (interval % 60 !== 0) throw new Refusal('Between two times of day, the interval must be whole minutes')
  const until = to <= from ? to + secondsPerDay : to
  const short = interval < 3_600 && until % 3_600 === 0
  const base = minutes
    ? minutes.flatMap((minute) => timesFrom(from + minute * 60, until, interval))
    : timesFrom(from, short ? until - 1 : until, interval)
  const list = [...new Set(base.map((time) => time % secondsPerDay))].sort((a, b) => a - b)
  if (list.length === 0) throw new Refusal('No run falls between these hours')
  if (short) notes.warn(`The last run is at ${clockText((base.at(-1) ?? 0) % secondsPerDay)}`)
  else if (list.length === 1) notes.warn('Only one run falls between these hours')
  return cronOfTimes(list, days)
}

function timesFrom(from: number, to: number, interval: number): number[] {
  const length = Math.min(maxTimes, Math.floor((to - from) / interval) + 1)
  return Array.from({ length: Math.max(0, length) }, (_, index) => from + index * interval)
}
