import { anyone, owned } from '../auth/owner.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { changedFields, containing, type Reader, type Sql, Table } from '../table.ts'
import type { Trust } from '../trust.ts'
import { maskSecret } from './delivery-secret.ts'
import { humanReadable } from './describe.ts'
import { isOpenRun } from './run-store.ts'
import { type Job, JobSettings, type JobStatus, type RunStatus } from './schema.ts'

export interface StoredJob extends Omit<Job, 'human_readable'> {
  owner_id: string
  anchor_at: string
  /** Who wrote the goal. */
  trust: Trust
}

const jobs = new Table<StoredJob, 'planned_at'>('scheduler_jobs', {
  json: ['schedule'],
  packed: { column: 'settings', fields: [...JobSettings.keyof().options, 'trust'] },
  hidden: ['planned_at'],
})

export const publicJob = ({ anchor_at: _, owner_id: __, trust: ___, ...job }: StoredJob): Job => ({
  ...job,
  // `now: 0` keeps dates absolute: "tomorrow" would be wrong a day later.
  human_readable: humanReadable(job.schedule, { zone: job.schedule.timezone ?? 'UTC', now: 0 }),
  delivery: maskSecret(job.delivery),
})

/** A job of any owner, for the daemon's own work. */
export const findJob = (host: Sql, id: string) => jobs.find(host, { id })
export const findOwnJob = (context: Reader, id: string) => jobs.find(context, { id }, owned(context))

export interface JobFilter {
  status?: JobStatus | undefined
  search?: string | undefined
  limit: number
  offset: number
}

/** The next to run first; `total` counts all that match. */
export const listJobs = (context: Reader, { status, search, ...page }: JobFilter) =>
  jobs.page(
    context,
    page,
    'next_run_at IS NULL, next_run_at, id',
    owned(context),
    { status },
    containing(search, 'name'),
  )

export const jobsNamed = (context: Reader, name: string) =>
  jobs.list(context, 'id', `status IN ('active', 'paused')`, owned(context), sql`lower(name) = lower(${name})`)

/** Active jobs that are due, longest due first. */
export const dueJobs = (host: Sql, now: string, limit: number, own: Condition = anyone) =>
  jobs.list(host, `next_run_at LIMIT ${limit}`, { status: 'active' }, sql`next_run_at <= ${now}`, own)

/** Active jobs whose next due time was computed on a clock ahead of `now`. */
export const jobsPlannedAfter = (host: Sql, now: string, limit: number) =>
  jobs.list(host, `planned_at LIMIT ${limit}`, { status: 'active' }, sql`planned_at > ${now}`)

/** The next due time of any job, as ISO text. */
export const nextDueJob = async (host: Sql, own: Condition = anyone): Promise<string | null> =>
  (await jobs.first(host, 'next_run_at', `status = 'active' AND next_run_at IS NOT NULL`, own))?.next_run_at ?? null

export const countJobs = async (host: Sql, own: Condition = anyone): Promise<Record<JobStatus, number>> => ({
  active: 0,
  paused: 0,
  completed: 0,
  failed: 0,
  ...(await jobs.countBy(host, 'status', own)),
})

/** The owner's active jobs that run in the mode `autonomous`. */
export const countAutonomousJobs = (host: Sql, own: Condition): Promise<number> =>
  jobs.count(host, { status: 'active' }, `json_extract(settings, '$.execution_mode') = 'autonomous'`, own)

export const insertJob = (job: StoredJob, planned_at: string): Statement => jobs.insert({ ...job, planned_at })

/** Writes what differs from the job as it was read; fails if people or its schedule have changed it since. */
export function updateJob(job: StoredJob, read: StoredJob, planned_at: string): Statement {
  const { id, status, next_run_at, updated_at } = read
  return jobs.update(
    { ...changedFields(job, read), planned_at },
    { id, status, next_run_at, updated_at },
    'The job has changed in the meantime; read it again',
  )
}

export const deleteJob = (id: string): Statement => jobs.delete({ id }, 'The job was already deleted')

/** Advances a job to its next due time. Of two daemons that see the same due time one wins. */
export const advanceJob = (
  { id, next_run_at }: StoredJob,
  { next, now, queued }: { next: string | null; now: string; queued: number },
): Statement =>
  jobs.update(
    { next_run_at: next, planned_at: now, run_count: sql`run_count + ${queued}` },
    { id, status: 'active', next_run_at },
    'Another daemon has taken this due time',
  )

export const countRun = (id: string): Statement =>
  jobs.update({ run_count: sql`run_count + 1` }, { id }, 'The job was deleted')

/**
 * Subtracts a skipped run from the count. A job that had reached its maximum gets `next` as its next due
 * time.
 */
export const uncountRun = (id: string, { next, now }: { next: string | null; now: string }): Statement =>
  jobs.update(
    {
      run_count: sql`max(0, run_count - 1)`,
      planned_at: now,
      next_run_at: sql`iif(status = 'active', coalesce(next_run_at, ${next}), next_run_at)`,
    },
    { id },
  )

/** Records the end of a run. `failures`: 0 resets the count, 1 adds one, null leaves it. */
export const recordRun = (
  id: string,
  {
    last_run_at,
    last_status,
    failures,
  }: { last_run_at: string | null; last_status: RunStatus; failures: 0 | 1 | null },
): Statement =>
  jobs.update(
    {
      last_status,
      ...(last_run_at !== null && { last_run_at }),
      ...(failures !== null && { consecutive_failures: failures === 0 ? 0 : sql`consecutive_failures + 1` }),
    },
    { id },
  )

/** Pauses an active job with at least `max` consecutive failures. */
export const pauseFailing = (id: string, max: number, reason: string): Statement =>
  jobs.update(pausedFor(reason), [
    { id, status: 'active' },
    sql`next_run_at IS NOT NULL AND consecutive_failures >= ${max}`,
  ])

const pausedFor = (paused_reason: string) => ({ status: 'paused', paused_reason, next_run_at: null }) as const

/** Pauses a job whose schedule cannot be computed. */
export const pauseBroken = (id: string, reason: string): Statement => jobs.update(pausedFor(reason), { id })

/** Pauses the jobs of a deleted agent. */
export const pauseJobsOf = (agent_id: string, reason: string): Statement =>
  jobs.update(pausedFor(reason), { agent_id, status: 'active' })

/** Closes an active job that has neither a next due time nor an open run. */
export const closeJob = (id: string, status: 'completed' | 'failed'): Statement =>
  jobs.update({ status }, [
    { id, status: 'active', next_run_at: null },
    `NOT EXISTS (SELECT 1 FROM scheduler_runs WHERE job_id = scheduler_jobs.id AND ${isOpenRun})`,
  ])

/** The jobs among these that the caller may see. */
export const existingJobs = async (context: Reader, ids: readonly string[]): Promise<Set<string>> =>
  new Set(await jobs.values(context, 'id', 'id', { id: ids }, owned(context)))

export const jobNames = (host: Sql, ids: readonly string[]) => jobs.names(host, ids)

/** The state that a job keeps between runs: that of a watched file, and the conversation of its results. */
type MarkName = 'file' | 'conversation'

const marks = new Table<{ job_id: string; name: MarkName; value: string }>('scheduler_marks')

export const findMark = async (host: Sql, job_id: string, name: MarkName): Promise<string | null> =>
  (await marks.find(host, { job_id, name }))?.value ?? null

export const setMark = (job_id: string, name: MarkName, value: string): Statement =>
  marks.upsert({ job_id, name, value }, 'job_id, name')
