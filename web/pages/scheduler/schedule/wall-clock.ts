const minute = 60_000

/** An instant as a clock on the wall of `zone` shows it: `2026-11-22T09:00`, as date fields take it. */
export function wallOf(instant: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(instant)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}`
}

/** The instant at which a clock on the wall of `zone` shows this. One that does not exist is the same time after the gap. */
export function instantOf(wall: string, zone: string): number {
  const meant = Date.parse(`${wall.length === 10 ? `${wall}T00:00` : wall}Z`)
  const offset = (at: number) => Date.parse(`${wallOf(at, zone)}Z`) - Math.floor(at / minute) * minute
  const first = meant - offset(meant)
  return meant - offset(first)
}

/** The day of an instant in `zone`: `2026-11-22`. */
export const dayOf = (instant: number, zone: string): string => wallOf(instant, zone).slice(0, 10)

/** Days of the calendar have no hours, so no change of the clocks moves them. */
export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** Monday is 0. */
export const weekdayOf = (day: string): number => (new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7
