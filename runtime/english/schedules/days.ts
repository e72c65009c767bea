import type { CronDays } from './cron-text.ts'
import type { Draft } from './draft.ts'
import grammar from './grammar.json' with { type: 'json' }
import { phrase } from './grammar.ts'

/** The days on which something is due. */
export interface Days extends CronDays {
  /** Words that imply repetition: "Mondays", "weekdays", "of the month". */
  plural: boolean
}

const weekdays = grammar.weekdays.split(' ').map((name) => new RegExp(`\\b(?:${name})(?:day)?(s?)(?:'s)?\\b\\.?`, 'g'))

/** Weekdays become `[1]`, in the plural `[1*]`; groups of them `[1,2,3,4,5*]`. */
export function markDays(text: string): string {
  const grouped = text.replace(phrase('workdays', 'g'), '[1,2,3,4,5*]').replace(phrase('weekend', 'g'), '[0,6*]')
  return weekdays
    .reduce((words, day, index) => words.replace(day, (_, plural) => `[${index}${plural ? '*' : ''}]`), grouped)
    .replace(phrase('day_range', 'g'), (_, from, to) => `[${cycle(Number(from), Number(to), 7).join()}*]`)
}

/** From one number to another below `size`, wrapping around if necessary. */
const cycle = (from: number, to: number, size: number): number[] =>
  Array.from({ length: ((to - from + size) % size) + 1 }, (_, index) => (from + index) % size)

/** Takes weekdays, days of the month and months. */
export function takeDays(draft: Draft): Days {
  const nth = takeNth(draft)
  const monthly = takeMonthDays(draft)
  const months = takeMonths(draft)
  const excepted = draft.take(phrase('except'))?.[1]
  const marked = draft.takeAll(phrase('marked_days'))
  const named = [...new Set(numbersIn(marked.map(([, list]) => list).join()))].sort()
  const all = named.length > 0 || !excepted ? named : [0, 1, 2, 3, 4, 5, 6]
  const weekdays = all.filter((day) => !numbersIn(excepted ?? '').includes(day))
  const several = nth.length > 0 || named.length > 1 || excepted !== undefined || monthly.plural
  return {
    weekdays: weekdays.length === 0 ? null : weekdays,
    nth,
    monthDays: monthly.days,
    months: months.length === 0 ? null : months,
    plural: several || marked.some(([, , many]) => many === '*'),
  }
}

/** "last" is -1. */
const numbersIn = (list: string): number[] =>
  [...list.matchAll(/\d+|last/g)].map(([number]) => (number === 'last' ? -1 : Number(number)))

/** "first and third Monday of the month", "last Friday of every month", "the 1st Monday in June". */
function takeNth(draft: Draft): Days['nth'] {
  const ofMonth = draft.takeAll(phrase('nth_of_month'))
  // "monthly on the last Friday" already names the month.
  const named = phrase('is_monthly').test(draft.text) ? draft.takeAll(phrase('nth')) : []
  return [...ofMonth, ...named, ...draft.takeAll(phrase('every_nth'))].flatMap(([, list = '', weekday]) =>
    numbersIn(list).map((nth) => ({ nth, weekday: Number(weekday) })),
  )
}

/** "on the 1st and 15th", "day 15 of the month", "the last day of the month", "24 December". */
function takeMonthDays(draft: Draft): { days: number[]; plural: boolean } {
  const dated = draft.takeAll(phrase('dated'))
  // takeMonths needs the name of the month.
  for (const { groups } of dated) if (groups?.month) draft.text += ` ${groups.month}`
  const lists = [...draft.takeAll(phrase('listed')), ...draft.takeAll(phrase('numbered_days'))]
  const listed = lists.map(([, list = '', often = '']) => ({ list: numbersIn(list), often }))
  const dates = dated.map((match) => Number(match[1] ?? match[3]))
  const days = [...new Set([...dates, ...listed.flatMap(({ list }) => list)])]
  const repeated = listed.some(({ list, often }) => list[0] === -1 || often.includes('month'))
  return { days, plural: repeated || days.length > 1 }
}

const monthNames = grammar.months.split(' ')
const monthOf = (word: string) => monthNames.indexOf(word.slice(0, 3))

function takeMonths(draft: Draft): number[] {
  const numbers = draft
    .takeAll(phrase('months'))
    .flatMap(([, from = '', to = from]) => cycle(monthOf(from), monthOf(to), 12))
  return [...new Set(numbers.map((index) => index + 1))].sort((a, b) => a - b)
}
