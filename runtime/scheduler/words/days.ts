import type { Draft } from './draft.ts'

/** The days on which something is due; null for any. */
export interface Days {
  /** 0 is Sunday. */
  weekdays: number[] | null
  /** 1 to 5, or -1 for the last of the month, and the weekday. */
  nth: { nth: number; weekday: number }[]
  /** 1 to 31, or -1 for the last of the month. */
  monthDays: number[]
  months: number[] | null
  /** Words that imply repetition: "Mondays", "weekdays", "of the month". */
  plural: boolean
}

const names = ['sun', 'mon', 'tues?', 'wed(?:nes)?', 'thu(?:rs?)?', 'fri', 'sat(?:ur)?']
export const monthNames = [
  'jan(?:uary)?',
  'feb(?:ruary)?',
  'mar(?:ch)?',
  'apr(?:il)?',
  'may',
  'june?',
  'july?',
  'aug(?:ust)?',
  'sept?(?:ember)?',
  'oct(?:ober)?',
  'nov(?:ember)?',
  'dec(?:ember)?',
]
const month = `(?:${monthNames.join('|')})`

/** Weekdays become `[1]`, in the plural `[1*]`; groups of them `[1,2,3,4,5*]`. */
export function markDays(text: string): string {
  return names
    .reduce(
      (words, name, index) =>
        words.replace(
          new RegExp(`\\b(?:${name})(?:day)?(s?)(?:'s)?\\b\\.?`, 'g'),
          (_, plural) => `[${index}${plural ? '*' : ''}]`,
        ),
      text
        .replace(/\b(?:(?:week|work|working|business) ?-?days?|working day)\b/g, '[1,2,3,4,5*]')
        .replace(/\bweek-?ends?(?: days?)?\b/g, '[0,6*]'),
    )
    .replace(
      /(?:\bfrom )?\[(\d)\*?\] ?(?:-|to|through|thru|until|till) ?\[(\d)\*?\]/g,
      (_, from, to) => `[${range(Number(from), Number(to)).join()}*]`,
    )
}

function range(from: number, to: number): number[] {
  const found = [from]
  for (let day = from; day !== to; found.push(day)) day = (day + 1) % 7
  return found
}

/** Takes weekdays, days of the month and months. */
export function takeDays(draft: Draft): Days {
  const nth = takeNth(draft)
  const monthly = takeMonthDays(draft)
  const months = takeMonths(draft)
  const except = draft.take(
    /\b(?:except|but not|excluding|not)(?: for)?(?: on)?((?:(?: |,|and|or|on)*\[[\d,]+\*?\])+)/,
  )
  const found = draft.takeAll(/(?:\bon (?:the )?)?\[([\d,]+)(\*?)\]/)
  const weekdays = union(found.map(([, list]) => list ?? ''))
  const without = union([...(except?.[1] ?? '').matchAll(/\[([\d,]+)\*?\]/g)].map(([, list]) => list ?? ''))
  const left = (weekdays.length > 0 || !except ? weekdays : [0, 1, 2, 3, 4, 5, 6]).filter(
    (day) => !without.includes(day),
  )
  return {
    weekdays: left.length === 0 ? null : left,
    nth,
    monthDays: [...new Set([...monthly.days])],
    months: months.length === 0 ? null : months,
    plural:
      nth.length > 0 ||
      monthly.plural ||
      weekdays.length > 1 ||
      except !== null ||
      found.some(([, , many]) => many === '*'),
  }
}

const union = (lists: string[]) =>
  [...new Set(lists.flatMap((list) => list.split(',').filter(Boolean).map(Number)))].sort()

const ofMonth = '(?: ?(?:of|in|every|each)(?: (?:the|each|every|a))? month)'
const place = '(?:(\\d)(?:st|nd|rd|th)|last)'

