import { type Day, dayNumber, fromDayNumber } from './clock.ts'

const FIXED: readonly [RegExp, number, number][] = [
  [/\bchristmas eve\b/i, 12, 24],
  [/\b(?:christmas(?: day)?|xmas)\b/i, 12, 25],
  [/\bboxing day\b/i, 12, 26],
  [/\bnew year'?s eve\b/i, 12, 31],
  [/\bnew year(?:'?s)?(?: day)?\b/i, 1, 1],
  [/\bvalentine'?s?(?: day)?\b/i, 2, 14],
  [/\b(?:st\.? |saint )?patrick'?s day\b/i, 3, 17],
  [/\bhalloween\b/i, 10, 31],
  [/\bbastille day\b/i, 7, 14],
  [/\b(?:us )?independence day\b/i, 7, 4],
]

const EASTER: readonly [RegExp, number][] = [
  [/\bgood friday\b/i, -2],
  [/\beaster monday\b/i, 1],
  [/\beaster(?: sunday)?\b/i, 0],
  [/\b(?:pentecost|whit sunday)\b/i, 49],
]

/** The next holiday named in the text, on or after `today`, with the words that named it. */
export function findHoliday(text: string, today: Day): { name: string; day: Day } | null {
  const dates = [...FIXED, ...EASTER, [/\bthanksgiving(?: day)?\b/i] as const]
  for (const [pattern, ...rule] of dates) {
    const name = pattern.exec(text)?.[0]
    if (!name) continue
    const year = Number(/\b(?:19|20|21)\d\d\b/.exec(text)?.[0] ?? 0)
    if (year) return { name, day: dayIn(year, rule) }
    const day = dayIn(today.year, rule)
    return { name, day: dayNumber(day) >= dayNumber(today) ? day : dayIn(today.year + 1, rule) }
  }
  return null
}

function dayIn(year: number, rule: readonly number[]): Day {
  const [first, second] = rule
  if (first === undefined) return thanksgiving(year)
  if (second === undefined) return fromDayNumber(dayNumber(easter(year)) + first)
  return { year, month: first, day: second }
}

/** The Gregorian computus of Meeus, Jones and Butcher. */
export function easter(year: number): Day {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const sum = h + l - 7 * m + 114
  return { year, month: Math.floor(sum / 31), day: (sum % 31) + 1 }
}

/** The fourth Thursday of November, as the United States keep it. */
function thanksgiving(year: number): Day {
  const first = new Date(Date.UTC(year, 10, 1)).getUTCDay()
  return { year, month: 11, day: 1 + ((4 - first + 7) % 7) + 21 }
}
