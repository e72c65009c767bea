import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import type { Statement } from '../ports/sql.ts'
import type { Condition, Verdict } from './conditions/condition.ts'
import { expression } from './conditions/expression.ts'
import { fileChanged } from './conditions/file-changed.ts'
import { http } from './conditions/http.ts'
import { previousStatus } from './conditions/previous-status.ts'
import type { StoredJob } from './job-store.ts'
import type { StoredRun } from './run-store.ts'

type Type = NonNullable<StoredJob['condition']>['type']

/** How each type of condition is checked. */
export const conditions: Record<Type, Condition> = {
  expression,
  http,
  file_changed: fileChanged,
  previous_status: previousStatus,
}

export interface Judgement {
  /** Why the run must not begin, or null when it may. */
  refusal: string | null
  /** For the commit that begins the run. */
  statements: Statement[]
  /** For the commit that skips it. */
  events: EventInput[]
}

/** Whether a run may begin. A condition that cannot be told does not hold, and people are warned of it. */
export async function judge(context: Context, job: StoredJob, run: StoredRun): Promise<Judgement> {
  if (job.condition === null) return { refusal: null, statements: [], events: [] }
  const { type, expression } = job.condition
  const verdict = await conditions[type]
    .check(context, { job, run, expression })
    .catch((thrown: unknown): Verdict => {
      context.signal.throwIfAborted()
      const message = thrown instanceof Error ? thrown.message : String(thrown)
      return { met: false, broken: true, reason: `Its condition cannot be checked: ${message}` }
    })
  if (verdict.met) return { refusal: null, statements: verdict.statements ?? [], events: [] }
  const data = { job_id: job.id, name: job.name, run_id: run.id, condition: type, error: verdict.reason }
  const warning = { type: 'job.condition.failed', data }
  return { refusal: verdict.reason, statements: [], events: verdict.broken ? [warning] : [] }
}
