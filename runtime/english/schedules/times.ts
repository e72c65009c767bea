import { clockText } from '../../zones/offsets.ts'
import { type Draft, type Notes, Refusal, secondsPerDay } from './draft.ts'

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
const listJoin = '(?: ?, ?(?:and |or )?| and (?:at )?| ?& ?| or | ?/ ?)'
const noUnit = '(?! ?(?:times|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)\\b)'
const end = `(${bare}|{\\d{1,5}\\??})`
const half = '(?: ?(?<half>[ap])\\.?m\\b\\.?)'

const relative = new RegExp(
  `\\b(?<shift>half past|half to|quarter (?:past|after|to|of|before)|(?<!\\b(?:from|between) )` +
    `\\d{1,2} (?:minutes? )?(?:past|after|to)(?= (?:1[0-2]|\\d)(?![\\d:]))) (?<hour>\\d{1,2})${half}?(?: o'?clock)?`,
  'g',
)
/** Times on the clock; `bare` is an hour that may be in the morning or in the evening. */
const written = [
  `(?<![\\d:])(?<hour>\\d{1,2})[:.](?<minute>\\d\\d)(?::(?<second>\\d\\d))?(?![\\d:.])${half}?(?: ?(?:h|o'?clock)\\b)?`,
  `(?<![\\d:])(?<hour>\\d{1,2})${half}`,
  '(?<![\\d:])(?<hour>\\d{1,2}) ?h ?(?<minute>\\d\\d)?(?![\\p{L}\\d])',
  "(?<![\\d:])(?<bare>\\d{1,2}) ?(?:o'?clock|hours sharp)",
  '\\b(?<hour>[01]\\d|2[0-3])(?<minute>[0-5]\\d) ?(?:hrs|hours)\\b',
].map((source) => new RegExp(source, 'gu'))
const window = new RegExp(
  `\\b(between|from) ${end} ?(?:and|to|until|till|til|through|-) ?${end}${noUnit}`,
  'g',
)
const range = new RegExp(`(?<![\\d/.-])(${bare}) ?(?:-|to) ?(${bare})(?![\\d/.-])${noUnit}`, 'g')
const afterAt = new RegExp(`(\\b(?:at|around|about) |@ ?)(${bare})${noUnit}`, 'g')
const beforeList = new RegExp(`(?:\\bat )?(?<!\\w )(?<![\\d.-])\\b(${bare})(?=${listJoin}{\\d{1,5}\\??})`)
const inList = new RegExp(`({\\d{1,5}\\??}${listJoin})(${bare})${noUnit}`)

/** Replaces times with `{seconds}` after midnight; ambiguous bare hours become `{seconds?}`. */
export function markTimes(text: string): string {
  const named = text
    .replace(/\b(?:12 )?(?:noon|mid-?day)\b|\b12:00 noon\b/g, '{43200}')
    .replace(/\b(?:12 )?midnight\b/g, '{0}')
    .replace(relative, (...found) => shifted(found[0], found.at(-1)))
  return markBare(
    written.reduce(
      (words, pattern) => words.replace(pattern, (...found) => marked(found[0], found.at(-1))),
      named,
    ),
  )
}

/** Bare hours: after "at" and in a list of times, and the two ends of a window. */
function markBare(text: string): string {
  let marked = text
    .replace(window, (_, head, from, to) => `${head} ${markHour(from)} until ${markHour(to)}`)
    .replace(range, (all, from, to) =>
      Number(from) < 25 && Number(to) < 25 ? `from ${markHour(from)} until ${markHour(to)}` : all,
    )
    .replace(/({\d{1,5}\??}) ?- ?({\d{1,5}\??})/g, 'from $1 until $2')
    .replace(afterAt, (_, at, hour) => `${at}${markHour(hour)}`)
    .replace(beforeList, (all, hour) => (Number(hour) < 25 ? markHour(hour) : all))
  for (let before = ''; before !== marked; ) {
    before = marked
    marked = marked.replace(inList, (_, head, hour) => `${head}${markHour(hour)}`)
  }
  return marked
}

