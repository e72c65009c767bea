import type { CronDays } from './cron-text.ts'
import type { Draft } from './draft.ts'

/** The days on which something is due. */
export interface Days extends CronDays {
  /** Words that imply repetition: "Mondays", "weekdays", "of the month". */
  plural: boolean
}

const names = ['sun', 'mon', 'tues?', 'wed(?:nes)?', 'thu(?:rs)?', 'fri', 'sat(?:ur)?']
export const dayName = `(?:${names.join('|')})(?:day)?`
const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
export const monthName = `(?:${months.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')}|sept)`

const dayPatterns = names.map((name) => new RegExp(`\\b(?:${name})(?:day)?(s?)(?:'s)?\\b\\.?`, 'g'))

/** Weekdays become `[1]`, in the plural `[1*]`; groups of them `[1,2,3,4,5*]`. */
export function markDays(text: string): string {
  const grouped = text
    .replace(/\b(?:(?:week|work|working|business) ?-?days?|working day)\b/g, '[1,2,3,4,5*]')
    .replace(/\bweek-?ends?(?: days?)?\b/g, '[0,6*]')
  return dayPatterns
    .reduce(
      (words, pattern, index) => words.replace(pattern, (_, plural) => `[${index}${plural ? '*' : ''}]`),
      grouped,
    )
    .replace(
      /(?:\bfrom )?\[(\d)\*?\] ?(?:-|to|through|thru|until|till) ?\[(\d)\*?\]/g,
      (_, from, to) => `[${cycle(Number(from), Number(to), 7).join()}*]`,
    )
}

/** From one number to another below `size`, wrapping around if necessary. */
const cycle = (from: number, to: number, size: number): number[] =>
  Array.from({ length: ((to - from + size) % size) + 1 }, (_, index) => (from + index) % size)

const except =
  /\b(?:except|but not|excluding|not)(?: for)?(?: on)?((?:(?: |,|and|or|on){0,9}\[[\d,]{1,13}\*?\]){1,7})/

/** Takes weekdays, days of the month and months. */
export function takeDays(draft: Draft): Days {
  const nth = takeNth(draft)
  const monthly = takeMonthDays(draft)
  const months = takeMonths(draft)
  const excepted = draft.take(except)?.[1]
  const found = draft.takeAll(/(?:\bon (?:the )?)?\[([\d,]+)(\*?)\]/)
  const weekdays = [...new Set(numbersIn(found.map(([, list]) => list).join()))].sort()
  const without = numbersIn(excepted ?? '')
  const all = weekdays.length > 0 || !excepted ? weekdays : [0, 1, 2, 3, 4, 5, 6]
  const left = all.filter((day) => !without.includes(day))
  const several = nth.length > 0 || weekdays.length > 1 || excepted !== undefined
  return {
    weekdays: left.length === 0 ? null : left,
    nth,
    monthDays: monthly.days,
    months: months.length === 0 ? null : months,
    plural: several || monthly.plural || found.some(([, , many]) => many === '*'),
  }
}

/** "last" is -1. */
const numbersIn = (list: string): number[] =>
  [...list.matchAll(/\d+|last/g)].map(([number]) => (number === 'last' ? -1 : Number(number)))

const ofMonth = '(?: ?(?:of|in|every|each)(?: (?:the|each|every|a))? month)'
const places =
  '(?:\\bon )?(?:\\bthe )?((?:(?:\\d(?:st|nd|rd|th)|last)(?:,? and (?:the )?|, ?(?:the )?)?){1,6}) ?\\[(\\d)\\*?\\]'
const nthOfMonth = new RegExp(`${places}(?=${ofMonth}| (?:of|in) ${monthName}| every month)${ofMonth}?`)

/** "first and third Monday of the month", "last Friday of every month", "the 1st Monday in June". */
function takeNth(draft: Draft): Days['nth'] {
  const found = draft.takeAll(nthOfMonth)
  // "monthly on the last Friday" already names the month.
  const monthly = /\b(?:every|each|per|a) month\b|\bmonthly\b/.test(draft.text)
  const named = monthly ? draft.takeAll(new RegExp(places)) : []
  const always = draft.takeAll(/\b(?:every|each) (1st|last) \[(\d)\*?\]/)
  return [...found, ...named, ...always].flatMap(([, list = '', weekday]) =>
    numbersIn(list).map((nth) => ({ nth, weekday: Number(weekday) })),
  )
}

const dayOfMonth = '(?:\\d{1,2}(?:st|nd|rd|th)|last day|1st day|last)'
const datedPattern = new RegExp(
  `(?:\\b(?:on )?(?:the )?)(\\d{1,2})(?:st|nd|rd|th|\\.)?(?: of)? (?=${monthName}\\b)|` +
    `\\b(?=${monthName}\\b)(?<month>[a-z]+)\\.? (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:{}])`,
)
const listedPattern = new RegExp(
  `(?:\\bon )?(?:\\bthe )?(${dayOfMonth}(?:(?:,| or|,? and(?: on)?| &) ?(?:the )?${dayOfMonth}){0,31})` +
    `(?: day)?(${ofMonth}| (?:of|in) (?=${monthName}))?(?! ?\\[)`,
)
const plainPattern = new RegExp(`\\b(?:on )?days? ((?:\\d{1,2}(?:, ?(?:and )?| and )?){1,31})(${ofMonth})`)

/** "on the 1st and 15th", "day 15 of the month", "the last day of the month", "24 December". */
function takeMonthDays(draft: Draft): { days: number[]; plural: boolean } {
  const dated = draft.takeAll(datedPattern)
  // takeMonths needs the name of the month.
  for (const { groups } of dated) if (groups?.month) draft.text += ` ${groups.month}`
  const lists = [...draft.takeAll(listedPattern), ...draft.takeAll(plainPattern)]
  const listed = lists.map(([, list = '', often = '']) => ({ list: numbersIn(list), often }))
  const days = new Set([
    ...dated.map((match) => Number(match[1] ?? match[3])),
    ...listed.flatMap(({ list }) => list),
  ])
  const repeated = listed.some(
    ({ list, often }) => list.length > 1 || list[0] === -1 || often.includes('month'),
  )
  return { days: [...days], plural: repeated || days.size > 1 }
}

const monthPattern = new RegExp(
  `(?:\\b(?:of|in|every|each) )?\\b(${monthName})\\b\\.?(?: (?:-|to|through) (${monthName})\\b)?`,
)

const monthOf = (word: string) => months.findIndex((name) => name.startsWith(word.slice(0, 3)))

function takeMonths(draft: Draft): number[] {
  const found = draft.takeAll(monthPattern)
  const numbers = found.flatMap(([, from = '', to = from]) => cycle(monthOf(from), monthOf(to), 12))
  return [...new Set(numbers.map((index) => index + 1))].sort((a, b) => a - b)
}
