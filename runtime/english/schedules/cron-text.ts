import type { Schedule } from '../../schedules/schedule.ts'

/** A list of numbers as a cron field: ranges, or steps where they are shorter; never `*`. */
export function fieldText(values: readonly number[]): string {
  const [first = 0, second = first] = values
  const step = second - first
  const last = values.at(-1) ?? first
  const even = step > 0 && values.every((value, index) => value === first + index * step)
  if (even && step === 1 && values.length > 2) return `${first}-${last}`
  if (even && values.length > 4) return `${first}-${last}/${step}`
  return runs(values)
}

function runs(values: readonly number[]): string {
  const found: number[][] = []
  for (const value of values) {
    const current = found.at(-1)
    if (current && current.at(-1) === value - 1) current.push(value)
    else found.push([value])
  }
  return found.map((run) => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join())).join()
}

/** Minutes or seconds: values spread evenly over the hour or minute become a step. */
export function sixtieths(values: readonly number[]): string {
  const step = (values[1] ?? 60) - (values[0] ?? 0)
  const around =
    values.length > 2 && values.length * step === 60 && values.every((value, index) => value === index * step)
  if (!around) return fieldText(values)
  return step === 1 ? '*' : `*/${step}`
}

/** Days of a cron expression; null is every day or every month. */
export interface CronDays {
  weekdays: readonly number[] | null
  nth: readonly { nth: number; weekday: number }[]
  monthDays: readonly number[]
  months: readonly number[] | null
}

export const everyDay: CronDays = { weekdays: null, nth: [], monthDays: [], months: null }

/** Day of month, month, day of week. */
export function dayFields({ weekdays, nth, monthDays, months }: CronDays): string {
  const dates = [...monthDays].filter((day) => day > 0).sort((a, b) => a - b)
  const dom = [...(dates.length > 0 ? [runs(dates)] : []), ...(monthDays.includes(-1) ? ['L'] : [])]
  const places = nth.map(({ nth, weekday }) => `${weekday}#${nth < 0 ? 'L' : nth}`)
  const dow = [...(weekdays && weekdays.length < 7 ? [runs(weekdays)] : []), ...places]
  return [dom.join() || '*', months && months.length < 12 ? runs(months) : '*', dow.join() || '*'].join(' ')
}

/** Cron for fixed times of day, in seconds after midnight: as few expressions as possible. */
export function cronOfTimes(times: readonly number[], days: CronDays): Schedule {
  const byMinute = group(
    times,
    (time) => time % 3_600,
    (time) => Math.floor(time / 3_600),
  )
  const byHour = new Map<string, number[]>()
  for (const [rest, hours] of byMinute) byHour.set(hours.join(), [...(byHour.get(hours.join()) ?? []), rest])
  const expressions = [...byHour].flatMap(([hours, rests]) =>
    expressionsOf(rests, hours.split(',').map(Number), days),
  )
  const [expression = '', ...also] = expressions
  return also.length > 0 ? { type: 'cron', expression, also } : { type: 'cron', expression }
}

function expressionsOf(rests: readonly number[], hours: readonly number[], days: CronDays): string[] {
  const bySecond = group(
    rests,
    (rest) => rest % 60,
    (rest) => Math.floor(rest / 60),
  )
  return [...bySecond].map(([second, minutes]) => {
    const fields = `${sixtieths(minutes)} ${fieldText(hours)} ${dayFields(days)}`
    return second === 0 ? fields : `${second} ${fields}`
  })
}

function group(
  values: readonly number[],
  key: (value: number) => number,
  item: (value: number) => number,
): Map<number, number[]> {
  const found = new Map<number, number[]>()
  for (const value of values) found.set(key(value), [...(found.get(key(value)) ?? []), item(value)])
  return found
}
