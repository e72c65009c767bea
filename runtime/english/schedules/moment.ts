import type { Schedule } from '../../schedules/schedule.ts'
import { day, iso, second } from '../../time.ts'
import { dayOf, instantOf, localOf, localText } from '../../zones/offsets.ts'
import { cronOfTimes, everyDay } from './cron-text.ts'
import { dayName, monthName } from './days.ts'
import { Draft, defaultTime, type Reference, Refusal, type Scene, UnknownWords } from './draft.ts'
import type { Parts } from './recurrence.ts'
import { markTimes, takeTimes } from './times.ts'

/** Seconds, days and months of a unit, by the beginning of its name. */
const units: readonly [name: RegExp, seconds: number, days: number, months: number][] = [
  [/^s/, 1, 0, 0],
  [/^m(?!o)/, 60, 0, 0],
  [/^h/, 3_600, 0, 0],
  [/^d/, 0, 1, 0],
  [/^w/, 0, 7, 0],
  [/^f/, 0, 14, 0],
  [/^mo/, 0, 0, 1],
  [/^y/, 0, 0, 12],
]
const piece =
  '(?<!\\d)(\\d{1,9}|an?) ?(seconds?|secs?|minutes?|mins?|hours?|hrs?|h|m|days?|weeks?|fortnights?|months?|years?)(?!\\p{L})'
const pieces = new RegExp(piece, 'gu')
const span = `(${piece}(?:,? (?:and )?${piece})?)`
const later = new RegExp(
  `(?:^|\\b(?:once|on) )(?:in|after|within)(?: about)? ${span}\\b|\\b${span} (?:from now|later|hence)\\b`,
  'u',
)

/** "in 20 minutes", "in 3 days at 9", "2 hours from now"; null for anything else. */
export function takeSpan(draft: Draft, { now, zone, notes }: Scene): Schedule | null {
  const found = draft.take(later)
  if (!found) return null
  let [elapsed, days, months] = [0, 0, 0]
  for (const [, count = '', word = ''] of (found[1] ?? found[6] ?? '').matchAll(pieces)) {
    const number = count.startsWith('a') ? 1 : Number(count)
    const [, ...sizes] = units.find(([name]) => name.test(word)) ?? [0, 0, 0, 0]
    elapsed += number * sizes[0]
    days += number * sizes[1]
    months += number * sizes[2]
  }
  const date = addMonths(localOf(zone, now), months) + days * day
  draft.text = markTimes(draft.text)
  const [at] = takeTimes(draft, notes)
  if (at !== undefined && elapsed === 0)
    return momentAt(instantOf(zone, dayOf(date) + at * second), { now, zone })
  const base = days + months === 0 ? now : instantOf(zone, date)
  // The current milliseconds have no meaning in a due time.
  return momentAt((Math.ceil(base / second) + elapsed) * second, { now, zone })
}

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
  if (at <= now)
    throw new Refusal(`${localText(localOf(zone, at)).slice(0, 16).replace('T', ' ')} has already passed`)
  return moment(at, zone)
}

const moment = (at: number, timezone: string): Schedule => ({ type: 'at', datetime: iso(at), timezone })

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
  if (bare && !isToday) notes.alternatives.push({ ...cronOfTimes([time], everyDay), timezone: zone })
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
  const found = draft.take(/(?:^|\bon |\bthe )(?:the )?(\d{1,2})(?:st|nd|rd|th)(?: of (?:this|the) month)?$/)
  if (!found) return null
  const wanted = Number(found[1])
  if (wanted < 1 || wanted > 31) throw new Refusal(`No month has a day ${wanted}`)
  const today = new Date(localOf(zone, now))
  for (let month = today.getUTCMonth(); ; month += 1) {
    const date = new Date(Date.UTC(today.getUTCFullYear(), month, wanted))
    if (date.getUTCDate() === wanted && instantOf(zone, date.getTime() + time * second) > now) {
      notes.alternatives.push({
        ...cronOfTimes([time], { ...everyDay, monthDays: [wanted] }),
        timezone: zone,
      })
      return date.getTime()
    }
  }
}

