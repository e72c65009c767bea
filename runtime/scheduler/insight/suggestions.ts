import type { Moment } from './activity.ts'

export interface Suggestion {
  /** `09:00` */
  time: string
  days: string[]
  reason: string
  /** The job that is started by hand again and again; null where it is about messages. */
  job_id: string | null
}

/** Days back that are looked at: four weeks. */
export const suggestedFrom = 28

/** Weeks out of the four in which the same hour of the same weekday must have come back. */
const fewestWeeks = 3

const mostSuggestions = 5

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/**
 * Hours that come back week after week. Pure. With less than three weeks of anything there is no habit to see, and the
 * answer is empty.
 */
export function suggestionsOf(moments: readonly Moment[]): Suggestion[] {
  const subjects = Map.groupBy(moments, ({ job }) => job?.id ?? null)
  return [...subjects.values()]
    .flatMap(habitsOf)
    .sort((left, right) => right.times - left.times)
    .slice(0, mostSuggestions)
    .map(({ times: _, ...suggestion }) => suggestion)
}

interface Habit extends Suggestion {
  /** On how many dates. */
  times: number
}

function habitsOf(moments: Moment[]): Habit[] {
  const hours = Map.groupBy(moments, ({ hour }) => hour)
  return [...hours].flatMap(([hour, those]) => {
    const weekdays = Map.groupBy(those, ({ weekday }) => weekday)
    const kept = [...weekdays]
      .map(([weekday, found]) => ({ weekday, dates: new Set(found.map(({ date }) => date)).size }))
      .filter(({ dates }) => dates >= fewestWeeks)
      .sort((left, right) => left.weekday - right.weekday)
    if (kept.length === 0) return []
    const times = kept.reduce((sum, { dates }) => sum + dates, 0)
    const job = moments[0]?.job ?? null
    const time = `${String(hour).padStart(2, '0')}:00`
    const did = job ? `You started “${job.name}” by hand` : 'You wrote to an agent'
    const until = `${String((hour + 1) % 24).padStart(2, '0')}:00`
    const reason = `${did} between ${time} and ${until} on ${times} days of the last four weeks`
    return [
      { time, days: kept.map(({ weekday }) => days[weekday] ?? ''), reason, job_id: job?.id ?? null, times },
    ]
  })
}
