import { iso } from '../time.ts'
import { nextRuns } from './next-run.ts'
import { Schedule } from './schema.ts'

export interface Wish {
  type: string
  value: string
  timezone: string
  /** Of `every`: the first time. */
  starts_at?: string | undefined
}

export interface Verdict {
  valid: boolean
  error?: string
  next_runs: string[]
}

const members: Record<string, string> = { cron: 'expression', every: 'interval', at: 'datetime' }

/** Whether a schedule can be stored, and when it comes due next. Pure. */
export function validateSchedule({ type, value, timezone, starts_at }: Wish, now: number): Verdict {
  const member = members[type]
  if (member === undefined) return refused('type must be cron, every or at')
  const given = type === 'every' ? Number(value) : value
  const result = Schedule.safeParse({ type, [member]: given, timezone, starts_at })
  if (!result.success) {
    const [issue] = result.error.issues
    return refused(`${issue?.path.join('.')} ${issue?.message}`)
  }
  const times = nextRuns(result.data, now, { zone: timezone, anchor: now, count: 5 })
  if (times.length === 0) return refused('datetime lies in the past')
  return { valid: true, next_runs: times.map(iso) }
}

const refused = (error: string): Verdict => ({ valid: false, error, next_runs: [] })
