import type { StoredBudget } from '../monitoring/budget-schema.ts'
import { deleteBudgetsOf, insertBudget } from '../monitoring/budget-store.ts'
import type { Statement } from '../ports/sql.ts'
import type { StoredJob } from './job-store.ts'

/** The limits of a job as budgets of the ledger, in the place of those it had. They are shown among the others. */
export const budgetsOf = (job: StoredJob): Statement[] => [
  deleteBudgetsOf('job', job.id),
  ...limitsOf(job).map(([window, limit_usd]) => insertBudget(budget(job, window, limit_usd))),
]

function limitsOf({ budget }: StoredJob): ['run' | 'day', number][] {
  const { run_usd = null, daily_usd = null } = budget ?? {}
  return [
    ...(run_usd === null ? [] : [['run', run_usd] as ['run', number]]),
    ...(daily_usd === null ? [] : [['day', daily_usd] as ['day', number]]),
  ]
}

const budget = (job: StoredJob, window: 'run' | 'day', limit_usd: number): StoredBudget => ({
  id: `budget_${job.id}_${window}`,
  scope: { kind: 'job', id: job.id },
  window,
  limit_usd,
  limit_tokens: null,
  warn_pct: [80],
  action: 'block',
  paused: false,
  created_at: job.updated_at,
  updated_at: job.updated_at,
})
