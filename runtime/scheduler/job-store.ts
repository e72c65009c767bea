import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { shownDelivery } from './delivery/secret.ts'
import { humanReadable } from './describe.ts'
import type { Job, JobSettings, JobStatus, Schedule } from './schema.ts'

type Sql = Pick<Host, 'sql'>

/** Also what only the runtime needs to know, and without what is made for people. */
export interface StoredJob extends Omit<Job, 'human_readable'> {
  anchor_at: string
}

interface Row extends Omit<StoredJob, keyof JobSettings | 'schedule'> {
  schedule: string
  settings: string
  planned_at: string
}

function toJob({ settings, schedule, planned_at: _, ...row }: Row): StoredJob {
  return { ...row, schedule: JSON.parse(schedule), ...(JSON.parse(settings) as JobSettings) }
}

/** The job as the interface shows it. */
export const publicJob = ({ anchor_at: _, ...job }: StoredJob): Job => ({
  ...job,
  human_readable: wordsFor(job.schedule),
  delivery: shownDelivery(job.delivery),
})

/** Of moments the date, not how far off they are: that changes with every day. */
const wordsFor = (schedule: Schedule): string =>
  humanReadable(schedule, { zone: schedule.timezone ?? 'UTC', now: 0 })

const settingsOf = (job: StoredJob): JobSettings => ({
  target: job.target,
  delivery: job.delivery,
  condition: job.condition,
  retry: job.retry,
  misfire: job.misfire,
  overlap: job.overlap,
  jitter_seconds: job.jitter_seconds,
  timeout_seconds: job.timeout_seconds,
  max_runs: job.max_runs,
  ends_at: job.ends_at,
  auto_pause_after: job.auto_pause_after,
  execution_mode: job.execution_mode,
  model: job.model,
  budget: job.budget,
  tags: job.tags,
})

export async function findJob({ sql }: Sql, id: string): Promise<StoredJob | null> {
  const [row] = await sql.read<Row>('SELECT * FROM scheduler_jobs WHERE id = ?', [id])
  return row ? toJob(row) : null
}

export interface JobFilter {
  status?: JobStatus | undefined
  limit: number
  offset: number
}

/** What runs next first; `total` counts all that match. */
export async function listJobs({ sql }: Sql, { status, limit, offset }: JobFilter) {
  const where = status === undefined ? '' : 'WHERE status = ?'
  const args = status === undefined ? [] : [status]
  const rows = await sql.read<Row>(
    `SELECT * FROM scheduler_jobs ${where} ORDER BY next_run_at IS NULL, next_run_at, id LIMIT ? OFFSET ?`,
    [...args, limit, offset],
  )
  const [count] = await sql.read<{ total: number }>(
    `SELECT count(*) AS total FROM scheduler_jobs ${where}`,
    args,
  )
  return { jobs: rows.map(toJob), total: count?.total ?? 0 }
}

export async function jobsNamed({ sql }: Sql, name: string): Promise<StoredJob[]> {
  const rows = await sql.read<Row>(
    `SELECT * FROM scheduler_jobs WHERE lower(name) = lower(?) AND status IN ('active', 'paused') ORDER BY id`,
    [name],
  )
  return rows.map(toJob)
}

/** Active ones whose time has come, longest due first. */
export async function dueJobs({ sql }: Sql, now: string, limit: number): Promise<StoredJob[]> {
  const rows = await sql.read<Row>(
    `SELECT * FROM scheduler_jobs WHERE status = 'active' AND next_run_at <= ? ORDER BY next_run_at LIMIT ?`,
    [now, limit],
  )
  return rows.map(toJob)
}

/** Active ones whose next time was computed on a clock that was ahead of `now`. */
export async function jobsPlannedAfter({ sql }: Sql, now: string, limit: number): Promise<StoredJob[]> {
  const rows = await sql.read<Row>(
    `SELECT * FROM scheduler_jobs WHERE status = 'active' AND planned_at > ? LIMIT ?`,
    [now, limit],
  )
  return rows.map(toJob)
}

/** When the next job is due, as ISO text. */
export async function nextDueJob({ sql }: Sql): Promise<string | null> {
  const [row] = await sql.read<{ next: string | null }>(
    `SELECT min(next_run_at) AS next FROM scheduler_jobs WHERE status = 'active' AND next_run_at IS NOT NULL`,
  )
  return row?.next ?? null
}

export async function countJobs({ sql }: Sql): Promise<Partial<Record<JobStatus, number>>> {
  const rows = await sql.read<{ status: JobStatus; count: number }>(
    'SELECT status, count(*) AS count FROM scheduler_jobs GROUP BY status',
  )
  return Object.fromEntries(rows.map((row) => [row.status, row.count]))
}

