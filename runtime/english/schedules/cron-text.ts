import type { Schedule } from '../../schedules/schedule.ts'

/** A list of numbers as a cron field: ranges, or steps where they are shorter; never `*`. */
export function fieldText(values: readonly number[]): string {
  const [first = 0, second = first] = values
  const step = second - first
  const even = step > 0 && values.every((value, index) => value === first + index * step)
  if (even && step === 1 && values.length > 2) return `${first}-${values.at(-1)}`
  return even && values.length > 4 ? `${first}-${values.at(-1)}/${step}` : runs(values)
}

function runs(values: readonly number[]): string {
  const groups: number[][] = []
  for (const value of values) {
    const current = groups.at(-1)
    if (current?.at(-1) === value - 1) current.push(value)
    else groups.push([value])
  }
  return groups.map((run) => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join())).join()
}

/** Minutes or seconds: values spread evenly over the hour or minute become a step. */
export function sixtieths(values: readonly number[]): string {
  const step = (values[1] ?? 60) - (values[0] ?? 0)
  const isEven = values.every((value, index) => value === index * step)
  if (values.length < 3 || values.length * step !== 60 || !isEven) return fieldText(values)
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
  const dates = monthDays.filter((day) => day > 0).sort((a, b) => a - b)
  const dom = [...(dates.length > 0 ? [runs(dates)] : []), ...(monthDays.includes(-1) ? ['L'] : [])]
  const places = nth.map(({ nth, weekday }) => `${weekday}#${nth < 0 ? 'L' : nth}`)
  const dow = [...(weekdays && weekdays.length < 7 ? [runs(weekdays)] : []), ...places]
  return [dom.join() || '*', months && months.length < 12 ? runs(months) : '*', dow.join() || '*'].join(' ')
}

/** Cron for fixed times of day, in seconds after midnight: as few expressions as possible. */
export function cronOfTimes(times: readonly number[], days: CronDays): Schedule {
  const byHours = Map.groupBy(
    Map.groupBy(times, (time) => time % 3_600),
    ([, list]) => list.map((time) => Math.floor(time / 3_600)).join(),
  )
  const [expression = '', ...also] = [...byHours].flatMap(([hours, groups]) => {
    const fields = `${fieldText(hours.split(',').map(Number))} ${dayFields(days)}`
    const bySecond = Map.groupBy(
      groups.map(([rest]) => rest),
      (rest) => rest % 60,
    )
    return [...bySecond].map(([second, rests]) => {
      const minutes = sixtieths(rests.map((rest) => Math.floor(rest / 60)))
      return `${second === 0 ? '' : `${second} `}${minutes} ${fields}`
    })
  })
  return also.length > 0 ? { type: 'cron', expression, also } : { type: 'cron', expression }
}
