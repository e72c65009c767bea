import { badRequest } from './fault.ts'

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** ISO 8601 in UTC with milliseconds and `Z`, the only format in which times are stored and sent. */
export function iso(milliseconds: number): string {
  if (milliseconds !== latest.milliseconds) latest = { milliseconds, text: new Date(milliseconds).toISOString() }
  return latest.text
}

/** What is written in one millisecond has the same time, and formatting it takes longer than all else about it. */
let latest = { milliseconds: Number.NaN, text: '' }

/** The time of a change, always later than `before`: it identifies the state that the next change is based on. */
export const laterThan = (before: string, now: number): string => iso(Math.max(now, Date.parse(before) + 1))

/** Zones found to be supported; asking takes a tenth of a millisecond. */
const supported = new Set<string>()

/** True for an IANA zone that this JavaScript runtime supports. An offset such as +01:00 is none, though `Intl` takes it. */
export function isTimeZone(zone: string): boolean {
  if (supported.has(zone)) return true
  if (/^[+-]/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    supported.add(zone)
    return true
  } catch {
    return false
  }
}

/** Clocks by zone: making them takes half a millisecond. */
const clocks = new Map<string, { local: Intl.DateTimeFormat; weekday: Intl.DateTimeFormat }>()

function clockOf(zone: string) {
  const cached = clocks.get(zone)
  if (cached) return cached
  const numbers = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: zone } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'longOffset' } as const
  const clock = {
    local: new Intl.DateTimeFormat('sv-SE', { ...numbers, ...time }),
    weekday: new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'long' }),
  }
  clocks.set(zone, clock)
  return clock
}

/** `2026-01-05 10:00:00 UTC+01:00` and `Monday`, as a clock in that zone shows them. */
export function clockIn(zone: string, milliseconds: number): { local: string; weekday: string } {
  const { local, weekday } = clockOf(zone)
  return { local: local.format(milliseconds).replace('GMT', 'UTC'), weekday: weekday.format(milliseconds) }
}

/** Returns the zone, or throws a 400 that names the parameter. */
export function requireTimeZone(zone: string, parameter: string): string {
  if (isTimeZone(zone)) return zone
  throw badRequest(`${parameter} must be an IANA time zone such as Europe/Berlin`)
}
