import { day, iso, second } from '../../time.ts'
import type { Schedule } from '../schema.ts'
import { instantOf } from '../zone.ts'
import { clockText, dayOf, wallOf } from './clock.ts'
import { cronOfTimes, everyDay } from './cron-text.ts'
import type { Draft } from './draft.ts'
import { Notes, Refusal } from './reading.ts'
import { markTimes, takeTimes } from './times.ts'

export interface Reference {
  /** Milliseconds since the epoch. */
  now: number
  zone: string
}

const spans: Record<string, number> = { second: 1, minute: 60, hour: 3_600 }
const dates: Record<string, [number, number]> = {
  day: [1, 0],
  week: [7, 0],
  fortnight: [14, 0],
  month: [0, 1],
  year: [0, 12],
}
const piece =
  '(\\d+|an?) ?(seconds?|secs?|minutes?|mins?|hours?|hrs?|h|m|days?|weeks?|fortnights?|months?|years?)(?!\\p{L})'
const later = new RegExp(
  `(?:^|\\b(?:once|on) )(?:in|after|within)(?: about)? (${piece}(?:,? (?:and )?${piece})?)\\b|\\b(${piece}(?:,? (?:and )?${piece})?) (?:from now|later|hence)\\b`,
  'u',
)

/** "in 20 minutes", "in 3 days at 9", "2 hours from now"; null when no span is named. */
export function readSpan(draft: Draft, { now, zone }: Reference, notes: Notes): Schedule | null {
  const found = draft.take(later)
  if (!found) return null
  const parts = [...(found[1] ?? found[6] ?? '').matchAll(new RegExp(piece, 'gu'))]
  let elapsed = 0
  let [days, months] = [0, 0]
  for (const [, count = '', word = ''] of parts) {
    const unit = unitNamed(word)
    const number = Number(count) || (count.startsWith('a') ? 1 : 0)
    elapsed += number * (spans[unit] ?? 0)
    days += number * (dates[unit]?.[0] ?? 0)
    months += number * (dates[unit]?.[1] ?? 0)
  }
  const wall = wallOf(zone, now)
  const date = addMonths(wall, months) + days * day
  draft.text = markTimes(draft.text)
  const times = takeTimes(draft, notes)
  const at = times.list[0]
  if (at !== undefined && elapsed === 0)
    return momentAt(instantOf(zone, dayOf(date) + at * second), { now, zone })
  const base = days + months === 0 ? now : instantOf(zone, date)
  return momentAt(wholeSecond(base) + elapsed * second, { now, zone })
}

/** Nobody means the milliseconds at which the words came, and they would be shown. */
const wholeSecond = (at: number) => Math.ceil(at / second) * second

const unitNamed = (word: string) =>
  ({ sec: 'second', min: 'minute', hr: 'hour', h: 'hour', m: 'minute' })[word.replace(/s$/, '')] ??
  word.replace(/s$/, '')

/** The same day of a later month, or its last when it is shorter. */
function addMonths(wall: number, months: number): number {
  const date = new Date(wall)
  const wanted = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const longest = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(wanted, longest))
  return date.getTime()
}

function momentAt(at: number, { now, zone }: Reference): Schedule {
  if (at <= now) throw new Refusal(`${describeWall(wallOf(zone, at))} has passed already`)
  return { type: 'at', datetime: iso(at), timezone: zone }
}

const describeWall = (wall: number) => new Date(wall).toISOString().slice(0, 16).replace('T', ' ')

const usualTime = 9 * 3_600

/** One moment: a date, a time, or both. The draft has its times marked and its days in words. */
export async function readMoment(draft: Draft, reference: Reference, notes: Notes): Promise<Schedule> {
  const { zone } = reference
  const isToday = /\b(?:tonight|this)\b/.test(draft.text)
  const times = takeTimes(draft, notes)
  const bare = !/[\p{L}\d]/u.test(draft.rest)
  if (bare && times.list.length === 0) throw new Refusal('That does not say when')
  if (times.list.length > 1) return severalMoments(draft, times.list, reference)
  const time = times.list[0] ?? usualTime
  const date = bare ? nextDayWith(time, reference) : await readDate(draft, { ...reference, time }, notes)
  if (times.list.length === 0) notes.assume(`No time is given: ${clockText(usualTime)} is assumed`)
  if (bare && !isToday) notes.offer({ ...cronOfTimes([time], everyDay), timezone: zone })
  return momentAt(instantOf(zone, date + time * second), reference)
}

