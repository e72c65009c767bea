import { day, iso, second } from '../time.ts'
import { changesBetween, instantOf, offsetAt } from '../zones/offsets.ts'
import { type Cron, readCron } from './cron.ts'
import { Schedule } from './schedule.ts'

type CronSchedule = Extract<Schedule, { type: 'cron' }>
type EverySchedule = Extract<Schedule, { type: 'every' }>

export interface Place {
  /** The time zone of a schedule that names none. */
  zone: string
  /** The moment from which `every` counts, in milliseconds since the epoch. */
  anchor: number
}

/**
 * The first due time after `after`, in milliseconds since the epoch; null if there is none. Pure.
 *
 * A fixed local time that does not exist runs once, at the first moment after the gap, unless the whole day is missing;
 * one that exists twice runs once, at the first pass. Expressions with a `*` in the hour follow the wall clock. `every`
 * counts elapsed time, except whole days from a local `starts_at`, which keep their local time.
 */
export function nextRun(schedule: Schedule, after: number, place: Place): number | null {
  const zone = schedule.timezone ?? place.zone
  if (schedule.type === 'cron') return nextOfCrons(schedule, zone, after)
  if (schedule.type === 'every') return nextEvery(schedule, after, { ...place, zone })
  const at = parseInstant(schedule.datetime, zone)
  return at > after ? at : null
}

/** The next `count` due times after `after`. */
export function nextRuns(schedule: Schedule, after: number, options: Place & { count: number }): number[] {
  const times: number[] = []
  for (let at = nextRun(schedule, after, options); at !== null; at = nextRun(schedule, at, options)) {
    times.push(at)
    if (times.length >= options.count) break
  }
  return times
}

function nextOfCrons({ expression, also = [] }: CronSchedule, zone: string, after: number): number | null {
  const times = [expression, ...also].map((each) => nextCron(cachedCron(each), zone, after) ?? Infinity)
  const first = Math.min(...times)
  return first === Infinity ? null : first
}

function nextEvery({ interval, starts_at }: EverySchedule, after: number, { zone, anchor }: Place): number {
  const step = interval * second
  if (starts_at === undefined) return nextInterval(step, after, anchor)
  const start = parseInstant(starts_at, zone)
  if (after < start) return start
  if (step % day !== 0 || hasOffset(starts_at)) return nextInterval(step, after, start)
  const first = Date.parse(`${starts_at}Z`)
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

/** The moment of an ISO date and time; without an offset it is local time in `zone`. */
export function parseInstant(datetime: string, zone: string): number {
  return hasOffset(datetime) ? Date.parse(datetime) : instantOf(zone, Date.parse(`${datetime}Z`))
}

const hasOffset = (datetime: string) => /(?:Z|[+-]\d\d:?\d\d)$/i.test(datetime)

/** Parsed expressions; the result depends on the expression alone. */
const crons = new Map<string, Cron>()
/** One takes about 100 KB. */
const maxCrons = 200

function cachedCron(expression: string): Cron {
  const cached = crons.get(expression)
  if (cached) return cached
  if (crons.size >= maxCrons) crons.clear()
  const cron = readCron(expression)
  crons.set(expression, cron)
  return cron
}

const nextCron = (cron: Cron, zone: string, after: number): number | null =>
  cron.wildcard ? nextByWallClock(cron, zone, after) : nextFixed(cron, zone, after)

/** Every moment at which the wall clock shows a matching time, however often it does. */
function nextByWallClock(cron: Cron, zone: string, after: number): number | null {
  let offset = offsetAt(zone, after)
  let from = after
  for (;;) {
    const local = cron.next(from + offset)
    if (local === null) return null
    const [change] = changesBetween(zone, Math.max(from, after), local - offset)
    if (!change) return local - offset
    offset = change.after
    // The moment of the change itself counts.
    from = change.at - 1
    after = change.at
  }
}

function nextFixed(cron: Cron, zone: string, after: number): number | null {
  let local = cron.next(Math.max(after + offsetAt(zone, after), endOfRepetition(zone, after) - 1))
  // Pacific/Apia had no 30 December 2011: the day did not happen, so it is not made up for.
  while (local !== null && isMissingDay(zone, local)) local = cron.next(local)
  return local === null ? null : instantOf(zone, local)
}

/** Whether a local time lies in a gap of a whole day. */
function isMissingDay(zone: string, local: number): boolean {
  const at = instantOf(zone, local)
  const [change] = changesBetween(zone, at - 1, at)
  return change !== undefined && change.after - change.before >= day && local < at + change.after
}

/** The local time until which the wall clock repeats what it has shown before; -Infinity if it does not. */
function endOfRepetition(zone: string, at: number): number {
  const change = changesBetween(zone, at - 2 * day, at).at(-1)
  return change ? change.at + change.before : Number.NEGATIVE_INFINITY
}

const valueFields = { cron: 'expression', every: 'interval', at: 'datetime' }

/** Checks whether a schedule can be stored, and lists its next 5 due times. Pure. */
export function validateSchedule(
  schedule: {
    type: keyof typeof valueFields
    value: string
    timezone: string
    starts_at?: string | undefined
  },
  now: number,
): { valid: boolean; error?: string; next_runs: string[] } {
  const { type, value, timezone, starts_at } = schedule
  const invalid = (error: string) => ({ valid: false, error, next_runs: [] })
  const field = { [valueFields[type]]: type === 'every' ? Number(value) : value }
  const result = Schedule.safeParse({ type, ...field, timezone, starts_at })
  if (!result.success) {
    const [issue] = result.error.issues
    return invalid(`${issue?.path.join('.')} ${issue?.message}`)
  }
  const times = nextRuns(result.data, now, { zone: timezone, anchor: now, count: 5 })
  return times.length === 0 ? invalid('datetime is in the past') : { valid: true, next_runs: times.map(iso) }
}
