import { day, hour, minute, second } from '../time.ts'
import { zoneReader } from './wall-clock.ts'

/** A moment at which the offset of a time zone changes; offsets in milliseconds east of UTC. */
export interface Change {
  at: number
  before: number
  after: number
}

interface Year {
  /** The offset at the start of the year. */
  offset: number
  changes: Change[]
}

/** The search step for changes; no change was ever reverted sooner. */
const step = 3 * day
/** Cached years of time zones; each takes a millisecond to compute. */
const maxYears = 2_000

const years = new Map<string, Year>()

function yearOf(zone: string, year: number): Year {
  const key = `${zone} ${year}`
  const cached = years.get(key)
  if (cached) return cached
  if (years.size >= maxYears) years.clear()
  const changes = findChanges(zone, Date.UTC(year, 0), Date.UTC(year + 1, 0))
  years.set(key, changes)
  return changes
}

function findChanges(zone: string, from: number, to: number): Year {
  const read = zoneReader(zone)
  const offset = (at: number) => read(at).offset * minute
  const year: Year = { offset: offset(from), changes: [] }
  let before = year.offset
  for (let at = from; at < to; at += step) {
    const until = Math.min(at + step, to)
    const after = offset(until)
    if (after !== before) year.changes.push({ at: momentOfChange(offset, at, until), before, after })
    before = after
  }
  return year
}

/** The first second with the offset of `until`. */
function momentOfChange(offset: (at: number) => number, from: number, until: number): number {
  const after = offset(until)
  let [low, high] = [from, until]
  while (high - low > second) {
    const middle = low + Math.floor((high - low) / 2 / second) * second
    if (offset(middle) === after) high = middle
    else low = middle
  }
  return high
}

const yearAt = (at: number) => new Date(at).getUTCFullYear()

/** Milliseconds east of UTC. */
export function offsetAt(zone: string, at: number): number {
  const { offset, changes } = yearOf(zone, yearAt(at))
  return changes.findLast((change) => change.at <= at)?.after ?? offset
}

/** Changes after `from` and up to `to`, oldest first. */
export function changesBetween(zone: string, from: number, to: number): Change[] {
  const changes: Change[] = []
  for (let year = yearAt(from); year <= yearAt(to); year += 1)
    changes.push(...yearOf(zone, year).changes.filter(({ at }) => at > from && at <= to))
  return changes
}

/** No offset is further from UTC, and no change is larger. */
const maxOffset = 27 * hour

/**
 * The moment at which the wall clock shows `local` (milliseconds as if it were UTC): the first if it does so
 * twice, and the first moment after the gap if it never does.
 */
export function instantOf(zone: string, local: number): number {
  const begin = local - maxOffset
  let at = local - offsetAt(zone, begin)
  for (const change of changesBetween(zone, begin, local + maxOffset)) {
    if (at < change.at) return at
    at = Math.max(change.at, local - change.after)
  }
  return at
}

/** Milliseconds of the wall clock at a moment, as if it were UTC. */
export const localOf = (zone: string, at: number): number => at + offsetAt(zone, at)

/** Midnight of a local day. */
export const dayOf = (local: number): number => Math.floor(local / day) * day

/** `2026-01-06T09:00`, with seconds only if they are not zero. */
export function localText(local: number): string {
  const text = new Date(local).toISOString()
  return text.slice(17, 19) === '00' ? text.slice(0, 16) : text.slice(0, 19)
}

/** Seconds after midnight as `09:00` or `09:00:30`. */
export const clockText = (seconds: number): string => localText((seconds % 86_400) * second).slice(11)
