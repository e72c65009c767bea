import { day, second } from '../../time.ts'
import type { Schedule } from '../schema.ts'
import { instantOf } from '../zone.ts'
import { clockText, dayOf, localText, secondsOfDay, wallOf } from './clock.ts'
import { cronOfTimes, dayFields } from './cron-text.ts'
import type { Days } from './days.ts'
import type { Frequency, Unit } from './frequency.ts'
import { intradayOf } from './intraday.ts'
import { type Parts, type Scene, seconds } from './parts.ts'
import { type Notes, Refusal } from './reading.ts'
import type { Times } from './times.ts'

const usualTime = 9 * 3_600

/** The schedule that the parts make together. Throws a `Refusal`. */
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

/** Refuses days that never come. */
export function checkDays({ nth, monthDays, months }: Days, notes: Notes): void {
  const longest = Math.max(...(months ?? [1]).map((month) => new Date(Date.UTC(2024, month, 0)).getUTCDate()))
  for (const date of monthDays) {
    if (date === 0 || date > 31) throw new Refusal(`No month has a day ${date}`)
    if (date > longest) throw new Refusal(`That month never has a day ${date}`)
    if (date === 29 && months?.join() === '2') notes.warn('29 February comes in leap years only')
    else if (date > 28 && !months) notes.warn(`Months without a day ${date} are left out`)
  }
  if (nth.some(({ nth }) => nth === 0 || nth > 5)) throw new Refusal('No month has that many of one weekday')
  if (nth.some(({ nth }) => nth === 5)) notes.warn('Months without a fifth one are left out')
}

/** Fixed times on the days that are named. */
function onDays({ times, start }: Parts, days: Days, scene: Scene): Schedule {
  const list = timesOr(times, start?.time ?? null, scene.notes)
  const schedule = cronOfTimes(list, days)
  if (start && instantOf(scene.zone, start.date) > scene.now) warnOfStart(scene, start.date)
  return schedule
}

function warnOfStart({ now, zone, notes }: Scene, date: number): void {
  if (date - dayOf(wallOf(zone, now)) > day)
    notes.assume(`That it starts on ${localText(date).slice(0, 10)} is not part of it: it starts at once`)
}

function timesOr({ list }: Times, started: number | null, notes: Notes): number[] {
  if (list.length > 0) return list
  if (started !== null) return [started]
  notes.assume(`No time is given: ${clockText(usualTime)} is assumed`)
  return [usualTime]
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
      throw new Refusal(`Every ${count} years cannot be said in a schedule; every year can`, [
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
      `Every ${count} months does not come out even in a year, so no schedule says it; every ${count > 6 ? 12 : count - 1} months can be`,
    )
  if (count !== 3) scene.notes.warn('The months are counted from January')
  const months = Array.from({ length: 12 / count }, (_, index) => 1 + index * count)
  return onDays(parts, { ...inMonth, months: days.months ?? months }, scene)
}

function assumed<T>(value: T, warning: string, { notes }: Scene): T {
  notes.assume(warning)
  return value
}

/** Every so many whole days, on the wall clock: from a start, where a time or a day is given. */
function spaced(parts: Parts, interval: number, scene: Scene): Schedule {
  const { days, times, start } = parts
  if (days.monthDays.length > 0 || days.nth.length > 0 || days.months)
    throw new Refusal('An interval and days of the month together cannot be said in one schedule')
  const weekly = interval % seconds.week === 0
  if (days.weekdays && !weekly)
    throw new Refusal('An interval of days and weekdays together cannot be said in one schedule')
  const weekdays = days.weekdays ?? [null]
  const wanted = times.list.length > 0 ? times.list : start?.time != null ? [start.time] : [null]
  const all = weekdays.flatMap((weekday) =>
    wanted.map((time) => everyFrom({ interval, weekday, time, start: start?.date ?? null }, scene)),
  )
  const [only, ...more] = all
  if (only && more.length === 0) return only
  throw new Refusal('One schedule holds one day and one time of such an interval: make a job for each', all)
}

interface Spacing {
  interval: number
  weekday: number | null
  time: number | null
  start: number | null
}

function everyFrom({ interval, weekday, time, start }: Spacing, { now, zone, notes }: Scene): Schedule {
  if (weekday === null && time === null && start === null) return { type: 'every', interval, timezone: zone }
  if (time === null) notes.assume(`No time is given: ${clockText(usualTime)} is assumed`)
  const at = (time ?? usualTime) * second
  let date = Math.max(dayOf(wallOf(zone, now)), start ?? 0)
  while ((weekday !== null && new Date(date).getUTCDay() !== weekday) || instantOf(zone, date + at) <= now)
    date += day
  const starts_at = localText(date + at)
  if (start === null) notes.warn(`It is counted from ${starts_at.slice(0, 10)}`)
  return { type: 'every', interval, starts_at, timezone: zone }
}

/** Weekdays that are spread over a week. */
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
  throw new Refusal(`${count} times a ${unit} does not come out even; name the times`)
}

function calendarOrClock(parts: Parts, unit: Unit, scene: Scene): Schedule {
  return unit === 'second' || unit === 'minute' || unit === 'hour'
    ? intradayOf(parts, { count: 1, unit }, scene)
    : calendar(parts, { count: 1, unit }, scene)
}

/** From 9 in the morning until 9 in the evening. */
function timesADay(parts: Parts, count: number, scene: Scene): Schedule {
  const given = parts.times.list.length
  if (given > 0 && given !== count) scene.notes.assume(`${given} times are named, not ${count}`)
  if (given > 0) return onDays(parts, parts.days, scene)
  const step = Math.floor(secondsOfDay / 2 / (count - 1) / 60) * 60
  if (step < 1_800) {
    const interval = Math.round(secondsOfDay / count)
    return intradayOf(parts, { count: interval, unit: 'second' }, scene)
  }
  const list = Array.from({ length: count }, (_, index) => usualTime + index * step)
  scene.notes.assume(`No times are given: ${list.map(clockText).join(', ')} are assumed`)
  if (dayFields(parts.days) === '* * *' && secondsOfDay % count === 0)
    scene.notes.offer({ type: 'every', interval: secondsOfDay / count, timezone: scene.zone })
  return cronOfTimes(list, parts.days)
}
