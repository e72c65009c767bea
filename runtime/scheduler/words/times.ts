import { clockText } from '../zone.ts'
import { type Draft, type Notes, Refusal, secondsPerDay } from './draft.ts'

export interface Times {
  /** Seconds after midnight, in order, each once. */
  list: number[]
  /** Assumed from "in the morning" and the like, not given. */
  assumed: boolean
}

/** Parts of the day: the default hour, and the hour at which they begin. */
const parts: readonly { name: RegExp; hour: number; from: number }[] = [
  { name: /\b(?:early )?mornings?\b/, hour: 9, from: 0 },
  { name: /\bafternoons?\b/, hour: 15, from: 12 },
  { name: /\bevenings?\b/, hour: 18, from: 12 },
  { name: /\btonight\b/, hour: 20, from: 18 },
  { name: /\bnights?\b|\bnightly\b|\bovernight\b/, hour: 21, from: 18 },
  { name: /\blunch ?times?\b|\bat lunch\b/, hour: 12, from: 12 },
  {
    name: /\b(?:the )?end of (?:the )?(?:business |work(?:ing)? )?day\b|\beod\b|\bcob\b/,
    hour: 17,
    from: 12,
  },
]

const bare = '\\d{1,2}(?![\\d:{}]|(?:st|nd|rd|th)\\b|\\.\\d)'
const listJoin = '(?:\\s*,\\s*(?:and |or )?|\\s+and\\s+(?:at )?|\\s*&\\s*|\\s+or\\s+|\\s*/\\s*)'
const unit = '(?! ?(?:times|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)\\b)'

