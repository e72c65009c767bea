import { day } from '../../time.ts'

/** The time that a question names. */
export interface NamedTime {
  /** How near a moment is to it: 1 within it. Where no year is said, in any year. */
  share(at: number): number
  /** The last one, where no year is said. */
  span: Span
}

/** In milliseconds. */
export interface Span {
  from: number
  /** Not part of it. */
  until: number
}

interface CalendarDate {
  /** Any year where none is said. */
  year?: number
  /** 0 is January. */
  month: number
  /** The whole month where none is said. */
  date?: number
}

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
/** A day that a month can have. */
const ordinal = '(0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?'
const inWords = new RegExp(
  `\\b(?:${ordinal}(?: of)? )?(${months.join('|')})\\b(?: ${ordinal}\\b(?![.:]\\d))?(?:,? ((?:19|20)\\d\\d)\\b)?`,
  'gi',
)
const inDigits = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b/
const relative = /\b(?:(today|yesterday)|(this|last) (week|month))\b/i
/** Words of their own: without a capital letter or a number beside them they are no month. */
const ambiguous = /^(?:may|march)$/

/** What is said of a day is said on it, or the day before or after; zones of time differ by a day too. */
const around = day
/** What is said within a week of a day may be of it. */
const loosely = { within: 7 * day, share: 0.4 }

/** The time that a question names, such as `on 3 May 2023`, `in August`, `last week`; null when it names none. */
export function timeNamedIn(text: string, now: number): NamedTime | null {
  const span = relativeSpan(text, now)
  if (span) return { share: (at) => nearness(at, span), span }
  const date = dateInDigits(text) ?? dateInWords(text)
  if (!date) return null
  const thisYear = spanOf(date, yearOf(now))
  return {
    share: (at) => nearness(at, spanOf(date, yearOf(at))),
    span: thisYear.from > now ? spanOf(date, yearOf(now) - 1) : thisYear,
  }
}

/** The span with what may lie a little beside it. */
export const widened = ({ from, until }: Span): Span => ({ from: from - around, until: until + around })

const yearOf = (at: number): number => new Date(at).getUTCFullYear()

function nearness(at: number, { from, until }: Span): number {
  const wide = widened({ from, until })
  if (at >= wide.from && at < wide.until) return 1
  const near = at >= from - loosely.within && at < until + loosely.within
  return near && until - from <= day ? loosely.share : 0
}

function spanOf({ year: said, month, date }: CalendarDate, otherwise: number): Span {
  const year = said ?? otherwise
  return date === undefined
    ? { from: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) }
    : { from: Date.UTC(year, month, date), until: Date.UTC(year, month, date + 1) }
}

function dateInDigits(text: string): CalendarDate | null {
  const found = inDigits.exec(text)
  return found && { year: Number(found[1]), month: Number(found[2]) - 1, date: Number(found[3]) }
}

function dateInWords(text: string): CalendarDate | null {
  for (const [said, before, name = '', after, year] of text.matchAll(inWords)) {
    const date = before ?? after
    const plain = said === name && (text.startsWith(said) || !/^\p{Lu}/u.test(name))
    if (plain && ambiguous.test(name.toLowerCase())) continue
    return {
      month: months.indexOf(name.toLowerCase()),
      ...(year ? { year: Number(year) } : {}),
      ...(date ? { date: Number(date) } : {}),
    }
  }
  return null
}

/** Weeks begin on Monday. */
function relativeSpan(text: string, now: number): Span | null {
  const found = relative.exec(text)
  if (!found) return null
  const [, single, which, unit] = found
  const today = now - (now % day)
  if (single) return dayAt(single.toLowerCase() === 'today' ? today : today - day)
  const back = which?.toLowerCase() === 'last' ? 1 : 0
  if (unit?.toLowerCase() === 'month')
    return spanOf({ month: new Date(now).getUTCMonth() - back }, yearOf(now))
  const monday = today - ((new Date(now).getUTCDay() + 6) % 7) * day - back * 7 * day
  return { from: monday, until: monday + 7 * day }
}

const dayAt = (from: number): Span => ({ from, until: from + day })
