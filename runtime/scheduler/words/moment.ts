import { day, iso, second } from '../../time.ts'
import type { Schedule } from '../schema.ts'
import { clockText, dayOf, instantOf, localOf } from '../zone.ts'
import { cronOfTimes, everyDay } from './cron-text.ts'
import { Draft, Notes, type Reference, Refusal } from './draft.ts'
import type { Parts, Scene } from './recurrence.ts'
import { markTimes, takeTimes } from './times.ts'

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

/** "in 20 minutes", "in 3 days at 9", "2 hours from now"; null for anything else. */
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
  const local = localOf(zone, now)
  const date = addMonths(local, months) + days * day
  draft.text = markTimes(draft.text)
  const times = takeTimes(draft, notes)
  const at = times.list[0]
  if (at !== undefined && elapsed === 0)
    return momentAt(instantOf(zone, dayOf(date) + at * second), { now, zone })
  const base = days + months === 0 ? now : instantOf(zone, date)
  return momentAt(wholeSecond(base) + elapsed * second, { now, zone })
}

/** Milliseconds of the current time are noise in a due time. */
const wholeSecond = (at: number) => Math.ceil(at / second) * second

const unitNamed = (word: string) =>
  ({ sec: 'second', min: 'minute', hr: 'hour', h: 'hour', m: 'minute' })[word.replace(/s$/, '')] ??
  word.replace(/s$/, '')

/** The same day of a later month, or its last day if it is shorter. */
function addMonths(local: number, months: number): number {
  const date = new Date(local)
  const wanted = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const longest = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(wanted, longest))
  return date.getTime()
}

function momentAt(at: number, { now, zone }: Reference): Schedule {
  if (at <= now) throw new Refusal(`${dateText(localOf(zone, at))} has already passed`)
  return { type: 'at', datetime: iso(at), timezone: zone }
}

const dateText = (local: number) => new Date(local).toISOString().slice(0, 16).replace('T', ' ')

const defaultTime = 9 * 3_600

/** A single moment: a date, a time, or both. The draft has its times marked and its days in words. */
export async function readMoment(draft: Draft, reference: Reference, notes: Notes): Promise<Schedule> {
  const { zone } = reference
  const isToday = /\b(?:tonight|this)\b/.test(draft.text)
  const times = takeTimes(draft, notes)
  const bare = !/[\p{L}\d]/u.test(draft.rest)
  if (bare && times.list.length === 0) throw new Refusal('That does not say when')
  if (times.list.length > 1) return severalMoments(draft, times.list, reference)
  const time = times.list[0] ?? defaultTime
  const date = bare ? nextDayWith(time, reference) : await readDate(draft, { ...reference, time }, notes)
  if (times.list.length === 0) notes.assume(`No time is given: ${clockText(defaultTime)} is assumed`)
  if (bare && !isToday) notes.offer({ ...cronOfTimes([time], everyDay), timezone: zone })
  return momentAt(instantOf(zone, date + time * second), reference)
}

