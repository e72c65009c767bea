import { clockText, dayOf, localOf, offsetAt } from '../../scheduler/zone.ts'
import { day, isTimeZone, minute } from '../../time.ts'

export interface Day {
  year: number
  /** 1 to 12. */
  month: number
  day: number
}

export interface WallClock extends Day {
  /** Milliseconds since the epoch. */
  instant: number
  /** "14:05" */
  time: string
  timezone: string
}

/** The moment and the IANA zone from which words such as "tomorrow" are read. */
export interface Reference {
  now: number
  timezone: string
}

/** The wall clock of a zone. An unknown zone counts as UTC. */
export function wallClock(now: number, zone: string): WallClock {
  const timezone = isTimeZone(zone) ? zone : 'UTC'
  const local = localOf(timezone, now)
  return {
    ...toDay(local),
    instant: now,
    time: clockText(Math.floor((local - dayOf(local)) / minute) * 60),
    timezone,
  }
}

/** Minutes that the zone is ahead of UTC at that instant. */
export const zoneOffset = (now: number, timezone: string): number =>
  offsetAt(isTimeZone(timezone) ? timezone : 'UTC', now) / minute

const utc = (date: Day): number => Date.UTC(date.year, date.month - 1, date.day)
export const dayNumber = (date: Day): number => Math.round(utc(date) / day)

const english = (day: Day, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(utc(day))

export const weekdayOf = (day: Day): string => english(day, { weekday: 'long' })
/** "3 March 2027" */
export const shortDay = (day: Day): string => english(day, { day: 'numeric', month: 'long', year: 'numeric' })
/** "Wednesday, 3 March 2027" */
export const longDay = (day: Day): string => `${weekdayOf(day)}, ${shortDay(day)}`

/** The ISO 8601 week, which is that of its Thursday. */
export function weekOf(date: Day): number {
  const thursday = toDay(utc(date) + (3 - ((new Date(utc(date)).getUTCDay() + 6) % 7)) * day)
  return Math.floor((dayNumber(thursday) - dayNumber({ ...thursday, month: 1, day: 1 })) / 7) + 1
}

export interface DateReading {
  day: Day
  /** Minutes after midnight when a time was given. */
  minute: number | undefined
  /** Milliseconds since the epoch. */
  instant: number
  /** The words that were read, and where they begin. */
  words: string
  index: number
}

/** All dates in an English text, relative to the reference day. chrono is loaded when first used. */
export async function readDates(text: string, reference: Reference, forward = false): Promise<DateReading[]> {
  const { casual } = await import('chrono-node/en')
  const from = { instant: new Date(reference.now), timezone: zoneOffset(reference.now, reference.timezone) }
  return casual.parse(text, from, { forwardDate: forward }).map(({ start, text: words, index }) => ({
    day: { year: start.get('year') ?? 0, month: start.get('month') ?? 1, day: start.get('day') ?? 1 },
    minute: start.isCertain('hour') ? (start.get('hour') ?? 0) * 60 + (start.get('minute') ?? 0) : undefined,
    instant: start.date().getTime(),
    words,
    index,
  }))
}

/** The one day that a text names: a holiday or a date. Undefined when none is read. */
export async function readDay(text: string, reference: Reference, forward = false): Promise<Day | undefined> {
  const today = wallClock(reference.now, reference.timezone)
  const plain = text
    .replace(/^(?:the )?(?:start|beginning) of /i, '')
    .replace(/\b(?:the )?day after tomorrow\b/i, 'in 2 days')
    .replace(/\b(?:the )?day before yesterday\b/i, '2 days ago')
    .replace(/(?<=\S )(?:of )?next year$/i, String(today.year + 1))
  if (/^(?:the )?end of (?:the|this) year$/i.test(plain)) return { year: today.year, month: 12, day: 31 }
  if (/^(?:the )?end of (?:the|this) month$/i.test(plain)) return toDay(Date.UTC(today.year, today.month, 0))
  return findHoliday(plain, today) ?? (await readDates(plain, reference, forward))[0]?.day
}

function toDay(instant: number): Day {
  const date = new Date(instant)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** Month and day, or days after Easter Sunday. Thanksgiving is that of the United States. */
const HOLIDAYS: readonly [RegExp, [month: number, day: number] | number | 'thanksgiving'][] = [
  [/\bchristmas eve\b/i, [12, 24]],
  [/\b(?:christmas|xmas)\b/i, [12, 25]],
  [/\bboxing day\b/i, [12, 26]],
  [/\bnew year'?s eve\b/i, [12, 31]],
  [/\bnew year(?:'?s)?\b/i, [1, 1]],
  [/\bvalentine'?s?\b/i, [2, 14]],
  [/\bpatrick'?s day\b/i, [3, 17]],
  [/\bhalloween\b/i, [10, 31]],
  [/\bbastille day\b/i, [7, 14]],
  [/\bindependence day\b/i, [7, 4]],
  [/\bgood friday\b/i, -2],
  [/\beaster monday\b/i, 1],
  [/\beaster\b/i, 0],
  [/\b(?:pentecost|whit sunday)\b/i, 49],
  [/\bthanksgiving\b/i, 'thanksgiving'],
]

/** The next holiday named in the text, on or after `today`, or in the year that it names. */
export function findHoliday(text: string, today: Day): Day | undefined {
  const rule = HOLIDAYS.find(([pattern]) => pattern.test(text))?.[1]
  if (rule === undefined) return undefined
  const named = Number(/\b(?:19|20|21)\d\d\b/.exec(text)?.[0] ?? 0)
  const day = holidayIn(named || today.year, rule)
  return named || dayNumber(day) >= dayNumber(today) ? day : holidayIn(today.year + 1, rule)
}

function holidayIn(year: number, rule: (typeof HOLIDAYS)[number][1]): Day {
  if (typeof rule === 'number') return toDay(utc(easter(year)) + rule * day)
  if (rule !== 'thanksgiving') return { year, month: rule[0], day: rule[1] }
  const first = new Date(Date.UTC(year, 10, 1)).getUTCDay()
  return { year, month: 11, day: 22 + ((4 - first + 7) % 7) }
}

/** The Gregorian computus of Meeus, Jones and Butcher. */
function easter(year: number): Day {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const sum = h + l - 7 * m + 114
  return { year, month: Math.floor(sum / 31), day: (sum % 31) + 1 }
}

const RELATIVE =
  /\b(?:today|tonight|tomorrow|yesterday|(?:this|next|last) (?:morning|evening|week(?:end)?|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|in (?:\d+|an?|two|three|four|five|six) (?:hours?|days?|weeks?|months?)|(?:\d+|an?|two|three) (?:days?|weeks?|months?) ago|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i

/** "Tomorrow" means nothing next week: a memory with such a word keeps the day on which it was said. */
export function dated(content: string, reference: Reference): string {
  if (!RELATIVE.test(content)) return content
  return `${content} (said on ${longDay(wallClock(reference.now, reference.timezone))})`
}
