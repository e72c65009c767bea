import { day } from '../../time.ts'

const preamble =
  /^(?:(?:and|so|but|ok|okay|hey|hi|please|well)[,\s]+)*(?:can|could|would|do) you (?:please )?(?:tell me|remember|recall|remind me(?: of)?|know)[,\s]+/i
const wh =
  /^(?:(?:in|on|at|for|from|to|with|by|about|of|since|until) )?(?:what(?:'s| is| are| was| were)?|when|where|who|whom|whose|which|why|how(?: (?:much|many|long|often|old|far|come|did it))?)\b/i
const auxiliary = /^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|might|may|must)(?:n't)?\b/i
const kinds = /^(?:kind|type|sort|name)s? of\b/i

/** Whether a text is a question, by its question mark or its first words. */
export const isQuestion = (text: string): boolean => {
  const trimmed = text.trim()
  return trimmed.endsWith('?') || wh.test(trimmed) || auxiliary.test(trimmed)
}

/**
 * Reduces a question to the words that its answer would share, by leaving out the question words. An embedder
 * that was not trained on questions places questions near other questions, and statements near statements.
 */
export function statementOf(question: string): string {
  let text = question.trim().replace(/(?<![?\s])[?\s]+$/u, '')
  for (const pattern of [preamble, wh, auxiliary, kinds]) text = text.replace(pattern, '').trim()
  return text === '' ? question.trim() : text
}

const when = /\bwhen\b|\b(?:what|which) (?:date|day|month|year|time|week|season)\b|\bhow (?:long ago|recently)\b/i

export const asksWhen = (text: string): boolean => when.test(text)

const timeExpression = new RegExp(
  [
    'january|february|march|april|june|july|august|september|october|november|december',
    'jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec',
    '(?:mon|tues|wednes|thurs|fri|satur|sun)day',
    'yesterday|today|tonight|tomorrow|ago|recently|weekend|birthday|anniversary|christmas|easter|halloween',
    '(?:last|next|this|past|coming|previous|following|every) (?:year|month|week|night|spring|summer|autumn|fall|winter|time|few)',
    '(?:19|20)\\d\\d|\\d{1,2}(?:st|nd|rd|th)|\\d{1,2}[/.]\\d{1,2}|in may|may \\d',
    'the other day|(?:a|one|two|three|four|five|six|\\d+) (?:day|week|month|year)s?',
  ]
    .map((part) => `(?:${part})`)
    .join('|')
    .replace(/^/, '\\b(?:')
    .concat(')\\b'),
  'i',
)

/** Whether a text contains a date or another expression of time. */
export const mentionsTime = (text: string): boolean => timeExpression.test(text)

/** The time that a question refers to. */
export interface NamedTime {
  /** How well a time matches: 1 within the named time. Without a year, any year matches. */
  share(at: number): number
  /** The latest such span, if no year is named. */
  span: Span
}

/** In milliseconds since the epoch. */
export interface Span {
  from: number
  /** Exclusive. */
  until: number
}

interface CalendarDate {
  /** Any year if undefined. */
  year?: number
  /** 0 is January. */
  month: number
  /** The whole month if undefined. */
  date?: number
}

const months = 'january february march april may june july august september october november december'.split(' ')
/** A day of the month. */
const ordinal = '(0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?'
const monthName = new RegExp(
  `\\b(?:${ordinal}(?: of)? )?(${months.join('|')})\\b(?: ${ordinal}\\b(?![.:]\\d))?(?:,? ((?:19|20)\\d\\d)\\b)?`,
  'gi',
)
const isoDate = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b/
const relative = /\b(?:(today|yesterday)|(this|last) (week|month))\b/i
/**
 * These are also ordinary words, so they count as months only with a capital letter or a number next to them.
 */
const ambiguous = /^(?:may|march)$/

/** Tolerance: people report a day's events one day early or late, and time zones differ. */
const tolerance = day
/** Within a week of a named day an episode may still be about it. */
const weekAround = { within: 7 * day, share: 0.4 }

/**
 * The time that a question names, such as `on 3 May 2023`, `in August`, `last week`; null if it names none.
 */
export function timeNamedIn(text: string, now: number): NamedTime | null {
  const span = relativeSpan(text, now)
  if (span) return { share: (at) => nearness(at, span), span }
  const date = parseIsoDate(text) ?? parseMonthName(text)
  if (!date) return null
  const thisYear = spanOf(date, yearOf(now))
  return {
    share: (at) => nearness(at, spanOf(date, yearOf(at))),
    span: thisYear.from > now ? spanOf(date, yearOf(now) - 1) : thisYear,
  }
}

/** A span extended by the tolerance. */
export const widened = ({ from, until }: Span): Span => ({ from: from - tolerance, until: until + tolerance })

const yearOf = (at: number): number => new Date(at).getUTCFullYear()

function nearness(at: number, { from, until }: Span): number {
  const wide = widened({ from, until })
  if (at >= wide.from && at < wide.until) return 1
  const near = at >= from - weekAround.within && at < until + weekAround.within
  return near && until - from <= day ? weekAround.share : 0
}

function spanOf({ year: named, month, date }: CalendarDate, defaultYear: number): Span {
  const year = named ?? defaultYear
  return date === undefined
    ? { from: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) }
    : { from: Date.UTC(year, month, date), until: Date.UTC(year, month, date + 1) }
}

function parseIsoDate(text: string): CalendarDate | null {
  const match = isoDate.exec(text)
  return match && { year: Number(match[1]), month: Number(match[2]) - 1, date: Number(match[3]) }
}

function parseMonthName(text: string): CalendarDate | null {
  for (const [match, before, name = '', after, year] of text.matchAll(monthName)) {
    const date = before ?? after
    const alone = match === name && (text.startsWith(match) || !/^\p{Lu}/u.test(name))
    if (alone && ambiguous.test(name.toLowerCase())) continue
    return {
      month: months.indexOf(name.toLowerCase()),
      ...(year ? { year: Number(year) } : {}),
      ...(date ? { date: Number(date) } : {}),
    }
  }
  return null
}

/** Weeks start on Monday. */
function relativeSpan(text: string, now: number): Span | null {
  const match = relative.exec(text)
  if (!match) return null
  const [, single, which, unit] = match
  const today = now - (now % day)
  if (single) return dayAt(single.toLowerCase() === 'today' ? today : today - day)
  const back = which?.toLowerCase() === 'last' ? 1 : 0
  if (unit?.toLowerCase() === 'month') return spanOf({ month: new Date(now).getUTCMonth() - back }, yearOf(now))
  const monday = today - ((new Date(now).getUTCDay() + 6) % 7) * day - back * 7 * day
  return { from: monday, until: monday + 7 * day }
}

const dayAt = (from: number): Span => ({ from, until: from + day })