/** Replaces times by `{seconds}` after midnight; ambiguous bare hours become `{seconds?}`. */
export function markTimes(text: string): string {
  return markBare(
    text
      .replace(/\b(?:12 )?(?:noon|mid-?day)\b|\b12:00 noon\b/g, '{43200}')
      .replace(/\b(?:12 )?midnight\b/g, '{0}')
      .replace(
        /\b(half past|half to|quarter past|quarter after|quarter to|quarter of|quarter before) (\d{1,2})(?: ?([ap])\.?m\b\.?)?(?: o'?clock)?/g,
        spoken,
      )
      .replace(
        /(?<!\b(?:from|between) )\b(\d{1,2}) (?:minutes? )?(past|after|to) (1[0-2]|\d)(?![\d:])(?: ?([ap])\.?m\b\.?)?/g,
        minutesPast,
      )
      .replace(
        /(?<![\d:])(\d{1,2})[:.](\d\d)(?::(\d\d))?(?![\d:.])(?: ?([ap])\.?m\b\.?)?(?: ?(?:h|o'?clock)\b)?/g,
        (all, h, m, s, half) => marked(all, { h, m, s, half }),
      )
      .replace(/(?<![\d:])(\d{1,2}) ?([ap])\.?m\b\.?/g, (all, h, half) => marked(all, { h, half }))
      .replace(/(?<![\d:])(\d{1,2}) ?h ?(\d\d)?(?![\p{L}\d])/gu, (all, h, m) => marked(all, { h, m }))
      .replace(/(?<![\d:])(\d{1,2}) ?(?:o'?clock|hours sharp)/g, (all, h) => marked(all, { h, bare: true }))
      .replace(/\b([01]\d|2[0-3])([0-5]\d) ?(?:hrs|hours)\b/g, (all, h, m) => marked(all, { h, m })),
  )
}

/** Bare hours: after "at" and in a list of times, and the two ends of a window. */
function markBare(text: string): string {
  const window = new RegExp(
    `\\b(between|from) (${bare}|{\\d+\\??}) ?(and|to|until|till|til|through|-) ?(${bare}|{\\d+\\??})${unit}`,
    'g',
  )
  const afterAt = new RegExp(`(\\b(?:at|around|about)\\s+|@ ?)(${bare})${unit}`, 'g')
  const inList = new RegExp(`({\\d+\\??}${listJoin})(${bare})${unit}`)
  const beforeList = new RegExp(`(\\bat )?(?<!\\w )(?<![\\d.-])\\b(${bare})(?=${listJoin}{\\d+\\??})`)
  let marked = text
    .replace(window, (_, head, from, _joint, to) => `${head} ${markHour(from)} until ${markHour(to)}`)
    .replace(
      new RegExp(`(?<![\\d/.-])(${bare}) ?(?:-|to) ?(${bare})(?![\\d/.-])${unit}`, 'g'),
      (all, from, to) =>
        Number(from) < 25 && Number(to) < 25 ? `from ${markHour(from)} until ${markHour(to)}` : all,
    )
    .replace(/({\d+\??}) ?- ?({\d+\??})/g, 'from $1 until $2')
    .replace(afterAt, (_, at, hour) => `${at}${markHour(hour)}`)
    .replace(beforeList, (all, _at, hour) => (Number(hour) < 25 ? markHour(hour) : all))
  for (let before = ''; before !== marked; ) {
    before = marked
    marked = marked.replace(inList, (_, head, hour) => `${head}${markHour(hour)}`)
  }
  return marked
}

const markHour = (hour: string) => (hour.startsWith('{') ? hour : marked(hour, { h: hour, bare: true }))

function spoken(all: string, words: string, hour: string, half?: string): string {
  const shift = words === 'half past' ? 30 : words === 'half to' ? -30 : /past|after/.test(words) ? 15 : -15
  return shifted(all, Number(hour), shift, half)
}

function minutesPast(all: string, minutes: string, side: string, hour: string, half?: string): string {
  if (Number(minutes) > 59) return all
  return shifted(all, Number(hour), side === 'to' ? -Number(minutes) : Number(minutes), half)
}

function shifted(all: string, hour: number, minutes: number, half?: string): string {
  const base = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour
  if (hour > 24 || (half && hour > 12)) return all
  const total = (base * 60 + minutes + 1_440) % 1_440
  return ` {${total * 60}${!half && hour < 7 ? '?' : ''}}`.trimStart()
}

interface Written {
  h: string
  m?: string
  s?: string
  half?: string
  bare?: boolean
}

function marked(all: string, { h, m = '0', s = '0', half, bare: alone = false }: Written): string {
  const [hour, minute, second] = [Number(h), Number(m), Number(s)]
  if (minute > 59 || second > 59 || hour > 24 || (hour === 24 && minute + second > 0))
    throw new Refusal(`${all.trim()} is not a time of day`)
  if (half && (hour > 12 || hour === 0)) throw new Refusal(`${all.trim()} is not a time of day`)
  const real = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour % 24
  return `{${real * 3_600 + minute * 60 + second}${alone && hour > 0 && hour < 7 ? '?' : ''}}`
}

/** Takes the times of day; a part of the day decides between morning and evening. */
export function takeTimes(draft: Draft, notes: Notes): Times {
  const part = parts.find(({ name }) => draft.has(name))
  if (part) draft.take(new RegExp(`(?:\\b(?:in the|at|during the|this) )?(?:${part.name.source})`))
  const found = draft.takeAll(/(?:(?:at|around|about|@) ?)?{(\d+)(\??)}/)
  if (found.length === 0) return part ? assumedTime(part.hour, notes) : { list: [], assumed: false }
  const seconds = found.map(([, value, open]) => {
    const at = Number(value)
    if (part) return inPart(at, part)
    if (open)
      notes.warn(
        `${clockText(at)} is in the morning; say "${at / 3_600 >= 1 ? Math.floor(at / 3_600) : 12}pm" for the afternoon`,
      )
    return at
  })
  return { list: [...new Set(seconds)].sort((a, b) => a - b), assumed: false }
}

/** "9 in the evening" is 21:00, "2 at night" is 02:00, "12 at night" is midnight. */
function inPart(at: number, { from }: { from: number }): number {
  const half = secondsPerDay / 2
  const isTwelve = at >= half && at < half + 3_600
  if (isTwelve && from !== 12) return at - half
  return from > 0 && at > 0 && at < half && at + half >= from * 3_600 ? at + half : at
}

function assumedTime(hour: number, notes: Notes): Times {
  notes.assume(`No hour is given: ${clockText(hour * 3_600)} is assumed`)
  return { list: [hour * 3_600], assumed: true }
}

export interface Window {
  from: number
  /** Less than `from` if the window crosses midnight. */
  to: number
}

/** "between 9 and 17", "from 9 to 5", "during business hours". */
export function takeWindow(draft: Draft, notes: Notes): Window | null {
  if (draft.take(/\b(?:(?:during|in|within) )?(?:the )?(?:business|office|work(?:ing)?) hours\b/)) {
    notes.assume('Business hours are taken as 09:00 to 17:00')
    return { from: 9 * 3_600, to: 17 * 3_600 }
  }
  const found = draft.take(/(?:\b(?:between|from) )?{(\d+)\??} (?:until|to|till|til|through|-) {(\d+)(\??)}/)
  if (!found) return null
  const from = Number(found[1])
  const to = Number(found[2])
  // "between 9 and 5" is a working day.
  if (to < from && found[3] && to < 12 * 3_600 && from < 12 * 3_600) {
    notes.warn(`Taken as ${clockText(from)} to ${clockText(to + secondsPerDay / 2)}`)
    return { from, to: to + secondsPerDay / 2 }
  }
  return { from, to: found[0].includes('until') && to === 0 ? secondsPerDay : to }
}
