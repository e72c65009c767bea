import { type Draft, type Notes, Refusal } from './draft.ts'

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

export interface Count {
  count: number
  unit: Unit
}

/** How often: `step` is the interval, `times` the number of times per unit. */
export interface Frequency {
  step: Count | null
  times: Count | null
  /** "every", before days or alone. */
  again: boolean
}

/** An adverb that contains another comes first. */
const units: readonly [names: string, adverbs: string, unit: Unit, factor: number][] = [
  ['seconds?|secs?|s', '(?!)', 'second', 1],
  ['minutes?|mins?', '(?!)', 'minute', 1],
  ['hours?|hrs?|h', 'hourly', 'hour', 1],
  ['days?|d', 'daily|(?=nightly\\b)', 'day', 1],
  ['fortnights?', 'bi-?weekly|fortnightly', 'week', 2],
  ['weeks?|wks?', 'weekly', 'week', 1],
  ['bi-?months?', 'bi-?monthly', 'month', 2],
  ['months?', 'monthly', 'month', 1],
  ['quarters?', 'quarterly', 'month', 3],
  ['(?:half|half-) ?years?', 'semi-?annually|half-? ?yearly|bi-?annually', 'month', 6],
  ['years?', 'yearly|annually', 'year', 1],
]
const unit = `(${units.map(([names]) => names).join('|')})`

function countOf(count: number, word: string): Count {
  const [, , unit = 'day', factor = 1] =
    units.find(([names, adverbs]) => new RegExp(`^(?:${names}|${adverbs})$`).test(word)) ?? []
  return { count: count * factor, unit }
}

const timesPer = new RegExp(
  `\\b(\\d+) ?(?:times|x) ?(?:(?:an?|per|every|each|in an?|/) ?${unit}|(hourly|daily|weekly|monthly|yearly))\\b`,
)

/** Takes "every 2 hours", "every other", "hourly" and "3 times a day". */
export function takeFrequency(draft: Draft, notes: Notes): Frequency {
  const found = draft.take(timesPer)
  if (found && Number(found[1]) === 0) throw new Refusal('0 times is not a valid frequency')
  const times = found && { count: Number(found[1]), unit: countOf(1, found[2] ?? found[3] ?? '').unit }
  const step = takeStep(draft) ?? takeAdverb(draft, notes)
  const again = draft.take(/\b(?:every|each|always on|all)\b/) !== null
  return { step, times, again }
}

const every = '\\b(?:every|each|per|once every|once each|repeat(?:ing)? every)'
/** Each with its number in the first group, or 2, and its unit in the second. */
const steps = [
  `${every} (-?\\d+(?:[.,]\\d+)?)[ -]?${unit}\\b`,
  `${every} (\\d+)(?:st|nd|rd|th) ${unit}\\b`,
  `${every} (?:other|alternate|(2)nd) ${unit}\\b`,
  // The weekday is kept, because it sets the day of the week.
  '\\b(?:(?:every|each) (?:other|alternate)|alternate|(?:every|each) ([2-9])(?:st|nd|rd|th)) (?=\\[)',
  `\\b(?:on )?(?:alternate()) ${unit}\\b`,
].map((source) => new RegExp(source))
const single = new RegExp(`(?:${every}|\\ban?(?= quarter)) (?:single )?${unit}\\b`)

function takeStep(draft: Draft): Count | null {
  for (const pattern of steps) {
    const found = draft.take(pattern)
    if (found) return stepOf(Number((found[1] || '2').replace(',', '.')), found[2] ?? 'week')
  }
  const found = draft.take(single)
  return found && stepOf(1, found[1] ?? '')
}

const smaller: Partial<Record<Unit, [Unit, number]>> = {
  minute: ['second', 60],
  hour: ['minute', 60],
  day: ['hour', 24],
  week: ['day', 7],
}

function stepOf(number: number, word: string): Count {
  const { count, unit } = countOf(number, word)
  const [part, factor] = smaller[unit] ?? [unit, 1]
  if (!(count > 0)) throw new Refusal(`Every ${number} ${word} is not a valid interval`)
  if (Number.isInteger(count)) return { count, unit }
  if (!Number.isInteger(count * factor)) throw new Refusal(`${number} ${word} is not a valid interval`)
  return { count: count * factor, unit: part }
}

function takeAdverb(draft: Draft, notes: Notes): Count | null {
  const found = units.find(([, adverbs]) => draft.take(new RegExp(`\\b(?:${adverbs})`)))
  if (!found) return null
  const [, , unit, count] = found
  if (unit === 'month' && count === 2) notes.assume('Bimonthly is interpreted as every 2 months')
  return { count, unit }
}
