import { day, second } from '../../time.ts'
import type { Schedule } from '../schema.ts'
import { clockText, dayOf, instantOf, localOf, localText } from '../zone.ts'
import { cronOfTimes, dayFields, fieldText, sixtieths } from './cron-text.ts'
import type { Days } from './days.ts'
import { type Notes, type Reference, Refusal, secondsPerDay } from './draft.ts'
import type { Frequency, Unit } from './frequency.ts'
import type { Times, Window } from './times.ts'

/** The parsed parts of a repeating schedule. */
export interface Parts {
  frequency: Frequency
  days: Days
  times: Times
  window: Window | null
  /** Local time of "starting …": a date, with a time if one was given. */
  start: { date: number; time: number | null } | null
  /** Minutes of each hour: "at :15". */
  minutes: number[] | null
  /** "by the clock": counted from midnight, not from the creation of the job. */
  clock: boolean
}

export interface Scene extends Reference {
  notes: Notes
}

/** Seconds of a unit; months and years have no fixed length. */
const seconds: Record<Unit, number> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 0,
  year: 0,
}

const defaultTime = 9 * 3_600

/** Combines the parts into a schedule. Throws a `Refusal`. */
export function recurrence(parts: Parts, scene: Scene): Schedule {
  const { step, times } = parts.frequency
  if (times) return counted(parts, times, scene)
  if (step && (step.unit === 'second' || step.unit === 'minute' || step.unit === 'hour'))
    return intradayOf(parts, step, scene)
  if (parts.window && parts.minutes === null)
    throw new Refusal('How often within these hours is missing, such as "every 2 hours"')
  if (parts.minutes) return intradayOf(parts, { count: 1, unit: 'hour' }, scene)
  if (!step && parts.times.list.length === 0 && dayFields(parts.days) === '* * *')
    throw new Refusal('How often is missing, such as "every day at 9"')
  if (!step) return onDays(parts, parts.days, scene)
  return calendar(parts, step, scene)
}

/** Refuses days that never occur. */
export function checkDays({ nth, monthDays, months }: Days, notes: Notes): void {
  const longest = Math.max(...(months ?? [1]).map((month) => new Date(Date.UTC(2024, month, 0)).getUTCDate()))
  for (const date of monthDays) {
    if (date === 0 || date > 31) throw new Refusal(`No month has a day ${date}`)
    if (date > longest) throw new Refusal(`That month never has a day ${date}`)
    if (date === 29 && months?.join() === '2') notes.warn('29 February comes in leap years only')
    else if (date > 28 && !months) notes.warn(`Months without a day ${date} are skipped`)
  }
  if (nth.some(({ nth }) => nth === 0 || nth > 5)) throw new Refusal('No month has that many of a weekday')
  if (nth.some(({ nth }) => nth === 5)) notes.warn('Months without a fifth one are skipped')
}

/** Fixed times on the named days. */
function onDays({ times, start }: Parts, days: Days, scene: Scene): Schedule {
  const list = timesOr(times, start?.time ?? null, scene.notes)
  const schedule = cronOfTimes(list, days)
  if (start && instantOf(scene.zone, start.date) > scene.now) warnOfStart(scene, start.date)
  return schedule
}

function warnOfStart({ now, zone, notes }: Scene, date: number): void {
  if (date - dayOf(localOf(zone, now)) > day)
    notes.assume(`That it starts on ${localText(date).slice(0, 10)} is not part of it: it starts at once`)
}

function timesOr({ list }: Times, started: number | null, notes: Notes): number[] {
  if (list.length > 0) return list
  if (started !== null) return [started]
  notes.assume(`No time is given: ${clockText(defaultTime)} is assumed`)
  return [defaultTime]
}

/** Every so many days, weeks, months or years. */
function calendar(parts: Parts, { count, unit }: NonNullable<Frequency['step']>, scene: Scene): Schedule {
  const { days } = parts
  if (unit === 'day')
    return count === 1 ? onDays(parts, days, scene) : spaced(parts, count * seconds.day, scene)
  if (unit === 'week') {
    if (count > 1) return spaced(parts, count * seconds.week, scene)
    if (parts.start && !days.weekdays)
      return onDays(parts, { ...days, weekdays: [new Date(parts.start.date).getUTCDay()] }, scene)
    return onDays(
      parts,
      days.weekdays
        ? days
        : { ...days, weekdays: assumed([1], 'No weekday is given: Monday is assumed', scene) },
      scene,
    )
  }
  const dated = days.monthDays.length > 0 || days.nth.length > 0
  const inMonth = dated
    ? days
    : { ...days, monthDays: assumed([1], 'No day is given: the 1st is assumed', scene) }
  if (days.weekdays)
    throw new Refusal(
      'Which of these weekdays of the month is missing, such as "the first Monday of the month"',
    )
  if (unit === 'year') {
    if (count > 1)
      throw new Refusal(`Every ${count} years is not possible in a schedule; every year is`, [
        { ...onDays(parts, { ...inMonth, months: days.months ?? [1] }, scene), timezone: scene.zone },
      ])
    return onDays(
      parts,
      { ...inMonth, months: days.months ?? assumed([1], 'No month is given: January is assumed', scene) },
      scene,
    )
  }
  if (count === 1) return onDays(parts, inMonth, scene)
  if (12 % count !== 0)
    throw new Refusal(
      `Every ${count} months does not divide a year, so no schedule can express it; every ${count > 6 ? 12 : count - 1} months works`,
    )
  if (count !== 3) scene.notes.warn('The months are counted from January')
  const months = Array.from({ length: 12 / count }, (_, index) => 1 + index * count)
  return onDays(parts, { ...inMonth, months: days.months ?? months }, scene)
}

