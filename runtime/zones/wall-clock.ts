import { day, hour, minute, second } from '../time.ts'

/** The wall clock of a zone at an instant. */
export interface WallClock {
  year: number
  month: number
  day: number
  hour: number
  /** Minutes east of UTC. */
  offset: number
}

/** Returns a function that reads the wall clock of one IANA zone. Reuse it: creating the formatter is expensive. */
export function zoneReader(zone: string): (at: number) => WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const parts = format.formatToParts(at)
    const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
    const clock = { year: read('year'), month: read('month'), day: read('day'), hour: read('hour') }
    const wall = Date.UTC(clock.year, clock.month - 1, clock.day, clock.hour, read('minute'), read('second'))
    return { ...clock, offset: Math.round((wall - Math.floor(at / second) * second) / minute) }
  }
}

type ZoneReader = ReturnType<typeof zoneReader>

const two = (value: number) => String(value).padStart(2, '0')

/** `2026-03-29` */
export const dayLabel = (clock: WallClock): string =>
  `${String(clock.year).padStart(4, '0')}-${two(clock.month)}-${two(clock.day)}`

/** `2026-10-25T02:00+02:00`: the offset distinguishes the two passes of an hour that a clock change repeats. */
export function hourLabel(clock: WallClock): string {
  const size = Math.abs(clock.offset)
  const offset = `${clock.offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
  return `${dayLabel(clock)}T${two(clock.hour)}:00${offset}`
}

export interface Span {
  from: number
  to: number
  unit: 'hour' | 'day'
}

/** The last `count` local hours or days up to `now`, which is included. The last one is partial. */
export function lastOf(count: number, unit: Span['unit'], now: number, zone: string): Span {
  const read = zoneReader(zone)
  const to = now + 1
  if (unit === 'day') return { from: startOfDay(dayAfter(dayLabel(read(now)), 1 - count), read), to, unit }
  // A clock change shifts the hours by up to one.
  const starts = hourStarts({ from: now - (count + 1) * hour, to }, read)
  return { from: starts.at(-count)?.start ?? now, to, unit }
}

/** A labelled interval from `start` until before `end`, in milliseconds since the epoch. */
export interface Bucket {
  label: string
  start: number
  end: number
}

/** All offsets and their changes are multiples of this. */
const quarter = 15 * minute

/** The local hours or days between `from` and `to`, oldest first; the first and the last may be partial. */
export function bucketsOf(span: Span, zone: string): Bucket[] {
  const read = zoneReader(zone)
  const starts = span.unit === 'hour' ? hourStarts(span, read) : dayStarts(span, read)
  return starts.map(({ label, start }, index) => ({ label, start, end: starts[index + 1]?.start ?? span.to }))
}

function hourStarts({ from, to }: { from: number; to: number }, read: ZoneReader) {
  const starts = [{ label: hourLabel(read(from)), start: from }]
  for (let at = Math.floor(from / quarter) * quarter + quarter; at < to; at += quarter) {
    const label = hourLabel(read(at))
    if (label !== starts.at(-1)?.label) starts.push({ label, start: at })
  }
  return starts
}

function dayStarts({ from, to }: { from: number; to: number }, read: ZoneReader) {
  const last = dayLabel(read(Math.max(from, to - 1)))
  const starts = [{ label: dayLabel(read(from)), start: from }]
  for (let label = dayAfter(starts[0]?.label ?? last); label <= last; label = dayAfter(label))
    starts.push({ label, start: startOfDay(label, read) })
  return starts
}

export function dayAfter(label: string, days = 1): string {
  return new Date(Date.parse(`${label}T00:00:00Z`) + days * day).toISOString().slice(0, 10)
}

/** The first instant of a local day, which is not always midnight. */
export function startOfDay(label: string, read: ZoneReader): number {
  const utc = Date.parse(`${label}T00:00:00Z`)
  let before = utc - 15 * hour
  let after = utc + 15 * hour
  while (after - before > second) {
    const middle = Math.floor((before + after) / 2 / second) * second
    if (dayLabel(read(middle)) < label) before = middle
    else after = middle
  }
  return after
}
