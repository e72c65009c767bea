export interface Day {
  year: number
  /** 1 to 12. */
  month: number
  day: number
}

export interface WallClock extends Day {
  /** "14:05" */
  time: string
  weekday: string
  timezone: string
}

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
export const MONTHS =
  'January February March April May June July August September October November December'.split(' ')

const DAY_MILLISECONDS = 86_400_000

/** The wall clock of a zone. An unknown zone is read as UTC. */
export function wallClock(now: number, timezone: string): WallClock {
  const zone = isZone(timezone) ? timezone : 'UTC'
  const parts = new Map(
    formatter(zone)
      .formatToParts(now)
      .map((part) => [part.type, part.value]),
  )
  const day = {
    year: Number(parts.get('year')),
    month: Number(parts.get('month')),
    day: Number(parts.get('day')),
  }
  const time = `${parts.get('hour')}:${parts.get('minute')}`
  return { ...day, time, weekday: weekdayOf(day), timezone: zone }
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}

export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** Minutes that the zone is ahead of UTC at that instant. */
export function zoneOffset(now: number, timezone: string): number {
  const { year, month, day, time } = wallClock(now, timezone)
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return Math.round((Date.UTC(year, month - 1, day, hour, minute) - now) / 60_000)
}

export function dayNumber({ year, month, day }: Day): number {
  return Math.round(Date.UTC(year, month - 1, day) / DAY_MILLISECONDS)
}

export function fromDayNumber(number: number): Day {
  const date = new Date(number * DAY_MILLISECONDS)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

export function weekdayOf(day: Day): string {
  return WEEKDAYS[new Date(dayNumber(day) * DAY_MILLISECONDS).getUTCDay()] ?? ''
}

/** "Wednesday, 3 March 2027" */
export function longDay(day: Day): string {
  return `${weekdayOf(day)}, ${shortDay(day)}`
}

/** "3 March 2027" */
export function shortDay(day: Day): string {
  return `${day.day} ${MONTHS[day.month - 1]} ${day.year}`
}
