/** A cron expression as lists of numbers; null is every one. */
export interface CronFields {
  /** Null where the expression has 5 fields, so at second 0. */
  seconds: string | null
  minute: string
  hour: string
  minutes: number[]
  hours: number[]
  /** -1 is the last day. */
  dates: number[] | null
  months: number[] | null
  weekdays: number[] | null
  nth: { nth: number; weekday: number }[]
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const weekdays = 'sun mon tue wed thu fri sat'.split(' ')

const nicknames: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** The fields of a valid expression; null for what they cannot hold. Pure. */
export function cronFields(expression: string): CronFields | null {
  const words = expression.trim().toLowerCase()
  const fields = (nicknames[words] ?? words).split(/\s+/)
  const seconds = fields.length === 6 ? (fields.shift() ?? null) : null
  const [minute = '', hour = '', dom = '', month = '', dow = ''] = fields
  const read = {
    minutes: listOf(minute, 0, 59),
    hours: listOf(hour, 0, 23),
    dates: datesOf(dom),
    months: isAny(month) ? ('any' as const) : listOf(named(month, months, 1), 1, 12),
    weekdays: weekdaysOf(named(dow, weekdays, 0)),
  }
  if (!read.minutes || !read.hours || !read.dates || !read.months || !read.weekdays) return null
  const { dates, months: found } = read
  return {
    seconds: seconds === '0' ? null : seconds,
    minute,
    hour,
    minutes: read.minutes,
    hours: read.hours,
    dates: dates === 'any' ? null : dates,
    months: found === 'any' ? null : found,
    ...read.weekdays,
  }
}

const isAny = (field: string) => field === '*' || field === '?'

const named = (field: string, names: readonly string[], base: number) =>
  field.replace(/[a-z]{3}/g, (name) => (names.includes(name) ? String(names.indexOf(name) + base) : name))

/** Lists, ranges and steps. */
export function listOf(field: string, from: number, to: number): number[] | null {
  const found = new Set<number>()
  for (const part of field.split(',')) {
    const read = /^(?:(\*|\?)|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part)
    if (!read) return null
    const [, any, first, last, step] = read
    const begin = any ? from : Number(first)
    const end = any || (step && !last) ? to : Number(last ?? first)
    if (begin > end) return null
    for (let value = begin; value <= end; value += Number(step ?? 1)) found.add(value)
  }
  return [...found].sort((a, b) => a - b)
}

function datesOf(field: string): number[] | 'any' | null {
  if (isAny(field)) return 'any'
  const parts = field.split(',')
  const numbers = parts.filter((part) => part !== 'l')
  const list = numbers.length > 0 ? listOf(numbers.join(), 1, 31) : []
  return list && [...list, ...(numbers.length < parts.length ? [-1] : [])]
}

function weekdaysOf(field: string): Pick<CronFields, 'weekdays' | 'nth'> | null {
  if (isAny(field)) return { weekdays: null, nth: [] }
  const parts = field.split(',')
  const nth = parts.flatMap((part) => placeOf(part) ?? [])
  const plain = parts.filter((part) => !placeOf(part))
  const list = plain.length > 0 ? listOf(plain.join(), 0, 7) : []
  if (!list) return null
  const days = [...new Set(list.map((day) => day % 7))].sort((a, b) => a - b)
  return { weekdays: days.length > 0 ? days : null, nth }
}

function placeOf(part: string): { nth: number; weekday: number } | null {
  const read = /^(\d)(?:#(\d|l)|(l))$/.exec(part)
  if (!read) return null
  const [, weekday, nth] = read
  return { nth: nth === undefined || nth === 'l' ? -1 : Number(nth), weekday: Number(weekday) % 7 }
}