async function severalMoments(draft: Draft, times: number[], reference: Reference): Promise<never> {
  const { zone } = reference
  const bare = !/[\p{L}\d]/u.test(draft.rest)
  if (bare)
    throw new Refusal('That is more than one moment; say "every day" if it repeats', [
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

/** Today if the time is still to come, else tomorrow; local-clock midnight. */
function nextDayWith(time: number, { now, zone }: Reference): number {
  const today = dayOf(localOf(zone, now))
  return instantOf(zone, today + time * second) > now ? today : today + day
}

type DatedReference = Reference & { time: number }

/** The date of the words, as local-clock midnight. Takes it out of the draft. */
export async function readDate(draft: Draft, reference: DatedReference, notes: Notes): Promise<number> {
  return dayOfMonth(draft, reference, notes) ?? (await chronoDate(draft, reference, notes))
}

/** "on the 15th" */
function dayOfMonth(draft: Draft, { now, zone, time }: DatedReference, notes: Notes): number | null {
  const found = draft.take(/(?:^|\bon |\bthe )(?:the )?(\d{1,2})(?:st|nd|rd|th)(?: of (?:this|the) month)?$/)
  if (!found) return null
  const wanted = Number(found[1])
  if (wanted < 1 || wanted > 31) throw new Refusal(`No month has a day ${wanted}`)
  const today = new Date(dayOf(localOf(zone, now)))
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
  const local = localOf(zone, now)
  const words = draft.text.replace(/\bthe (?=\d)/g, '')
  // chrono gets local time as if it were UTC, so that today's offset is not applied to the date.
  const [found] = casual.parse(words, { instant: new Date(local), timezone: 0 }, { forwardDate: true })
  if (!found || found.end) throw new Refusal(`"${draft.rest || draft.text}" is not understood as a time`)
  const { start } = found
  draft.text = `${words.slice(0, found.index)} ${words.slice(found.index + found.text.length)}`
  if (found.text === 'next month') return nextMonth(local, notes)
  const date = Date.UTC(start.get('year') ?? 0, (start.get('month') ?? 1) - 1, start.get('day') ?? 1)
  if (!start.isCertain('weekday') || start.isCertain('day')) {
    warnOfOrder(found.text, notes)
    if (/^(?:next|this) (?:week|month|year)$/.test(found.text)) notes.assume(`${found.text} names no day`)
    return date
  }
  const soonest = date - 7 * day
  const isToCome = instantOf(zone, soonest + time * second) > now
  if (!/\bnext\b/.test(found.text))
    return isToCome && soonest >= dayOf(local) && !/week/.test(found.text) ? soonest : date
  if (isToCome && soonest > dayOf(local)) {
    notes.assume(`"${found.text}" is taken as the one in the next week`)
    notes.offer({ type: 'at', datetime: iso(instantOf(zone, soonest + time * second)), timezone: zone })
  }
  return date
}

function nextMonth(local: number, notes: Notes): number {
  notes.assume('next month names no day')
  return dayOf(addMonths(local, 1))
}

function warnOfOrder(text: string, notes: Notes): void {
  const slashed = /^(\d{1,2})\/(\d{1,2})(?:\/\d+)?$/.exec(text)
  if (slashed && Number(slashed[1]) < 13 && Number(slashed[2]) < 13 && slashed[1] !== slashed[2])
    notes.assume(`${text} is read as month/day`)
}

const dayName = '(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?'
const monthName = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*'
const begin = new RegExp(
  `\\b(?:(?:starting|beginning|starts|starting from|as of|counted from)(?: on| from| at)?|from) (?=(?:the )?(?:now|today|tomorrow|next|\\d{4}-|\\d{1,2}(?:st|nd|rd|th)? ${monthName}|${monthName}\\.? \\d|${dayName}(?! ?(?:to|through|thru|until|till|-))))(.+)$`,
)
const beginAt = /\b(?:starting|beginning|starts)(?: at| from)? (?=\d|noon|midnight)/

/** Takes "starting next Monday at 9"; "starting at 9" becomes "at 9". */
export async function takeStart(draft: Draft, scene: Scene): Promise<Parts['start']> {
  if (!/every|each|daily|weekly|hourly|monthly/.test(draft.text)) return null
  const found = draft.take(begin)
  if (!found) {
    draft.text = draft.text.replace(beginAt, 'at ')
    return null
  }
  const words = new Draft(markTimes(found[1] ?? ''))
  if (/^now\b/.test(words.text)) return null
  const [time = null] = takeTimes(words, scene.notes).list
  const date = await readDate(words, { ...scene, time: time ?? 86_399 }, scene.notes)
  draft.text = `${draft.text} ${words.text.trim()}`.trim()
  return { date, time }
}

/** Takes "at :15 and :45", "5 minutes past the hour", "on the hour". */
export function takeMinutes(draft: Draft): number[] | null {
  const listed = draft.take(
    /\bat ((?:(?:, | and |, and )?:[0-5]\d)+)(?: (?:past|of) (?:the|each|every) hour)?/,
  )
  if (listed) return [...(listed[1] ?? '').matchAll(/:(\d\d)/g)].map(([, minute]) => Number(minute))
  const named = draft.take(
    /\b(?:at )?minutes? (\d{1,2}(?:(?:, | and |, and )\d{1,2})*)(?: of (?=(?:each|every) hour)| (?:of|past) the hour)?/,
  )
  if (named) return validMinutes([...(named[1] ?? '').matchAll(/\d+/g)].map(Number))
  const past = draft.take(
    /\b(?:at )?(\d{1,2}|quarter|half)(?: minutes?)? (past|after|to|before) (?:the hour|(?=(?:each|every) hour))/,
  )
  if (past) return validMinutes([minuteOf(past[1] ?? '', past[2] ?? '')])
  const hanging = draft.take(/(?<=\bhour |\bhourly )at (\d{1,2}) (?:minutes?|mins?) past$/)
  if (hanging) return validMinutes([Number(hanging[1])])
  return draft.take(/\bon the hour\b/) ? [0] : null
}

function minuteOf(words: string, side: string): number {
  const minute = { quarter: 15, half: 30 }[words] ?? Number(words)
  return /past|after/.test(side) ? minute : 60 - minute
}

function validMinutes(minutes: number[]): number[] {
  if (minutes.some((minute) => minute > 59)) throw new Refusal('An hour has minutes 0 to 59')
  return [...new Set(minutes)].sort((a, b) => a - b)
}
