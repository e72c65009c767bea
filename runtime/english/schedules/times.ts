import { clockText } from '../../zones/offsets.ts'
import { type Draft, type Notes, Refusal, secondsPerDay } from './draft.ts'
import grammar from './grammar.json' with { type: 'json' }
import { phrase } from './grammar.ts'

/** Parts of the day: the default hour, and the hour at which they begin. */
const parts = Object.entries(grammar.day_parts).map(([name, hours]) => {
  const [hour = 0, from = 0] = hours.split(' from ').map(Number)
  return { name, hour, from }
})

/** Times on the clock; `bare` is an hour that may be in the morning or in the evening. */
const written = ['clock', 'clock_half', 'clock_h', 'clock_sharp', 'clock_military'] as const

/** Replaces times with `{seconds}` after midnight; ambiguous bare hours become `{seconds?}`. */
export function markTimes(text: string): string {
  const named = text
    .replace(phrase('noon', 'g'), '{43200}')
    .replace(phrase('midnight', 'g'), '{0}')
    .replace(phrase('shifted', 'g'), (...match) => shifted(match[0], match.at(-1)))
  return markBare(
    written.reduce(
      (words, name) => words.replace(phrase(name, 'g'), (...match) => marked(match[0], match.at(-1))),
      named,
    ),
  )
}

/** Bare hours: after "at" and in a list of times, and the two ends of a window. */
function markBare(text: string): string {
  let times = text
    .replace(phrase('window', 'g'), (_, head, from, to) => `${head} ${markHour(from)} until ${markHour(to)}`)
    .replace(phrase('range', 'g'), (all, from, to) =>
      Number(from) < 25 && Number(to) < 25 ? `from ${markHour(from)} until ${markHour(to)}` : all,
    )
    .replace(phrase('range_marked', 'g'), 'from $1 until $2')
    .replace(phrase('after_at', 'g'), (_, at, hour) => `${at}${markHour(hour)}`)
    .replace(phrase('before_list'), (all, hour) => (Number(hour) < 25 ? markHour(hour) : all))
  for (let before = ''; before !== times; ) {
    before = times
    times = times.replace(phrase('in_list'), (_, head, hour) => `${head}${markHour(hour)}`)
  }
  return times
}

const markHour = (hour: string) => (hour.startsWith('{') ? hour : marked(hour, { bare: hour }))

type Groups = Partial<Record<'hour' | 'bare' | 'minute' | 'second' | 'half' | 'shift', string>>

const in24 = (hour: number, half: string | undefined) => (half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour)

/** "half past 8", "quarter to 9 pm", "5 minutes to 7". */
function shifted(all: string, { shift = '', hour: digits, half }: Groups): string {
  const [word = ''] = shift.split(' ')
  const minutes = { half: 30, quarter: 15 }[word] ?? Number(word)
  const hour = Number(digits)
  if (hour > (half ? 12 : 24) || minutes > 59) return all
  const total = in24(hour, half) * 60 + (/past|after/.test(shift) ? minutes : -minutes)
  return `{${((total + 1_440) % 1_440) * 60}${!half && hour < 7 ? '?' : ''}}`
}

function marked(all: string, { bare, hour: digits = bare, minute: m, second: s, half }: Groups): string {
  const [hour, minute, second] = [Number(digits), Number(m ?? 0), Number(s ?? 0)]
  const valid = half ? hour > 0 && hour <= 12 : hour < 24 || (hour === 24 && minute + second === 0)
  if (minute > 59 || second > 59 || !valid) throw new Refusal(`${all.trim()} is not a time of day`)
  const time = (in24(hour, half) % 24) * 3_600 + minute * 60 + second
  return `{${time}${bare && hour > 0 && hour < 7 ? '?' : ''}}`
}

/** Takes the times of day, in order, each once; a part of the day decides between morning and evening. */
export function takeTimes(draft: Draft, notes: Notes): number[] {
  const part = parts.find(({ name }) => new RegExp(name).test(draft.text))
  if (part) draft.take(new RegExp(`(?:\\b(?:in the|at|during the|this) )?(?:${part.name})`))
  const times = draft.takeAll(phrase('marked_times'))
  if (times.length === 0 && part)
    return [notes.assume(`No hour is given: ${clockText(part.hour * 3_600)} is assumed`, part.hour * 3_600)]
  const seconds = times.map(([, value, open]) => {
    const at = Number(value)
    if (part) return inPart(at, part)
    if (open)
      notes.warn(`${clockText(at)} is in the morning; say "${Math.floor(at / 3_600) || 12}pm" for the afternoon`)
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
  if (draft.take(phrase('business_hours')))
    return notes.assume('Business hours are interpreted as 09:00 to 17:00', { from: 32_400, to: 61_200 })
  const window = draft.take(phrase('marked_window'))
  if (!window) return null
  const [from, to, noon] = [Number(window[1]), Number(window[2]), secondsPerDay / 2]
  // "between 9 and 5" means a working day.
  if (to < from && window[3] && to < noon && from < noon) {
    notes.warn(`Interpreted as ${clockText(from)} to ${clockText(to + noon)}`)
    return { from, to: to + noon }
  }
  return { from, to: window[0].includes('until') && to === 0 ? secondsPerDay : to }
}
