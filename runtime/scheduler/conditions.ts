import type { Context } from '../context.ts'
import type { StoredJob } from './job-store.ts'
import { previousRun, type StoredRun } from './run-store.ts'

type Condition = NonNullable<StoredJob['condition']>

/** Why a condition does not hold, or null when it does. */
type Check = (context: Context, condition: Condition, run: StoredRun) => Promise<string | null>

/** How each type of condition is checked; a type without a check cannot be given to a job. */
export const conditions: Partial<Record<Condition['type'], Check>> = {
  /** `expression` is a status, for example `succeeded`. A first run has no run before it and goes ahead. */
  async previous_status(context, { expression }, run) {
    const previous = await previousRun(context, run)
    if (!previous || previous.status === expression.trim()) return null
    return `The run before it ended ${previous.status}, not ${expression.trim()}`
  },
}

/** Why a run must not begin, or null when it may. */
export async function unmet(context: Context, job: StoredJob, run: StoredRun): Promise<string | null> {
  const check = job.condition && conditions[job.condition.type]
  return job.condition && check ? check(context, job.condition, run) : null
}
