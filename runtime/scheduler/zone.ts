import { zoneReader } from '../monitoring/zoned.ts'
import { day, hour, minute } from '../time.ts'

/** A moment at which the clocks of a zone change; offsets in milliseconds east of UTC. */
export interface Change {
  at: number
  before: number
  after: number
}

interface Year {
  /** Offset with which the year begins. */
  offset: number
  changes: Change[]
}

/** Where a change of the clocks is looked for; none was ever taken back sooner. */
const step = 3 * day
/** Years of zones that are kept; each takes a millisecond to find. */
const mostYears = 2_000

const readers = new Map<string, (at: number) => number>()
const years = new Map<string, Year>()

function offsetReader(zone: string): (at: number) => number {
  const known = readers.get(zone)
  if (known) return known
  const read = zoneReader(zone)
  const reader = (at: number) => read(at).offset * minute
  readers.set(zone, reader)
  return reader
}

function yearOf(zone: string, year: number): Year {
  const key = `${zone} ${year}`
  const known = years.get(key)
  if (known) return known
  if (years.size >= mostYears) years.clear()
  const found = findChanges(offsetReader(zone), Date.UTC(year, 0), Date.UTC(year + 1, 0))
  years.set(key, found)
  return found
}

function findChanges(read: (at: number) => number, from: number, to: number): Year {
  const year: Year = { offset: read(from), changes: [] }
  let before = year.offset
  for (let at = from; at < to; at += step) {
    const until = Math.min(at + step, to)
    const after = read(until)
    if (after !== before) year.changes.push({ at: moment(read, at, until), before, after })
    before = after
  }
  return year
}

/** The second at which the offset of `until` begins. */
function moment(read: (at: number) => number, from: number, until: number): number {
  const after = read(until)
  let low = from
  let high = until
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000
    if (read(middle) === after) high = middle
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

/** Changes behind `from` and up to `to`, oldest first. */
export function changesBetween(zone: string, from: number, to: number): Change[] {
  const found: Change[] = []
  for (let year = yearAt(from); year <= yearAt(to); year += 1)
    found.push(...yearOf(zone, year).changes.filter(({ at }) => at > from && at <= to))
  return found
}

/** No clock is farther from UTC, and no change is bigger. */
const farthest = 27 * hour

/**
 * When a clock on the wall shows `wall`: the first time if it does so twice, and the first moment behind the gap if
 * it never does.
 */
export function instantOf(zone: string, wall: number): number {
  const begin = wall - farthest
  let at = wall - offsetAt(zone, begin)
  for (const change of changesBetween(zone, begin, wall + farthest)) {
    if (at < change.at) return at
    at = Math.max(change.at, wall - change.after)
  }
  return at
}
