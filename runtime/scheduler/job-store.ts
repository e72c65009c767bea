import { anyone, owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { humanReadable } from './describe.ts'
import { type Job, JobSettings, type JobStatus } from './schema.ts'
import { maskSecret } from './webhook.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

/** A stored job, with the fields that only the runtime needs. */
export interface StoredJob extends Omit<Job, 'human_readable'> {
  owner_id: string
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

/** The job as the API returns it. */
export const publicJob = ({ anchor_at: _, owner_id: __, ...job }: StoredJob): Job => ({
  ...job,
  // `now: 0` keeps dates absolute: "tomorrow" would be wrong a day later.
  human_readable: humanReadable(job.schedule, { zone: job.schedule.timezone ?? 'UTC', now: 0 }),
  delivery: maskSecret(job.delivery),
})

const settingsOf = (job: StoredJob): string =>
  JSON.stringify(
    Object.fromEntries(Object.keys(JobSettings.shape).map((name) => [name, job[name as keyof JobSettings]])),
  )

/** A job whoever owns it, for the daemon's own work. */
export async function findJob({ sql }: Sql, id: string): Promise<StoredJob | null> {
  const [row] = await sql.read<Row>('SELECT * FROM scheduler_jobs WHERE id = ?', [id])
  return row ? toJob(row) : null
}

/** A job that the caller may see. */
export async function findOwnJob(context: Reader, id: string): Promise<StoredJob | null> {
  const own = owned(context)
  const sql = `SELECT * FROM scheduler_jobs WHERE id = ? AND ${own.sql}`
  const [row] = await context.sql.read<Row>(sql, [id, ...own.args])
  return row ? toJob(row) : null
}

export interface JobFilter {
  status?: JobStatus | undefined
  /** Part of the name. */
  search?: string | undefined
  limit: number
  offset: number
}

/** The next to run first; `total` counts all that match. */
export async function listJobs(context: Reader, { status, search, ...page }: JobFilter) {
  const own = owned(context)
  const like = search && `%${search.replace(/[\\%_]/g, '\\$&')}%`
  const where = `WHERE ${own.sql}${status === undefined ? '' : ' AND status = ?'}${like ? ` AND name LIKE ? ESCAPE '\\'` : ''}`
  const args = [...own.args, ...(status === undefined ? [] : [status]), ...(like ? [like] : [])]
  const order = 'next_run_at IS NULL, next_run_at, id'
  const query = { select: `SELECT * FROM scheduler_jobs ${where}`, args, order }
  const { rows, total } = await selectPage<Row>(context, query, page)
  return { jobs: rows.map(toJob), count: rows.length, total }
}

export async function jobsNamed(context: Reader, name: string): Promise<StoredJob[]> {
  const own = owned(context)
  const rows = await context.sql.read<Row>(
    `SELECT * FROM scheduler_jobs WHERE lower(name) = lower(?) AND status IN ('active', 'paused') AND ${own.sql}
      ORDER BY id`,
    [name, ...own.args],
  )
  return rows.map(toJob)
}

/** Active jobs that are due, longest due first. */
export async function dueJobs(
  { sql }: Sql,
  now: string,
  limit: number,
  own: Condition = anyone,
): Promise<StoredJob[]> {
  const rows = await sql.read<Row>(
    `SELECT * FROM scheduler_jobs WHERE status = 'active' AND next_run_at <= ? AND ${own.sql}
      ORDER BY next_run_at LIMIT ?`,
    [now, ...own.args, limit],
  )
  return rows.map(toJob)
}

/** Active jobs whose next due time was computed on a clock ahead of `now`. */
export async function jobsPlannedAfter({ sql }: Sql, now: string, limit: number): Promise<StoredJob[]> {
  const rows = await sql.read<Row>(
    `SELECT * FROM scheduler_jobs WHERE status = 'active' AND planned_at > ? LIMIT ?`,
    [now, limit],
  )
  return rows.map(toJob)
}

/** The next due time of any job, as ISO text. */
export async function nextDueJob({ sql }: Sql, own: Condition = anyone): Promise<string | null> {
  const [row] = await sql.read<{ next: string | null }>(
    `SELECT min(next_run_at) AS next FROM scheduler_jobs WHERE status = 'active' AND next_run_at IS NOT NULL AND ${own.sql}`,
    own.args,
  )
  return row?.next ?? null
}

export async function countJobs({ sql }: Sql, own: Condition = anyone): Promise<Record<JobStatus, number>> {
  const rows = await sql.read<{ status: JobStatus; count: number }>(
    `SELECT status, count(*) AS count FROM scheduler_jobs WHERE ${own.sql} GROUP BY status`,
    own.args,
  )
  const found = Object.fromEntries(rows.map((row) => [row.status, row.count]))
  return { active: 0, paused: 0, completed: 0, failed: 0, ...found }
}

/** The owner's active jobs that run in the mode `autonomous`. */
export async function countAutonomousJobs({ sql }: Sql, own: Condition): Promise<number> {
  const [row] = await sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM scheduler_jobs
      WHERE status = 'active' AND json_extract(settings, '$.execution_mode') = 'autonomous' AND ${own.sql}`,
    own.args,
  )
  return row?.count ?? 0
}

export const insertJob = (job: StoredJob, planned_at: string): Statement => ({
  sql: `INSERT INTO scheduler_jobs (id, owner_id, name, goal, schedule, status, paused_reason, agent_id, next_run_at, last_run_at,
    last_status, run_count, consecutive_failures, settings, anchor_at, planned_at, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, NULL, NULL, 0, 0, ?, ?, ?, ?, ?)`,
  args: [
    job.id,
    job.owner_id,
    job.name,
    job.goal,
    JSON.stringify(job.schedule),
    job.status,
    job.agent_id,
    job.next_run_at,
    settingsOf(job),
    job.anchor_at,
    planned_at,
    job.created_at,
    job.updated_at,
  ],
})

/** Writes what people can change; fails for a job that has changed since it was read. */
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
    settingsOf(job),
    job.anchor_at,
    planned_at,
    job.updated_at,
    read.id,
    read.status,
    read.next_run_at,
    read.updated_at,
  ],
  guard: 'The job has changed in the meantime; read it again',
})

export const deleteJob = (id: string): Statement => ({
  sql: 'DELETE FROM scheduler_jobs WHERE id = ?',
  args: [id],
  guard: 'The job was already deleted',
})

/** Advances a job to its next due time. Of two daemons that see the same due time one wins. */
export const advanceJob = (
  job: StoredJob,
  to: { next: string | null; now: string; queued: number },
): Statement => ({
  sql: `UPDATE scheduler_jobs SET next_run_at = ?, planned_at = ?, run_count = run_count + ?
    WHERE id = ? AND status = 'active' AND next_run_at = ?`,
  args: [to.next, to.now, to.queued, job.id, job.next_run_at],
  guard: 'Another daemon has taken this due time',
})

export const countRun = (id: string): Statement => ({
  sql: 'UPDATE scheduler_jobs SET run_count = run_count + 1 WHERE id = ?',
  args: [id],
  guard: 'The job was deleted',
})

/**
 * Subtracts a skipped run from the count. A job that had reached its maximum gets `next` as its next due
 * time.
 */
export const uncountRun = (id: string, { next, now }: { next: string | null; now: string }): Statement => ({
  sql: `UPDATE scheduler_jobs SET run_count = max(0, run_count - 1), planned_at = ?1,
    next_run_at = iif(status = 'active', coalesce(next_run_at, ?2), next_run_at) WHERE id = ?3`,
  args: [now, next, id],
})

/** Records the end of a run. `failures`: 0 resets the count, 1 adds one, null leaves it. */
export const recordRun = (
  id: string,
  end: { last_run_at: string | null; last_status: string; failures: 0 | 1 | null },
): Statement => ({
  sql: `UPDATE scheduler_jobs SET last_run_at = coalesce(?, last_run_at), last_status = ?,
    consecutive_failures = CASE ? WHEN 0 THEN 0 WHEN 1 THEN consecutive_failures + 1 ELSE consecutive_failures END
    WHERE id = ?`,
  args: [end.last_run_at, end.last_status, end.failures ?? -1, id],
})

/** Pauses an active job with at least `max` consecutive failures. */
export const pauseFailing = (id: string, max: number, reason: string): Statement => ({
  sql: `UPDATE scheduler_jobs SET status = 'paused', paused_reason = ?, next_run_at = NULL
    WHERE id = ? AND status = 'active' AND next_run_at IS NOT NULL AND consecutive_failures >= ?`,
  args: [reason, id, max],
})

/** Pauses a job whose schedule cannot be computed. */
export const pauseBroken = (id: string, reason: string): Statement => ({
  sql: `UPDATE scheduler_jobs SET status = 'paused', paused_reason = ?, next_run_at = NULL WHERE id = ?`,
  args: [reason, id],
})

/** Pauses the jobs of a deleted agent. */
export const pauseJobsOf = (agent: string, reason: string): Statement => ({
  sql: `UPDATE scheduler_jobs SET status = 'paused', paused_reason = ?, next_run_at = NULL
    WHERE agent_id = ? AND status = 'active'`,
  args: [reason, agent],
})

/** Closes an active job that has neither a next due time nor an open run. */
export const closeJob = (id: string, status: 'completed' | 'failed'): Statement => ({
  sql: `UPDATE scheduler_jobs SET status = ? WHERE id = ? AND status = 'active' AND next_run_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM scheduler_runs WHERE job_id = scheduler_jobs.id AND status IN ('queued', 'running'))`,
  args: [status, id],
})

/** Those of the jobs that the caller may see. */
export async function existingJobs(context: Reader, jobs: readonly string[]): Promise<Set<string>> {
  const own = owned(context)
  const rows = await context.sql.read<{ id: string }>(
    `SELECT id FROM scheduler_jobs WHERE id IN (SELECT value FROM json_each(?)) AND ${own.sql}`,
    [JSON.stringify(jobs), ...own.args],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Names by id, for those of these jobs that exist. */
export async function jobNames({ sql }: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql.read<{ id: string; name: string }>(
    'SELECT id, name FROM scheduler_jobs WHERE id IN (SELECT value FROM json_each(?))',
    [JSON.stringify(ids)],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** What a job remembers between runs: the state of a watched file, the conversation of its results. */
type MarkName = 'file' | 'conversation'

export async function findMark({ sql }: Sql, job: string, name: MarkName): Promise<string | null> {
  const [row] = await sql.read<{ value: string }>(
    'SELECT value FROM scheduler_marks WHERE job_id = ? AND name = ?',
    [job, name],
  )
  return row?.value ?? null
}

export const setMark = (job: string, name: MarkName, value: string): Statement => ({
  sql: `INSERT INTO scheduler_marks (job_id, name, value) VALUES (?, ?, ?)
    ON CONFLICT (job_id, name) DO UPDATE SET value = excluded.value`,
  args: [job, name, value],
})