async function severalMoments(draft: Draft, times: number[], reference: Reference): Promise<never> {
  const { zone } = reference
  const bare = !/[\p{L}\d]/u.test(draft.rest)
  if (bare)
    throw new Refusal('That is more than one moment; say "every day" if it comes again', [
      { ...cronOfTimes(times, everyDay), timezone: zone },
    ])
  const date = await readDate(draft, { ...reference, time: times[0] ?? 0 }, new Notes())
  const each = times.map(
    (time): Schedule => ({
      type: 'at',
      datetime: iso(instantOf(zone, date + time * second)),
      timezone: zone,
    }),
  )
  throw new Refusal('That is more than one moment: make a job for each', each)
}

/** Today if the time is still to come, else tomorrow; wall-clock midnight. */
function nextDayWith(time: number, { now, zone }: Reference): number {
  const today = dayOf(wallOf(zone, now))
  return instantOf(zone, today + time * second) > now ? today : today + day
}

type DatedReference = Reference & { time: number }

/** The date of the words, as wall-clock midnight. Takes it out of the draft. */
export async function readDate(draft: Draft, reference: DatedReference, notes: Notes): Promise<number> {
  return dayOfMonth(draft, reference, notes) ?? (await chronoDate(draft, reference, notes))
}

/** "on the 15th" */
function dayOfMonth(draft: Draft, { now, zone, time }: DatedReference, notes: Notes): number | null {
  const found = draft.take(/(?:^|\bon |\bthe )(?:the )?(\d{1,2})(?:st|nd|rd|th)(?: of (?:this|the) month)?$/)
  if (!found) return null
  const wanted = Number(found[1])
  if (wanted < 1 || wanted > 31) throw new Refusal(`No month has a day ${wanted}`)
  const today = new Date(dayOf(wallOf(zone, now)))
  for (let month = today.getUTCMonth(); ; month += 1) {
    const date = new Date(Date.UTC(today.getUTCFullYear(), month, wanted))
    if (date.getUTCDate() === wanted && instantOf(zone, date.getTime() + time * second) > now) {
      notes.offer({ ...cronOfTimes([time], { ...everyDay, monthDays: [wanted] }), timezone: zone })
      return date.getTime()
    }
  }
}

async function chronoDate(draft: Draft, { now, zone, time }: DatedReference, notes: Notes): Promise<number> {
  const { casual } = await import('chrono-node/en')
  const wall = wallOf(zone, now)
  const words = draft.text.replace(/\bthe (?=\d)/g, '')
  // The wall clock is read as if it were UTC, so that no offset of today is taken for that of the date.
  const [found] = casual.parse(words, { instant: new Date(wall), timezone: 0 }, { forwardDate: true })
  if (!found || found.end) throw new Refusal(`"${draft.rest || draft.text}" is not understood as a time`)
  const { start } = found
  draft.text = `${words.slice(0, found.index)} ${words.slice(found.index + found.text.length)}`
  if (found.text === 'next month') return nextMonth(wall, notes)
  const date = Date.UTC(start.get('year') ?? 0, (start.get('month') ?? 1) - 1, start.get('day') ?? 1)
  if (!start.isCertain('weekday') || start.isCertain('day')) {
    warnOfOrder(found.text, notes)
    if (/^(?:next|this) (?:week|month|year)$/.test(found.text)) notes.assume(`${found.text} names no day`)
    return date
  }
  const soonest = date - 7 * day
  const isToCome = instantOf(zone, soonest + time * second) > now
  if (!/\bnext\b/.test(found.text))
    return isToCome && soonest >= dayOf(wall) && !/week/.test(found.text) ? soonest : date
  if (isToCome && soonest > dayOf(wall)) {
    notes.assume(`"${found.text}" is taken as the one in the next week`)
    notes.offer({ type: 'at', datetime: iso(instantOf(zone, soonest + time * second)), timezone: zone })
  }
  return date
}

function nextMonth(wall: number, notes: Notes): number {
  notes.assume('next month names no day')
  return dayOf(addMonths(wall, 1))
}

function warnOfOrder(text: string, notes: Notes): void {
  const slashed = /^(\d{1,2})\/(\d{1,2})(?:\/\d+)?$/.exec(text)
  if (slashed && Number(slashed[1]) < 13 && Number(slashed[2]) < 13 && slashed[1] !== slashed[2])
    notes.assume(`${text} is read as month/day`)
}
