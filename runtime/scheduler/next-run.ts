import { day, second } from '../time.ts'
import { type Cron, readCron } from './cron.ts'
import type { Schedule } from './schema.ts'
import { changesBetween, instantOf, offsetAt } from './zone.ts'

type CronSchedule = Extract<Schedule, { type: 'cron' }>
type EverySchedule = Extract<Schedule, { type: 'every' }>

export interface Place {
  /** Zone of a schedule that names none. */
  zone: string
  /** From when `every` counts, in milliseconds since the epoch. */
  anchor: number
}

/**
 * The first due time behind `after`, in milliseconds since the epoch; null when none comes. Pure.
 *
 * A fixed local time that does not exist comes once, at the first moment behind the gap; one that exists twice comes
 * once, at the first pass. Entries with a `*` in the hour follow the clock on the wall. `every` counts elapsed time, but
 * whole days from a local `starts_at`: those follow the clock on the wall too.
 */
export function nextRun(schedule: Schedule, after: number, place: Place): number | null {
  const zone = schedule.timezone ?? place.zone
  if (schedule.type === 'cron') return nextOfCrons(schedule, zone, after)
  if (schedule.type === 'every') return nextEvery(schedule, after, { ...place, zone })
  const at = instantOfText(schedule.datetime, zone)
  return at > after ? at : null
}

/** The next `count` due times behind `after`. */
export function nextRuns(schedule: Schedule, after: number, options: Place & { count: number }): number[] {
  const found: number[] = []
  for (let at = nextRun(schedule, after, options); at !== null; at = nextRun(schedule, at, options)) {
    found.push(at)
    if (found.length >= options.count) break
  }
  return found
}

function nextOfCrons({ expression, also = [] }: CronSchedule, zone: string, after: number): number | null {
  const times = [expression, ...also].map((each) => nextCron(cronOf(each), zone, after) ?? Infinity)
  const first = Math.min(...times)
  return first === Infinity ? null : first
}

function nextEvery({ interval, starts_at }: EverySchedule, after: number, { zone, anchor }: Place): number {
  const step = interval * second
  if (starts_at === undefined) return nextInterval(step, after, anchor)
  const start = instantOfText(starts_at, zone)
  if (after < start) return start
  if (step % day !== 0 || isAbsolute(starts_at)) return nextInterval(step, after, start)
  return nextDays(Date.parse(`${starts_at}Z`), step, { zone, after })
}

/** Whole days on the wall clock, from the wall-clock time `first`. */
function nextDays(first: number, step: number, { zone, after }: { zone: string; after: number }): number {
  const passed = Math.floor((after + offsetAt(zone, after) - first) / step)
  for (let count = Math.max(1, passed); ; count += 1) {
    const at = instantOf(zone, first + count * step)
    if (at > after) return at
  }
}

function nextInterval(interval: number, after: number, anchor: number): number {
  const passed = Math.floor((after - anchor) / interval)
  return anchor + (passed + 1) * interval
}

/** A date and time with its offset, or without one on the wall clock of `zone`. */
export function instantOfText(datetime: string, zone: string): number {
  return isAbsolute(datetime) ? Date.parse(datetime) : instantOf(zone, Date.parse(`${datetime}Z`))
}

const isAbsolute = (datetime: string) => /(?:Z|[+-]\d\d:?\d\d)$/i.test(datetime)

const crons = new Map<string, Cron>()
const mostCrons = 2_000

function cronOf(expression: string): Cron {
  const known = crons.get(expression)
  if (known) return known
  if (crons.size >= mostCrons) crons.clear()
  const cron = readCron(expression)
  crons.set(expression, cron)
  return cron
}

const nextCron = (cron: Cron, zone: string, after: number): number | null =>
  cron.wildcard ? nextOnWall(cron, zone, after) : nextFixed(cron, zone, after)

/** Every moment at which the clock on the wall shows one of its times, however often it does. */
function nextOnWall(cron: Cron, zone: string, after: number): number | null {
  let offset = offsetAt(zone, after)
  let from = after
  for (;;) {
    const wall = cron.next(from + offset)
    if (wall === null) return null
    const [change] = changesBetween(zone, Math.max(from, after), wall - offset)
    if (!change) return wall - offset
    offset = change.after
    // The moment of the change itself counts.
    from = change.at - 1
    after = change.at
  }
}

function nextFixed(cron: Cron, zone: string, after: number): number | null {
  const wall = cron.next(Math.max(after + offsetAt(zone, after), endOfRepetition(zone, after) - 1))
  return wall === null ? null : instantOf(zone, wall)
}

/** Until when the clock on the wall shows what it has shown before; far past when it does not. */
function endOfRepetition(zone: string, at: number): number {
  const change = changesBetween(zone, at - 2 * day, at).at(-1)
  return change ? change.at + change.before : Number.NEGATIVE_INFINITY
}
