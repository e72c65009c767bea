import { second } from '../../time.ts'
import type { Schedule } from '../schema.ts'
import { instantOf } from '../zone.ts'
import { clockText, dayOf, localText, secondsOfDay, wallOf } from './clock.ts'
import { cronOfTimes, dayFields, fieldText, sixtieths } from './cron-text.ts'
import type { Frequency } from './frequency.ts'
import { type Parts, type Scene, seconds } from './parts.ts'
import { Refusal } from './reading.ts'

/** Seconds; nothing that people plan comes more often. */
const shortest = 10
/** Times a day that a list may have. */
const most = 1_440

/** Every so many seconds, minutes or hours: elapsed time by itself, cron when hours or days are named. */
export function intradayOf(parts: Parts, step: NonNullable<Frequency['step']>, scene: Scene): Schedule {
  const interval = step.count * seconds[step.unit]
  if (interval < shortest) throw new Refusal(`More often than every ${shortest} seconds is not possible`)
  const window = parts.window
  if (window) return withinWindow(parts, { interval, ...window }, scene)
  const onDays = dayFields(parts.days)
  if (parts.minutes) return atMinutes(parts.minutes, interval, onDays)
  if (parts.clock || onDays !== '* * *') return byTheClock(parts, interval, { onDays, scene })
  const started = startOf(parts, scene)
  if (started === null) offerClock(interval, scene)
  return {
    type: 'every',
    interval,
    ...(started !== null && { starts_at: localText(started) }),
    timezone: scene.zone,
  }
}

/** "starting tomorrow at 9", "starting at 9"; wall clock. */
function startOf({ start, times }: Parts, { now, zone }: Scene): number | null {
  const time = start?.time ?? times.list[0] ?? null
  if (start === null && time === null) return null
  const today = dayOf(wallOf(zone, now))
  const at = (start?.date ?? today) + (time ?? 0) * second
  if (instantOf(zone, at) > now) return at
  return start === null ? at + secondsOfDay * second : null
}

function offerClock(interval: number, { zone, notes }: Scene): void {
  const expression = clockFields(interval)
  if (expression) notes.offer({ type: 'cron', expression: `${expression} * * *`, timezone: zone })
}

/** Fields up to the hour for an interval that comes out even by the clock. */
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
  if (interval % 60 !== 0) throw new Refusal('Such seconds on certain days cannot be said in one schedule')
  scene.notes.warn('It is counted from midnight of each day')
  return cronOfTimes(timesFrom(0, secondsOfDay - 60, interval), parts.days)
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

/** A full hour at the end counts where whole hours are counted; of shorter steps the last comes before it. */
function withinWindow({ days, minutes }: Parts, { interval, from, to }: Span, { notes }: Scene): Schedule {
  if (interval < 60 && 60 % interval === 0 && from % 3_600 === 0 && to % 3_600 === 0 && to > from)
    return {
      type: 'cron',
      expression: `*/${interval} * ${fieldText(range(from / 3_600, to / 3_600 - 1))} ${dayFields(days)}`,
    }
  if (interval % 60 !== 0) throw new Refusal('Within hours, only whole minutes can be counted')
  const until = to <= from ? to + secondsOfDay : to
  const short = interval < 3_600 && until % 3_600 === 0
  const base = minutes
    ? minutes.flatMap((minute) => timesFrom(from + minute * 60, until, interval))
    : timesFrom(from, short ? until - 1 : until, interval)
  const list = [...new Set(base.map((time) => time % secondsOfDay))].sort((a, b) => a - b)
  if (list.length === 0) throw new Refusal('No time lies between these hours')
  if (short) notes.warn(`The last one is at ${clockText((base.at(-1) ?? 0) % secondsOfDay)}`)
  else if (list.length === 1) notes.warn('Only one time lies between these hours')
  return cronOfTimes(list, days)
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

function timesFrom(from: number, to: number, interval: number): number[] {
  const found: number[] = []
  for (let at = from; at <= to && found.length < most; at += interval) found.push(at)
  return found
}
