import type { Schedule } from '../../schedules/schedule.ts'
import { day, iso, second } from '../../time.ts'
import { dayOf, instantOf, localOf, localText } from '../../zones/offsets.ts'
import { cronOfTimes, everyDay } from './cron-text.ts'
import { Draft, defaultTime, type Reference, Refusal, type Scene, UnknownWords } from './draft.ts'
import { seconds, stepOf } from './frequency.ts'
import { phrase } from './grammar.ts'
import type { Parts } from './recurrence.ts'
import { markTimes, takeTimes } from './times.ts'

/** "in 20 minutes", "in 3 days at 9", "2 hours from now"; null for anything else. */
export function takeSpan(draft: Draft, { now, zone, notes }: Scene): Schedule | null {
  const span = draft.take(phrase('later'))
  if (!span) return null
  let [elapsed, days, months] = [0, 0, 0]
  for (const [, number = '', word = ''] of (span[1] ?? span[6] ?? '').matchAll(phrase('piece', 'g'))) {
    const { count, unit } = stepOf(number.startsWith('a') ? 1 : Number(number), word)
    if (unit === 'month' || unit === 'year') months += unit === 'year' ? 12 * count : count
    else if (unit === 'day' || unit === 'week') days += unit === 'week' ? 7 * count : count
    else elapsed += seconds[unit] * count
  }
  const date = addMonths(localOf(zone, now), months) + days * day
  draft.text = markTimes(draft.text)
  const [at] = takeTimes(draft, notes)
  if (at !== undefined && elapsed === 0) return momentAt(instantOf(zone, dayOf(date) + at * second), { now, zone })
  const base = days + months === 0 ? now : instantOf(zone, date)
  // The current milliseconds have no meaning in a due time.
  return momentAt((Math.ceil(base / second) + elapsed) * second, { now, zone })
}

/** The same day of a later month, or its last day if it is shorter. */
function addMonths(local: number, months: number): number {
  const date = new Date(local)
  const number = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months)
  if (date.getUTCDate() !== number) date.setUTCDate(0)
  return date.getTime()
}

function momentAt(at: number, { now, zone }: Reference): Schedule {
  if (at <= now) throw new Refusal(`${localText(localOf(zone, at)).slice(0, 16).replace('T', ' ')} has already passed`)
  return moment(at, zone)
}

const moment = (at: number, timezone: string): Schedule => ({ type: 'at', datetime: iso(at), timezone })
const daily = (time: number, timezone: string, days = everyDay) => ({
  ...cronOfTimes([time], days),
  timezone,
})

/** A single moment: a date, a time, or both. The draft has its times marked and its days in words. */
export async function readMoment(draft: Draft, scene: Scene): Promise<Schedule> {
  const { zone, notes } = scene
  const isToday = /\b(?:tonight|this)\b/.test(draft.text)
  const times = takeTimes(draft, notes)
  const bare = !/[\p{L}\d]/u.test(draft.rest)
  if (bare && times.length === 0) throw new Refusal('That does not say when')
  if (bare && times.length > 1)
    throw new Refusal('That is more than one moment; say "every day" if it repeats', [
      { ...cronOfTimes(times, everyDay), timezone: zone },
    ])
  const time = times[0] ?? defaultTime
  const date = bare ? nextDayWith(time, scene) : await takeDate(draft, time, scene)
  if (times.length > 1)
    throw new Refusal(
      'That is more than one time: create a job for each',
      times.map((each) => moment(instantOf(zone, date + each * second), zone)),
    )
  if (times.length === 0) notes.assumeTime()
  if (bare && !isToday) notes.alternatives.push(daily(time, zone))
  return momentAt(instantOf(zone, date + time * second), scene)
}

/** Today if the time is still to come, else tomorrow; local-clock midnight. */
function nextDayWith(time: number, { now, zone }: Reference): number {
  const today = dayOf(localOf(zone, now))
  return instantOf(zone, today + time * second) > now ? today : today + day
}

/** The date of the words, as local-clock midnight. Takes it out of the draft. */
const takeDate = async (draft: Draft, time: number, scene: Scene): Promise<number> =>
  takeDayOfMonth(draft, time, scene) ?? (await takeChronoDate(draft, time, scene))

