import type { Schedule } from '../../../api/scheduler.ts'

interface Start {
  /** In plain words. */
  when?: string
  what?: string
  name?: string
  /** Wins over the words. */
  schedule?: Schedule
}

/** The address of the form with this filled in, so that it can be gone back to. */
export function newJobPath({ when, what, name, schedule }: Start): string {
  const given = {
    when: schedule ? undefined : when,
    what,
    name,
    schedule: schedule && JSON.stringify(schedule),
  }
  const pairs = Object.entries(given).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return `/scheduler/new${pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''}`
}

export function readStart(search: string): Start {
  const query = new URLSearchParams(search)
  const schedule = parsed(query.get('schedule'))
  return {
    when: query.get('when') ?? '',
    what: query.get('what') ?? '',
    name: query.get('name') ?? '',
    ...(schedule && { schedule }),
  }
}

/** An address can be typed by hand: what is no schedule is left out. */
function parsed(text: string | null): Schedule | undefined {
  try {
    const value = JSON.parse(text ?? 'null') as Schedule | null
    return value && ['cron', 'every', 'at'].includes(value.type) ? value : undefined
  } catch {
    return undefined
  }
}