function assumed<T>(value: T, warning: string, { notes }: Scene): T {
  notes.assume(warning)
  return value
}

/** Every so many whole days, in local time; from a start if a time or a day is given. */
function spaced(parts: Parts, interval: number, scene: Scene): Schedule {
  const { days, times, start } = parts
  if (days.monthDays.length > 0 || days.nth.length > 0 || days.months)
    throw new Refusal('An interval and days of the month together need more than one schedule')
  const weekly = interval % seconds.week === 0
  if (days.weekdays && !weekly)
    throw new Refusal('An interval of days and weekdays together need more than one schedule')
  const weekdays = days.weekdays ?? [null]
  const wanted = times.list.length > 0 ? times.list : start?.time != null ? [start.time] : [null]
  const all = weekdays.flatMap((weekday) =>
    wanted.map((time) => everyFrom({ interval, weekday, time, start: start?.date ?? null }, scene)),
  )
  const [only, ...more] = all
  if (only && more.length === 0) return only
  throw new Refusal('Such an interval takes one day and one time: make a job for each', all)
}

interface Spacing {
  interval: number
  weekday: number | null
  time: number | null
  start: number | null
}

function everyFrom({ interval, weekday, time, start }: Spacing, { now, zone, notes }: Scene): Schedule {
  if (weekday === null && time === null && start === null) return { type: 'every', interval, timezone: zone }
  if (time === null) notes.assume(`No time is given: ${clockText(defaultTime)} is assumed`)
  const at = (time ?? defaultTime) * second
  let date = Math.max(dayOf(localOf(zone, now)), start ?? 0)
  while ((weekday !== null && new Date(date).getUTCDay() !== weekday) || instantOf(zone, date + at) <= now)
    date += day
  const starts_at = localText(date + at)
  if (start === null) notes.warn(`It is counted from ${starts_at.slice(0, 10)}`)
  return { type: 'every', interval, starts_at, timezone: zone }
}

/** Weekdays spread over the week. */
const spread: Record<number, number[]> = {
  1: [1],
  2: [1, 4],
  3: [1, 3, 5],
  4: [1, 2, 4, 5],
  5: [1, 2, 3, 4, 5],
  6: [1, 2, 3, 4, 5, 6],
}

/** "twice a day", "3 times a week". */
function counted(parts: Parts, { count, unit }: NonNullable<Frequency['times']>, scene: Scene): Schedule {
  const { days } = parts
  if (count === 1) return calendarOrClock(parts, unit, scene)
  if (unit === 'day') return timesADay(parts, count, scene)
  if (unit === 'week') {
    const weekdays = days.weekdays ?? spread[count] ?? null
    if (count > 7) throw new Refusal('Say how often a day instead')
    if (!days.weekdays && weekdays) scene.notes.assume('The weekdays are assumed')
    return onDays(parts, { ...days, weekdays }, scene)
  }
  if (unit === 'month' && count === 2)
    return onDays(
      parts,
      {
        ...days,
        monthDays:
          days.monthDays.length > 0
            ? days.monthDays
            : assumed([1, 15], 'The 1st and the 15th are assumed', scene),
      },
      scene,
    )
  if (unit === 'year' && 12 % count === 0) return calendar(parts, { count: 12 / count, unit: 'month' }, scene)
  const span = seconds[unit]
  if (span > 0 && span % count === 0 && unit !== 'second')
    return intradayOf(parts, { count: span / count, unit: 'second' }, scene)
  throw new Refusal(`${count} times a ${unit} does not divide evenly; name the times`)
}

function calendarOrClock(parts: Parts, unit: Unit, scene: Scene): Schedule {
  return unit === 'second' || unit === 'minute' || unit === 'hour'
    ? intradayOf(parts, { count: 1, unit }, scene)
    : calendar(parts, { count: 1, unit }, scene)
}

/** Spread from 9:00 to 21:00. */
function timesADay(parts: Parts, count: number, scene: Scene): Schedule {
  const given = parts.times.list.length
  if (given > 0 && given !== count) scene.notes.assume(`${given} times are named, not ${count}`)
  if (given > 0) return onDays(parts, parts.days, scene)
  const step = Math.floor(secondsPerDay / 2 / (count - 1) / 60) * 60
  if (step < 1_800) {
    const interval = Math.round(secondsPerDay / count)
    return intradayOf(parts, { count: interval, unit: 'second' }, scene)
  }
  const list = Array.from({ length: count }, (_, index) => defaultTime + index * step)
  scene.notes.assume(`No times are given: ${list.map(clockText).join(', ')} are assumed`)
  if (dayFields(parts.days) === '* * *' && secondsPerDay % count === 0)
    scene.notes.offer({ type: 'every', interval: secondsPerDay / count, timezone: scene.zone })
  return cronOfTimes(list, parts.days)
}

