import type { Schedule } from '../../../runtime/schedules/schedule.ts'

interface NewJobStart {
  /** Plain English. */
  when?: string
  what?: string
  name?: string
  /** The job to copy. */
  copy?: string
  /** Takes precedence over `when`. */
  schedule?: Schedule
}

/** The address of the form with these values, so that reload and back keep them. */
export function newJobPath({ schedule, ...start }: NewJobStart): string {
  const texts = schedule ? { ...start, when: '', schedule: JSON.stringify(schedule) } : start
  const pairs = Object.entries(texts).filter(([, text]) => text !== '')
  return `/scheduler/new${pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''}`
}

export function readNewJob(search: string) {
  const query = new URLSearchParams(search)
  const [when = '', what = '', name = '', copy = ''] = ['when', 'what', 'name', 'copy'].map(
    (part) => query.get(part) ?? '',
  )
  return { when, what, name, copy, schedule: parsed(query.get('schedule')) }
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
