import type { Schedule } from '../../../runtime/schedules/schedule.ts'

export interface NewJobStart {
  /** Plain English. */
  when?: string
  what?: string
  name?: string
  /** Takes precedence over `when`. */
  schedule?: Schedule
}

/** The address of the form with these values, so that reload and back keep them. */
export function newJobPath({ when, what, name, schedule }: NewJobStart): string {
  const given = { when: schedule ? '' : when, what, name, schedule: schedule && JSON.stringify(schedule) }
  const pairs = Object.entries(given).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return `/scheduler/new${pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''}`
}

export function readNewJob(search: string): Required<Omit<NewJobStart, 'schedule'>> & NewJobStart {
  const query = new URLSearchParams(search)
  const schedule = parsed(query.get('schedule'))
  return {
    when: query.get('when') ?? '',
    what: query.get('what') ?? '',
    name: query.get('name') ?? '',
    ...(schedule && { schedule }),
  }
}

/** Undefined for anything but a schedule: an address can be edited by hand. */
function parsed(text: string | null): Schedule | undefined {
  try {
    const value = JSON.parse(text ?? 'null') as Schedule | null
    return value && ['cron', 'every', 'at'].includes(value.type) ? value : undefined
  } catch {
    return undefined
  }
}
