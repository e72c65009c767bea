import type { Host } from '../../host.ts'
import type { RunStatus, RunTrigger } from '../run-schema.ts'

type Sql = Pick<Host, 'sql'>

export interface RunFact {
  status: RunStatus
  created_at: string
  started_at: string | null
  completed_at: string | null
  error: string | null
  tokens: number
  cost_usd: number
}

/** Runs of a job since then, newest first, at most `limit`. */
export const latestRuns = ({ sql }: Sql, job: string, { since, limit }: { since: string; limit: number }) =>
  sql.read<RunFact>(
    `SELECT status, created_at, started_at, completed_at, substr(error, 1, 2000) AS error,
      input_tokens + output_tokens AS tokens, cost_usd
      FROM scheduler_runs WHERE job_id = ? AND created_at >= ? ORDER BY id DESC LIMIT ?`,
    [job, since, limit],
  )

export interface RunMoment {
  job_id: string
  name: string
  run_id: string
  status: RunStatus
  at: string
}

/** Due times and what became of them, oldest first. */
export const runsBetween = ({ sql }: Sql, span: { start: string; end: string; limit: number }) =>
  sql.read<RunMoment>(
    `SELECT run.job_id, job.name, run.id AS run_id, run.status, run.scheduled_for AS at
      FROM scheduler_runs AS run JOIN scheduler_jobs AS job ON job.id = run.job_id
      WHERE run.scheduled_for >= ? AND run.scheduled_for < ? ORDER BY run.scheduled_for, run.id LIMIT ?`,
    [span.start, span.end, span.limit],
  )

/** When the person wrote, as minutes in UTC (`2026-01-05T12:34`), the latest ones. */
export async function momentsOfChat({ sql }: Sql, since: string, limit: number): Promise<string[]> {
  const rows = await sql.read<{ at: string }>(
    `SELECT substr(m.created_at, 1, 16) AS at FROM conversations AS c JOIN messages AS m ON m.conversation_id = c.id
      WHERE c.kind = 'user' AND c.last_message_at >= ? AND m.role = 'user' AND m.created_at >= ?
      ORDER BY m.id DESC LIMIT ?`,
    [since, since, limit],
  )
  return rows.map(({ at }) => at)
}

/** When jobs were started by hand, the latest ones. */
export const momentsByHand = ({ sql }: Sql, since: string, limit: number) =>
  sql.read<{ at: string; job_id: string; name: string }>(
    `SELECT substr(run.created_at, 1, 16) AS at, run.job_id, job.name
      FROM scheduler_runs AS run JOIN scheduler_jobs AS job ON job.id = run.job_id
      WHERE run.created_at >= ? AND run.trigger = ? ORDER BY run.created_at DESC LIMIT ?`,
    [since, 'manual' satisfies RunTrigger, limit],
  )
