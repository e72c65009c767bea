import { type Draft, type Notes, Refusal } from './draft.ts'

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

/** How often: `step` is the interval, `times` the number of times per unit. */
export interface Frequency {
  step: { count: number; unit: Unit } | null
  times: { count: number; unit: Unit } | null
  /** "every", before days or alone. */
  again: boolean
}

const units: readonly [string, Unit, number][] = [
  ['seconds?|secs?|s', 'second', 1],
  ['minutes?|mins?|min', 'minute', 1],
  ['hours?|hrs?|hr|h', 'hour', 1],
  ['days?|d', 'day', 1],
  ['fortnights?', 'week', 2],
  ['weeks?|wks?', 'week', 1],
  ['months?', 'month', 1],
  ['quarters?', 'month', 3],
  ['(?:half|half-) ?years?', 'month', 6],
  ['years?', 'year', 1],
]
export const unitPattern = units.map(([names]) => names).join('|')

const adverbs: readonly [RegExp, number, Unit][] = [
  [/\b(?:bi-?weekly|fortnightly)\b/, 2, 'week'],
  [/\bbi-?monthly\b/, 2, 'month'],
  [/\b(?:semi-?annually|half-? ?yearly|bi-?annually)\b/, 6, 'month'],
  [/\bhourly\b/, 1, 'hour'],
  [/\b(?:daily|(?=nightly\b))/, 1, 'day'],
  [/\bweekly\b/, 1, 'week'],
  [/\bmonthly\b/, 1, 'month'],
  [/\bquarterly\b/, 3, 'month'],
  [/\b(?:yearly|annually)\b/, 1, 'year'],
  [/\bevery minute\b/, 1, 'minute'],
]

export function unitOf(word: string): { unit: Unit; factor: number } | null {
  const found = units.find(([names]) => new RegExp(`^(?:${names})$`).test(word))
  return found ? { unit: found[1], factor: found[2] } : null
}

const every = '(?:every|each|per|once every|once each|repeat(?:ing)? every)'

/** Takes "every 2 hours", "every other", "hourly" and "3 times a day". */
export function takeFrequency(draft: Draft, notes: Notes): Frequency {
  const times = takeTimesPer(draft)
  const step = takeStep(draft) ?? takeAdverb(draft, notes)
  const again = draft.take(/\b(?:every|each|always on|all)\b/) !== null
  return { step, times, again }
}

function takeTimesPer(draft: Draft): Frequency['times'] {
  const found = draft.take(
    new RegExp(`\\b(\\d+) ?(?:times|x) ?(?:an?|per|every|each|in an?|/) ?(${unitPattern})\\b`),
  )
  if (!found) return takeAdverbTimes(draft)
  const read = unitOf(found[2] ?? '')
  const count = Number(found[1])
  if (!read || count === 0) throw new Refusal('0 times is never')
  return { count, unit: read.unit }
}

/** "twice daily" */
function takeAdverbTimes(draft: Draft): Frequency['times'] {
  const found = draft.take(/\b(\d+) ?(?:times|x) (hourly|daily|weekly|monthly|yearly)\b/)
  const unit =
    found &&
    ({ hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year' } as const)[
      found[2] as 'daily'
    ]
  return unit ? { count: Number(found[1]), unit } : null
}

function takeStep(draft: Draft): Frequency['step'] {
  const counted = draft.take(new RegExp(`\\b${every} (-?\\d+(?:[.,]\\d+)?)[ -]?(${unitPattern})\\b`))
  if (counted) return stepOf(Number(counted[1]?.replace(',', '.')), counted[2] ?? '')
  const nth = draft.take(new RegExp(`\\b${every} (\\d+)(?:st|nd|rd|th) (${unitPattern})\\b`))
  if (nth) return stepOf(Number(nth[1]), nth[2] ?? '')
  const otherUnit = draft.take(new RegExp(`\\b${every} (?:other|alternate|2nd) (${unitPattern})\\b`))
  if (otherUnit) return stepOf(2, otherUnit[1] ?? '')
  // The weekday stays: it says on which day of the week.
  const otherDay = draft.take(
    /\b(?:(?:every|each) (?:other|alternate)|alternate|(?:every|each) ([2-9])(?:st|nd|rd|th)) (?=\[)/,
  )
  if (otherDay) return { count: Number(otherDay[1] ?? 2), unit: 'week' }
  const onAlternate = draft.take(new RegExp(`\\b(?:on )?alternate (${unitPattern})\\b`))
  if (onAlternate) return stepOf(2, onAlternate[1] ?? '')
  const one = draft.take(new RegExp(`\\b(?:${every}|an?(?= quarter)) (?:single )?(${unitPattern})\\b`))
  if (one) return stepOf(1, one[1] ?? '')
  return null
}

function stepOf(count: number, word: string): Frequency['step'] {
  const read = unitOf(word)
  if (!read) return null
  if (!(count > 0)) throw new Refusal(`Every ${count} ${word} is never`)
  const total = count * read.factor
  if (Number.isInteger(total)) return { count: total, unit: read.unit }
  const smaller = (
    { minute: ['second', 60], hour: ['minute', 60], day: ['hour', 24], week: ['day', 7] } as const
  )[read.unit as 'hour']
  if (!smaller || !Number.isInteger(total * smaller[1]))
    throw new Refusal(`${count} ${word} cannot be counted`)
  return { count: total * smaller[1], unit: smaller[0] }
}

function takeAdverb(draft: Draft, notes: Notes): Frequency['step'] {
  const found = adverbs.find(([word]) => draft.take(word))
  if (!found) return null
  if (found[2] === 'month' && found[1] === 2) notes.assume('Bimonthly is taken as every 2 months')
  return { count: found[1], unit: found[2] }
}