export const insertJob = (job: StoredJob, planned_at: string): Statement => ({
  sql: `INSERT INTO scheduler_jobs (id, name, goal, schedule, status, paused_reason, agent_id, next_run_at, last_run_at,
    last_status, run_count, consecutive_failures, settings, anchor_at, planned_at, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, NULL, ?, ?, NULL, NULL, 0, 0, ?, ?, ?, ?, ?)`,
  args: [
    job.id,
    job.name,
    job.goal,
    JSON.stringify(job.schedule),
    job.status,
    job.agent_id,
    job.next_run_at,
    JSON.stringify(settingsOf(job)),
    job.anchor_at,
    planned_at,
    job.created_at,
    job.updated_at,
  ],
})

/** What a person may change; not for a job that has moved on since it was read. */
export const updateJob = (job: StoredJob, read: StoredJob, planned_at: string): Statement => ({
  sql: `UPDATE scheduler_jobs SET name = ?, goal = ?, schedule = ?, status = ?, paused_reason = ?, agent_id = ?, next_run_at = ?,
    consecutive_failures = ?, settings = ?, anchor_at = ?, planned_at = ?, updated_at = ?
    WHERE id = ? AND status = ? AND next_run_at IS ? AND updated_at = ?`,
  args: [
    job.name,
    job.goal,
    JSON.stringify(job.schedule),
    job.status,
    job.paused_reason,
    job.agent_id,
    job.next_run_at,
    job.consecutive_failures,
    JSON.stringify(settingsOf(job)),
    job.anchor_at,
    planned_at,
    job.updated_at,
    read.id,
    read.status,
    read.next_run_at,
    read.updated_at,
  ],
  guard: 'The job has changed in this very moment; read it again',
})

export const deleteJob = (id: string): Statement => ({
  sql: 'DELETE FROM scheduler_jobs WHERE id = ?',
  args: [id],
  guard: 'The job was deleted already',
})

/** Moves a job on from one due time to the next. Of two that notice the same due time one wins. */
export const moveOn = (
  job: StoredJob,
  to: { next: string | null; now: string; begun: number },
): Statement => ({
  sql: `UPDATE scheduler_jobs SET next_run_at = ?, planned_at = ?, run_count = run_count + ?
    WHERE id = ? AND status = 'active' AND next_run_at = ?`,
  args: [to.next, to.now, to.begun, job.id, job.next_run_at],
  guard: 'Another daemon has taken this due time',
})

export const countRun = (id: string): Statement => ({
  sql: 'UPDATE scheduler_jobs SET run_count = run_count + 1 WHERE id = ?',
  args: [id],
  guard: 'The job was deleted',
})

export interface JobNote {
  last_run_at: string | null
  last_status: string
  /** 0 forgets, 1 counts a failure, null leaves them. */
  failures: 0 | 1 | null
}

/** What a run's end leaves at its job. */
export const noteRun = (id: string, { last_run_at, last_status, failures }: JobNote): Statement => ({
  sql: `UPDATE scheduler_jobs SET last_run_at = coalesce(?, last_run_at), last_status = ?,
    consecutive_failures = CASE ? WHEN 0 THEN 0 WHEN 1 THEN consecutive_failures + 1 ELSE consecutive_failures END
    WHERE id = ?`,
  args: [last_run_at, last_status, failures ?? -1, id],
})

/** An active job that has failed too often rests until a person looks at it. */
export const pauseFailing = (id: string, most: number, reason: string): Statement => ({
  sql: `UPDATE scheduler_jobs SET status = 'paused', paused_reason = ?, next_run_at = NULL
    WHERE id = ? AND status = 'active' AND next_run_at IS NOT NULL AND consecutive_failures >= ?`,
  args: [reason, id, most],
})

export const pauseBroken = (id: string, reason: string): Statement => ({
  sql: `UPDATE scheduler_jobs SET status = 'paused', paused_reason = ?, next_run_at = NULL WHERE id = ?`,
  args: [reason, id],
})

/** Nobody is left to do them: they wait until a person chooses another agent. */
export const pauseJobsOf = (agent: string, reason: string): Statement => ({
  sql: `UPDATE scheduler_jobs SET status = 'paused', paused_reason = ?, next_run_at = NULL
    WHERE agent_id = ? AND status = 'active'`,
  args: [reason, agent],
})

/** An active job without a next time and without an open run is over. */
export const closeJob = (id: string, status: 'completed' | 'failed'): Statement => ({
  sql: `UPDATE scheduler_jobs SET status = ? WHERE id = ? AND status = 'active' AND next_run_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM scheduler_runs WHERE job_id = scheduler_jobs.id AND status IN ('queued', 'running'))`,
  args: [status, id],
})