/** "first and third Monday of the month", "last Friday of every month", "the 1st Monday in June". */
function takeNth(draft: Draft): Days['nth'] {
  const found = draft.takeAll(
    new RegExp(
      `(?:\\bon )?(?:\\bthe )?((?:${place}(?:,? and (?:the )?|, ?(?:the )?)?)+) ?\\[(\\d)\\*?\\](?=${ofMonth}| (?:of|in) ${month}| every month)${ofMonth}?`,
    ),
  )
  // "monthly on the last Friday" already names the month.
  const monthly = draft.has(/\b(?:every|each|per|a) month\b|\bmonthly\b/)
    ? draft.takeAll(
        new RegExp(
          `(?:\\bon )?(?:\\bthe )?((?:${place}(?:,? and (?:the )?|, ?(?:the )?)?)+) ?\\[(\\d)\\*?\\]`,
        ),
      )
    : []
  const always = draft.takeAll(/\b(?:every|each) (?:(1)st|last) \[(\d)\*?\]/)
  return [
    ...[...found, ...monthly].flatMap(([, places = '', , weekday]) => nthOf(places, weekday)),
    ...always.map(([, first, weekday]) => ({ nth: first ? 1 : -1, weekday: Number(weekday) })),
  ]
}

const nthOf = (places: string, weekday: string | undefined): Days['nth'] =>
  [...places.matchAll(/(\d)(?:st|nd|rd|th)|last/g)].map(([, number]) => ({
    nth: number ? Number(number) : -1,
    weekday: Number(weekday),
  }))

const dayOfMonth = '(?:\\d{1,2}(?:st|nd|rd|th)|last day|1st day|last)'

/** "on the 1st and 15th", "day 15 of the month", "the last day of the month", "24 December". */
function takeMonthDays(draft: Draft): { days: number[]; plural: boolean } {
  const dated = draft.takeAll(
    new RegExp(
      `(?:\\b(?:on )?(?:the )?)(\\d{1,2})(?:st|nd|rd|th|\\.)?(?: of)? (?=${month}\\b)|\\b(?=${month}\\b)(?<month>[a-z]+)\\.? (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:{}])`,
    ),
  )
  // takeMonths needs the name of the month.
  for (const { groups } of dated) if (groups?.month) draft.text += ` ${groups.month}`
  const listed = draft.takeAll(
    new RegExp(
      `(?:\\bon )?(?:\\bthe )?(${dayOfMonth}(?:(?:,| and|, and| &| or|,? and on) ?(?:the )?${dayOfMonth})*)(?: day)?(${ofMonth}| (?:of|in) (?=${month}))?(?! ?\\[)`,
    ),
  )
  const plain = draft.takeAll(
    new RegExp(`\\b(?:on )?days? ((?:\\d{1,2}(?:, ?(?:and )?| and )?)+)(${ofMonth})`),
  )
  const days = [
    ...dated.map((match) => Number(match[1] ?? match[3])),
    ...listed.flatMap(([, list = '']) => numbersIn(list)),
    ...plain.flatMap(([, list = '']) => numbersIn(list)),
  ]
  const many = [...listed, ...plain].some(
    ([, list = '', often]) => often?.includes('month') || numbersIn(list).length > 1,
  )
  return { days, plural: many || days.length > 1 || listed.some(([, list]) => list?.startsWith('last')) }
}

const numbersIn = (list: string) =>
  [...list.matchAll(/\d+|last/g)].map(([number]) => (number === 'last' ? -1 : Number(number)))

function takeMonths(draft: Draft): number[] {
  const found = draft.takeAll(
    new RegExp(
      `(?:\\b(?:of|in|every|each) )?\\b(${monthNames.map((name) => `(?:${name})`).join('|')})\\b\\.?(?: (?:-|to|through) (${month})\\b)?`,
    ),
  )
  const numbers = found.flatMap(([, from = '', to]) => {
    const first = monthOf(from)
    return to ? monthRange(first, monthOf(to)) : [first]
  })
  return [...new Set(numbers)].sort((a, b) => a - b)
}

const monthOf = (name: string) =>
  monthNames.findIndex((pattern) => new RegExp(`^(?:${pattern})$`).test(name)) + 1

function monthRange(from: number, to: number): number[] {
  const found = [from]
  for (let at = from; at !== to; found.push(at)) at = (at % 12) + 1
  return found
}