/** "on the 15th" */
function takeDayOfMonth(draft: Draft, time: number, { now, zone, notes }: Scene): number | null {
  const only = draft.take(phrase('only_day'))
  if (!only) return null
  const number = Number(only[1])
  if (number < 1 || number > 31) throw new Refusal(`No month has a day ${number}`)
  const today = new Date(localOf(zone, now))
  for (let month = today.getUTCMonth(); ; month += 1) {
    const date = new Date(Date.UTC(today.getUTCFullYear(), month, number))
    if (date.getUTCDate() === number && instantOf(zone, date.getTime() + time * second) > now) {
      notes.alternatives.push(daily(time, zone, { ...everyDay, monthDays: [number] }))
      return date.getTime()
    }
  }
}

async function takeChronoDate(draft: Draft, time: number, { now, zone, notes }: Scene): Promise<number> {
  const { casual } = await import('chrono-node/en')
  const local = localOf(zone, now)
  const words = draft.text.replace(/\bthe (?=\d)/g, '')
  // chrono gets local time as if it were UTC, so that today's offset is not applied to the date.
  const [result] = casual.parse(words, { instant: new Date(local), timezone: 0 }, { forwardDate: true })
  if (!result || result.end) throw new UnknownWords(`"${draft.rest || draft.text}" is not understood as a time`)
  const { start, text } = result
  draft.text = `${words.slice(0, result.index)} ${words.slice(result.index + text.length)}`
  if (text === 'next month') return notes.assume('next month names no day', dayOf(addMonths(local, 1)))
  const date = Date.UTC(start.get('year') ?? 0, (start.get('month') ?? 1) - 1, start.get('day') ?? 1)
  if (!start.isCertain('weekday') || start.isCertain('day')) {
    const [, first = '', next = ''] = /^(\d{1,2})\/(\d{1,2})(?:\/\d+)?$/.exec(text) ?? []
    if (first !== next && Number(first) < 13 && Number(next) < 13) notes.assume(`${text} is read as month/day`)
    if (/^(?:next|this) (?:week|month|year)$/.test(text)) notes.assume(`${text} names no day`)
    return date
  }
  const soonest = date - 7 * day
  const isToCome = instantOf(zone, soonest + time * second) > now
  if (!/\bnext\b/.test(text)) return isToCome && soonest >= dayOf(local) && !/week/.test(text) ? soonest : date
  if (isToCome && soonest > dayOf(local)) {
    notes.assume(`"${text}" is taken as the one in the next week`)
    notes.alternatives.push(moment(instantOf(zone, soonest + time * second), zone))
  }
  return date
}

/** Takes "starting next Monday at 9"; "starting at 9" becomes "at 9". */
export async function takeStart(draft: Draft, scene: Scene): Promise<Parts['start']> {
  if (!phrase('may_begin').test(draft.text)) return null
  const begin = draft.take(phrase('begins'))
  if (!begin) {
    draft.text = draft.text.replace(phrase('begins_at'), 'at ')
    return null
  }
  const words = new Draft(markTimes(begin[1] ?? ''))
  if (/^now\b/.test(words.text)) return null
  const [time = null] = takeTimes(words, scene.notes)
  const date = await takeDate(words, time ?? 86_399, scene)
  draft.text = `${draft.text} ${words.text.trim()}`.trim()
  return { date, time }
}

/** Takes "at :15 and :45", "5 minutes past the hour", "on the hour". */
export function takeMinutes(draft: Draft): number[] | null {
  const listed = draft.take(phrase('at_minutes'))
  if (listed) return validMinutes(listed[1]?.match(/\d+/g)?.map(Number) ?? [])
  const [, number = '', side] = draft.take(phrase('minutes_past')) ?? []
  if (side) {
    const minute = { quarter: 15, half: 30 }[number] ?? Number(number)
    return validMinutes([side === 'past' || side === 'after' ? minute : 60 - minute])
  }
  return draft.take(/\bon the hour\b/) ? [0] : null
}

function validMinutes(minutes: number[]): number[] {
  if (minutes.some((minute) => minute > 59)) throw new Refusal('An hour has minutes 0 to 59')
  return [...new Set(minutes)].sort((a, b) => a - b)
}