const markHour = (hour: string) => (hour.startsWith('{') ? hour : marked(hour, { bare: hour }))

type Groups = Partial<Record<'hour' | 'bare' | 'minute' | 'second' | 'half' | 'shift', string>>

/** "half past 8", "quarter to 9 pm", "5 minutes to 7". */
function shifted(all: string, { shift = '', hour: given, half }: Groups): string {
  const minutes = shift.startsWith('half')
    ? 30
    : shift.startsWith('quarter')
      ? 15
      : Number.parseInt(shift, 10)
  const hour = Number(given)
  if (hour > (half ? 12 : 24) || minutes > 59) return all
  const base = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour
  const total = (base * 60 + (/past|after/.test(shift) ? minutes : -minutes) + 1_440) % 1_440
  return `{${total * 60}${!half && hour < 7 ? '?' : ''}}`
}

function marked(all: string, { bare, hour: given = bare, minute: m, second: s, half }: Groups): string {
  const [hour, minute, second] = [Number(given), Number(m ?? 0), Number(s ?? 0)]
  const valid = half ? hour > 0 && hour <= 12 : hour < 24 || (hour === 24 && minute + second === 0)
  if (minute > 59 || second > 59 || !valid) throw new Refusal(`${all.trim()} is not a time of day`)
  const real = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour % 24
  return `{${real * 3_600 + minute * 60 + second}${bare && hour > 0 && hour < 7 ? '?' : ''}}`
}

/** Takes the times of day, in order, each once; a part of the day decides between morning and evening. */
export function takeTimes(draft: Draft, notes: Notes): number[] {
  const part = parts.find(({ name }) => name.test(draft.text))
  if (part) draft.take(new RegExp(`(?:\\b(?:in the|at|during the|this) )?(?:${part.name.source})`))
  const found = draft.takeAll(/(?:(?:at|around|about|@) ?)?{(\d{1,5})(\??)}/)
  if (found.length === 0 && part)
    return [notes.assume(`No hour is given: ${clockText(part.hour * 3_600)} is assumed`, part.hour * 3_600)]
  const seconds = found.map(([, value, open]) => {
    const at = Number(value)
    if (part) return inPart(at, part)
    const evening = at / 3_600 >= 1 ? Math.floor(at / 3_600) : 12
    if (open) notes.warn(`${clockText(at)} is in the morning; say "${evening}pm" for the afternoon`)
    return at
  })
  return [...new Set(seconds)].sort((a, b) => a - b)
}

/** "9 in the evening" is 21:00, "2 at night" is 02:00, "12 at night" is midnight. */
function inPart(at: number, { from }: { from: number }): number {
  const half = secondsPerDay / 2
  const isTwelve = at >= half && at < half + 3_600
  if (isTwelve && from !== 12) return at - half
  return from > 0 && at > 0 && at < half && at + half >= from * 3_600 ? at + half : at
}

export interface Window {
  from: number
  /** Less than `from` if the window crosses midnight. */
  to: number
}

/** "between 9 and 17", "from 9 to 5", "during business hours". */
export function takeWindow(draft: Draft, notes: Notes): Window | null {
  if (draft.take(/\b(?:(?:during|in|within) )?(?:the )?(?:business|office|work(?:ing)?) hours\b/)) {
    notes.assume('Business hours are interpreted as 09:00 to 17:00')
    return { from: 9 * 3_600, to: 17 * 3_600 }
  }
  const found = draft.take(/(?:\b(?:between|from) )?{(\d+)\??} (?:until|to|till|til|through|-) {(\d+)(\??)}/)
  if (!found) return null
  const from = Number(found[1])
  const to = Number(found[2])
  // "between 9 and 5" means a working day.
  if (to < from && found[3] && to < 12 * 3_600 && from < 12 * 3_600) {
    notes.warn(`Interpreted as ${clockText(from)} to ${clockText(to + secondsPerDay / 2)}`)
    return { from, to: to + secondsPerDay / 2 }
  }
  return { from, to: found[0].includes('until') && to === 0 ? secondsPerDay : to }
}