/** Seconds between two due times. */
const minInterval = 10
/** Times in one day. */
const maxTimes = 1_440

/** Every so many seconds, minutes or hours: elapsed time, or cron if hours or days are named. */
function intradayOf(parts: Parts, step: NonNullable<Frequency['step']>, scene: Scene): Schedule {
  const interval = step.count * seconds[step.unit]
  if (interval < minInterval)
    throw new Refusal(`More often than every ${minInterval} seconds is not possible`)
  const window = parts.window
  if (window) return withinWindow(parts, { interval, ...window }, scene)
  const onDays = dayFields(parts.days)
  if (parts.minutes) return atMinutes(parts.minutes, interval, onDays)
  if (parts.clock || onDays !== '* * *') return byTheClock(parts, interval, { onDays, scene })
  const started = startTime(parts, scene)
  if (started === null) offerClock(interval, scene)
  return {
    type: 'every',
    interval,
    ...(started !== null && { starts_at: localText(started) }),
    timezone: scene.zone,
  }
}

/** "starting tomorrow at 9", "starting at 9"; local time. */
function startTime({ start, times }: Parts, { now, zone }: Scene): number | null {
  const time = start?.time ?? times.list[0] ?? null
  if (start === null && time === null) return null
  const today = dayOf(localOf(zone, now))
  const at = (start?.date ?? today) + (time ?? 0) * second
  if (instantOf(zone, at) > now) return at
  return start === null ? at + secondsPerDay * second : null
}

function offerClock(interval: number, { zone, notes }: Scene): void {
  const expression = clockFields(interval)
  if (expression) notes.offer({ type: 'cron', expression: `${expression} * * *`, timezone: zone })
}

/** The fields up to the hour of an interval that divides the hour or the day; null for others. */
function clockFields(interval: number): string | null {
  if (interval < 60) return 60 % interval === 0 ? `*/${interval} * *` : null
  const minutes = interval / 60
  if (minutes < 60 && Number.isInteger(minutes))
    return 60 % minutes === 0 ? `${minutes === 1 ? '*' : `*/${minutes}`} *` : null
  const hours = minutes / 60
  if (!Number.isInteger(hours) || 24 % hours !== 0) return null
  return hours === 1 ? '0 *' : hours < 24 ? `0 */${hours}` : null
}

function byTheClock(
  parts: Parts,
  interval: number,
  { onDays, scene }: { onDays: string; scene: Scene },
): Schedule {
  const even = clockFields(interval)
  if (even) return { type: 'cron', expression: `${even} ${onDays}` }
  if (interval % 60 !== 0) throw new Refusal('Such seconds on certain days need more than one schedule')
  scene.notes.warn('It is counted from midnight of each day')
  return cronOfTimes(timesFrom(0, secondsPerDay - 60, interval), parts.days)
}

function atMinutes(minutes: number[], interval: number, onDays: string): Schedule {
  if (interval % 3_600 !== 0 || interval > 43_200)
    throw new Refusal('Minutes of an hour go with whole hours only')
  const hours = interval / 3_600
  return { type: 'cron', expression: `${sixtieths(minutes)} ${hours === 1 ? '*' : `*/${hours}`} ${onDays}` }
}

interface Span {
  interval: number
  from: number
  to: number
}

/** Whole hours include the end of the window; shorter steps end before it. */
function withinWindow({ days, minutes }: Parts, { interval, from, to }: Span, { notes }: Scene): Schedule {
  if (interval < 60 && 60 % interval === 0 && from % 3_600 === 0 && to % 3_600 === 0 && to > from)
    return {
      type: 'cron',
      expression: `*/${interval} * ${fieldText(range(from / 3_600, to / 3_600 - 1))} ${dayFields(days)}`,
    }
  if (interval % 60 !== 0) throw new Refusal('Within hours, only whole minutes can be counted')
  const until = to <= from ? to + secondsPerDay : to
  const short = interval < 3_600 && until % 3_600 === 0
  const base = minutes
    ? minutes.flatMap((minute) => timesFrom(from + minute * 60, until, interval))
    : timesFrom(from, short ? until - 1 : until, interval)
  const list = [...new Set(base.map((time) => time % secondsPerDay))].sort((a, b) => a - b)
  if (list.length === 0) throw new Refusal('No time lies between these hours')
  if (short) notes.warn(`The last one is at ${clockText((base.at(-1) ?? 0) % secondsPerDay)}`)
  else if (list.length === 1) notes.warn('Only one time lies between these hours')
  return cronOfTimes(list, days)
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

function timesFrom(from: number, to: number, interval: number): number[] {
  const found: number[] = []
  for (let at = from; at <= to && found.length < maxTimes; at += interval) found.push(at)
  return found
}
