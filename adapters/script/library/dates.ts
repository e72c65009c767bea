import type { DateTime as LuxonDateTime, DateTime as LuxonStatic } from 'luxon'

declare global {
  /** Loaded when it is first used. */
  var DateTime: typeof LuxonStatic
}

const units = ['millisecond', 'second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
type Unit = (typeof units)[number]

const short: Readonly<Record<string, Unit>> = {
  ...{ ms: 'millisecond', sec: 'second', secs: 'second', min: 'minute', mins: 'minute' },
  ...{ hr: 'hour', hrs: 'hour' },
}

/** A unit in the singular, from any of its names; another word stays as it is. */
export function unitOf(unit: unknown): Unit {
  const name = String(unit)
  return short[name] ?? units.find((one) => name === one || name === `${one}s`) ?? (name as Unit)
}

export const unitsOf = (unit: unknown): string => `${unitOf(unit)}s`.replace(/ss$/, 's')

/** The date that a value is or says; undefined if it is none. */
export function parsedDate(value: unknown, zone?: string, keepLocalTime = false): LuxonDateTime | undefined {
  if (DateTime.isDateTime(value) && value.isValid) return value
  if (value instanceof Date) return DateTime.fromJSDate(value)
  const text = String(value).trim()
  const options = { setZone: true, ...(zone === undefined ? {} : { zone }) }
  const readings = [
    () => DateTime.fromISO(text, options),
    () => DateTime.fromHTTP(text, options),
    () => DateTime.fromRFC2822(text, options),
    () => DateTime.fromSQL(text, options),
    () => {
      // The engine reads a time without a zone as UTC.
      const isNaive = !/(?:Z|GMT|UTC|[+-]\d\d:?\d\d)(?:\s*\(.*\))?$/i.test(text)
      const date = DateTime.fromMillis(Date.parse(text))
      return keepLocalTime && isNaive && zone ? date.setZone('utc').setZone(zone, { keepLocalTime }) : date
    },
  ]
  for (const read of readings) {
    const date = attempted(read)
    if (date?.isValid) return date
  }
  return undefined
}

function attempted(read: () => LuxonDateTime): LuxonDateTime | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The bound of an interval: texts are read as `Date` reads them. */
export function normalDate(value: unknown): LuxonDateTime | undefined {
  if (DateTime.isDateTime(value)) return value
  if (value instanceof Date) return DateTime.fromJSDate(value)
  return typeof value === 'string' ? parsedDate(value) : undefined
}