async function takeChronoDate(draft: Draft, time: number, { now, zone, notes }: Scene): Promise<number> {
  const { casual } = await import('chrono-node/en')
  const local = localOf(zone, now)
  const words = draft.text.replace(/\bthe (?=\d)/g, '')
  // chrono gets local time as if it were UTC, so that today's offset is not applied to the date.
  const [found] = casual.parse(words, { instant: new Date(local), timezone: 0 }, { forwardDate: true })
  if (!found || found.end) throw new UnknownWords(`"${draft.rest || draft.text}" is not understood as a time`)
  const { start, text } = found
  draft.text = `${words.slice(0, found.index)} ${words.slice(found.index + text.length)}`
  if (text === 'next month') return notes.assume('next month names no day', dayOf(addMonths(local, 1)))
  const date = Date.UTC(start.get('year') ?? 0, (start.get('month') ?? 1) - 1, start.get('day') ?? 1)
  if (!start.isCertain('weekday') || start.isCertain('day')) {
    const [, first = '', next = ''] = /^(\d{1,2})\/(\d{1,2})(?:\/\d+)?$/.exec(text) ?? []
    if (first !== next && Number(first) < 13 && Number(next) < 13)
      notes.assume(`${text} is read as month/day`)
    if (/^(?:next|this) (?:week|month|year)$/.test(text)) notes.assume(`${text} names no day`)
    return date
  }
  const soonest = date - 7 * day
  const isToCome = instantOf(zone, soonest + time * second) > now
  if (!/\bnext\b/.test(text))
    return isToCome && soonest >= dayOf(local) && !/week/.test(text) ? soonest : date
  if (isToCome && soonest > dayOf(local)) {
    notes.assume(`"${text}" is taken as the one in the next week`)
    notes.alternatives.push(moment(instantOf(zone, soonest + time * second), zone))
  }
  return date
}

const begin = new RegExp(
  `\\b(?:(?:starting|beginning|starts|starting from|as of|counted from)(?: on| from| at)?|from) ` +
    `(?=(?:the )?(?:now|today|tomorrow|next|\\d{4}-|\\d{1,2}(?:st|nd|rd|th)? ${monthName}|${monthName}\\.? \\d|` +
    `${dayName}(?! ?(?:to|through|thru|until|till|-))))(.+)$`,
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
  const [time = null] = takeTimes(words, scene.notes)
  const date = await takeDate(words, time ?? 86_399, scene)
  draft.text = `${draft.text} ${words.text.trim()}`.trim()
  return { date, time }
}

/** Takes "at :15 and :45", "5 minutes past the hour", "on the hour". */
export function takeMinutes(draft: Draft): number[] | null {
  const listed =
    draft.take(/\bat ((?:(?:, | and |, and )?:[0-5]\d){1,60})(?: (?:past|of) (?:the|each|every) hour)?/) ??
    draft.take(
      /\b(?:at )?minutes? (\d{1,2}(?:(?:, | and |, and )\d{1,2}){0,60})(?: of (?=(?:each|every) hour)| (?:of|past) the hour)?/,
    )
  if (listed) return validMinutes([...(listed[1] ?? '').matchAll(/\d+/g)].map(Number))
  const past = draft.take(
    /\b(?:at )?(\d{1,2}|quarter|half)(?: minutes?)? (past|after|to|before) (?:the hour|(?=(?:each|every) hour))/,
  )
  if (past) {
    const minute = { quarter: 15, half: 30 }[past[1] ?? ''] ?? Number(past[1])
    return validMinutes([/past|after/.test(past[2] ?? '') ? minute : 60 - minute])
  }
  const hanging = draft.take(/(?<=\bhour |\bhourly )at (\d{1,2}) (?:minutes?|mins?) past$/)
  if (hanging) return validMinutes([Number(hanging[1])])
  return draft.take(/\bon the hour\b/) ? [0] : null
}

function validMinutes(minutes: number[]): number[] {
  if (minutes.some((minute) => minute > 59)) throw new Refusal('An hour has minutes 0 to 59')
  return [...new Set(minutes)].sort((a, b) => a - b)
}
