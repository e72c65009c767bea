import { type Draft, type Notes, Refusal } from './draft.ts'
import grammar from './grammar.json' with { type: 'json' }
import { phrase } from './grammar.ts'

/** Seconds of a unit; months and years have no fixed length. */
export const seconds = { second: 1, minute: 60, hour: 3_600, day: 86_400, week: 604_800, month: 0, year: 0 }
export type Unit = keyof typeof seconds

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
const adverbs = Object.entries(grammar.adverbs)
const names = [...Object.entries(grammar.units), ...adverbs]

function countOf(count: number, word: string): Count {
  const [, size = '1 day'] = names.find(([name]) => new RegExp(`^(?:${name})$`).test(word)) ?? []
  return sized(count, size)
}

function sized(count: number, size: string): Count {
  const [factor, unit] = size.split(' ')
  return { count: count * Number(factor), unit: unit as Unit }
}

/** Takes "every 2 hours", "every other", "hourly" and "3 times a day". */
export function takeFrequency(draft: Draft, notes: Notes): Frequency {
  const per = draft.take(phrase('times_per'))
  if (per && Number(per[1]) === 0) throw new Refusal('0 times is not a valid frequency')
  const times = per && { count: Number(per[1]), unit: countOf(1, per[2] ?? per[3] ?? '').unit }
  const step = takeStep(draft) ?? takeAdverb(draft, notes)
  return { step, times, again: draft.take(phrase('again')) !== null }
}

/** Each with its number in the first group, or 2, and its unit in the second. The weekday after a step is kept. */
const steps = ['step_of', 'step_nth', 'step_other', 'step_weekday', 'step_alternate'] as const

function takeStep(draft: Draft): Count | null {
  for (const name of steps) {
    const step = draft.take(phrase(name))
    if (step) return stepOf(Number((step[1] || '2').replace(',', '.')), step[2] ?? 'week')
  }
  const single = draft.take(phrase('step_single'))
  return single && stepOf(1, single[1] ?? '')
}

const smaller: Partial<Record<Unit, Unit>> = { minute: 'second', hour: 'minute', day: 'hour', week: 'day' }

/** "1.5 hours" is 90 minutes. */
export function stepOf(number: number, word: string): Count {
  const { count, unit } = countOf(number, word)
  const part = smaller[unit] ?? unit
  const parts = part === unit ? count : (count * seconds[unit]) / seconds[part]
  if (!(count > 0)) throw new Refusal(`Every ${number} ${word} is not a valid interval`)
  if (!Number.isInteger(parts)) throw new Refusal(`${number} ${word} is not a valid interval`)
  return Number.isInteger(count) ? { count, unit } : { count: parts, unit: part }
}

function takeAdverb(draft: Draft, notes: Notes): Count | null {
  const [, size] = adverbs.find(([name]) => draft.take(new RegExp(`\\b(?:${name})`))) ?? []
  if (size === undefined) return null
  if (size === '2 month') notes.assume('Bimonthly is interpreted as every 2 months')
  return sized(1, size)
}
