import { owned } from '../auth/owner.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import { sumOf } from '../numbers.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { retainedRows } from '../retention.ts'
import type { ListedRun, RunsFilter } from '../run-summary.ts'
import type { RunOutcome } from '../schedules/targets.ts'
import { raw, readRows, sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import { iso } from '../time.ts'
import { hasWork } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { deliveryKind, runKind } from './kinds.ts'
import type { CalendarEvent, Run, RunStatus, ShownRun } from './schema.ts'

/** A run with the fields that only the runtime needs. */
export interface StoredRun extends Run {
  chain_run_id: string | null
}

const runs = new Table<StoredRun>('scheduler_runs', {
  complete: (run) => {
    const { started_at, completed_at } = run
    const duration =
      started_at && completed_at ? Math.max(0, Date.parse(completed_at) - Date.parse(started_at)) / 1_000 : null
    return { ...run, duration_seconds: duration }
  },
})

async function toShown(host: Sql, runs: StoredRun[]): Promise<ShownRun[]> {
  const running = runs.flatMap(({ status, conversation_id: id }) => (status === 'running' && id ? [id] : []))
  const waiting = running.length === 0 ? none : await waitingConversations(host, running)
  return runs.map(({ chain_run_id: _, ...run }) => ({
    ...run,
    waiting_approval: waiting.has(run.conversation_id ?? ''),
  }))
}

const none: ReadonlySet<string> = new Set()

async function waitingConversations(host: Sql, ids: string[]): Promise<ReadonlySet<string>> {
  const { findConversations } = await import('../chat/index.ts')
  const all = [...(await findConversations(host, ids)).values()]
  return new Set(all.filter(({ status }) => status === 'waiting_approval').map(({ id }) => id))
}

export const findRun = (host: Sql, id: string) => runs.find(host, { id })

export async function showRun(host: Sql, job_id: string, id: string): Promise<ShownRun | null> {
  return (await toShown(host, await runs.list(host, 'id', { id, job_id })))[0] ?? null
}

/** The runs of jobs that satisfy a condition. */
const ofJobs = (jobs: Condition) => sql`job_id IN (SELECT id FROM scheduler_jobs WHERE ${jobs})`

export interface RunFilter {
  job_id?: string | undefined
  status?: RunStatus | undefined
  limit: number
  offset: number
}

/** Newest first; `total` counts all that match. */
export async function listRuns(host: Reader, { job_id, status, ...page }: RunFilter) {
  const { rows, total } = await runs.page(host, page, 'id DESC', ofJobs(owned(host)), { job_id, status })
  return { runs: await toShown(host, rows), total }
}

/** Literal, so that the partial index is used. */
export const isOpenRun = `status IN ('queued', 'running')`

const inSummary: Record<RunsFilter['state'], string> = {
  open: `runs.${isOpenRun}`,
  failed: `runs.status IN ('failed', 'timed_out', 'lost')`,
  all: 'true',
}

/** Runs as all areas list them; among the failed ones are jobs that the scheduler has paused. */
export function summarizeRuns(context: Reader, { state, since, limit }: RunsFilter): Promise<ListedRun[]> {
  const own = owned(context, 'jobs.owner_id')
  const recent = state === 'open' ? sql`true` : sql`runs.created_at > ${since}`
  const paused = sql`SELECT 'job', id, id, name, 'paused', paused_reason, updated_at, '/scheduler/' || id, NULL
    FROM scheduler_jobs AS jobs WHERE ${raw(String(state === 'failed'))} AND paused_reason IS NOT NULL AND ${own}`
  return readRows(
    context,
    sql`SELECT * FROM (SELECT 'job' AS kind, job_id AS id, runs.id AS run_id, jobs.name, runs.status, runs.error AS detail,
        coalesce(runs.started_at, runs.created_at) AS at, '/scheduler/' || job_id || '/' || runs.id AS href, started_id
      FROM scheduler_runs AS runs JOIN scheduler_jobs AS jobs ON jobs.id = job_id
      WHERE ${own} AND ${raw(inSummary[state])} AND ${recent} ORDER BY runs.id DESC LIMIT ${limit})
      UNION ALL ${paused}`,
  )
}

/** The number of open runs of each of these jobs; jobs without one are left out. */
export const countOpenRuns = async (host: Sql, job_id: readonly string[]): Promise<Map<string, number>> =>
  new Map(Object.entries(await runs.countBy(host, 'job_id', isOpenRun, { job_id })))

/** Open runs of a job, oldest first. */
export const openRuns = (host: Sql, job_id: string) => runs.list(host, 'id', { job_id }, isOpenRun)

export async function countRunningCatchUps({ sql }: Sql): Promise<number> {
  const [row] = await sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM scheduler_runs INDEXED BY scheduler_runs_open WHERE status = 'running' AND trigger = 'catchup'
      AND ${isOpenRun}`,
  )
  return row?.count ?? 0
}

/** Whether nothing keeps a queued run from starting. */
export const isStartable = (
  { job_id, trigger }: Pick<Run, 'job_id' | 'trigger'>,
  { overlaps, max_catchups }: { overlaps: boolean; max_catchups: number },
): Condition => ({
  sql: `(? OR NOT EXISTS (SELECT 1 FROM scheduler_runs WHERE job_id = ? AND status = 'running'))
    AND (? OR (SELECT count(*) FROM scheduler_runs WHERE status = 'running' AND trigger = 'catchup') < ?)`,
  args: [Number(overlaps), job_id, Number(trigger !== 'catchup'), max_catchups],
})

/** Whether a column names a queued run of a job. */
export const isQueuedRun = (column: string, job: string): Condition =>
  sql`${raw(column)} IN (SELECT id FROM scheduler_runs WHERE job_id = ${job} AND status = 'queued')`

/** The latest ended run of a job before this one, without skipped and missed ones. */
export const previousRun = (host: Sql, { id, job_id }: Pick<Run, 'id' | 'job_id'>) =>
  runs.first(
    host,
    'id DESC',
    sql`job_id = ${job_id} AND id < ${id}`,
    `status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost')`,
  )

/** Whether the first attempt of a run was started by the schedule of its job. */
export async function isScheduled(
  host: Sql,
  { id, job_id, scheduled_for }: Pick<Run, 'id' | 'job_id' | 'scheduled_for'>,
) {
  const first = await runs.first(host, 'id DESC', { job_id, scheduled_for, attempt: 1 }, sql`id <= ${id}`)
  return first?.trigger === 'schedule' || first?.trigger === 'catchup'
}

type DraftKey = 'id' | 'job_id' | 'status' | 'trigger' | 'scheduled_for' | 'attempt' | 'error' | 'created_at'
export type NewRun = Pick<StoredRun, DraftKey | 'completed_at' | 'chain_run_id'>

/** A run to be stored; queued unless `own` says otherwise. `at` is its due time in milliseconds. */
export function draftRun(
  host: Pick<Host, 'clock'>,
  { at, ...own }: Pick<Run, 'job_id' | 'trigger'> & Partial<NewRun> & { at: number },
): NewRun {
  const now = host.clock.now()
  return {
    id: newId('run', now),
    status: 'queued',
    scheduled_for: iso(at),
    attempt: 1,
    error: null,
    created_at: iso(now),
    completed_at: null,
    chain_run_id: null,
    ...own,
  }
}

const rowOf = (run: NewRun): Partial<StoredRun> => ({
  ...run,
  delivery_status: 'none',
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
})

/** A due time that already has a row keeps it. */
export const insertRun = (run: NewRun): Statement => runs.insert(rowOf(run), 'ON CONFLICT DO NOTHING')

/** Skips a due time that has succeeded or is in progress. */
export const insertBackfill = (run: NewRun): Statement =>
  runs.insert(rowOf(run), '', {
    sql: `NOT EXISTS (SELECT 1 FROM scheduler_runs WHERE job_id = ? AND scheduled_for = ?
      AND status IN ('queued', 'running', 'succeeded'))`,
    args: [run.job_id, run.scheduled_for],
  })

/** Queues the work that starts a run; without the run it does nothing. */
export const enqueueRun = (
  host: Pick<Host, 'clock'>,
  { id }: Pick<Run, 'id'>,
  { kind = runKind, due = host.clock.now() } = {},
): Statement => insertWork(host, { kind, subject: id, due }).statement

/** The due times that have succeeded or are in progress. */
export async function coveredTimes(host: Sql, job_id: string, times: readonly string[]): Promise<Set<string | null>> {
  const covered = { job_id, scheduled_for: times, status: ['queued', 'running', 'succeeded'] }
  return new Set(Object.keys(await runs.countBy(host, 'scheduled_for', covered)))
}

export const startRun = (
  id: string,
  started: Pick<Run, 'conversation_id' | 'message_id' | 'started_id'> & { at: string },
): Statement => {
  const { conversation_id, message_id, started_id, at } = started
  return runs.update(
    { status: 'running', started_at: at, conversation_id, message_id, started_id },
    { id, status: 'queued' },
    'This run is no longer queued',
  )
}

/** The first of several ends of a run wins. */
export const endRun = (id: string, end: RunOutcome & { at: string } & Pick<Run, 'delivery_status'>): Statement => {
  const { status, delivery_status, at, output = null, error = null } = end
  return runs.update(
    { status, delivery_status, output, error, completed_at: at, ...costOf(end) },
    { id, status: ['queued', 'running'] },
    'This run has already ended',
  )
}

const costOf = ({ input_tokens = 0, output_tokens = 0, cost_usd = 0 }: Partial<Run>) => ({
  input_tokens,
  output_tokens,
  cost_usd,
})

/** The final cost of an interrupted run. */
export const setCost = (id: string, outcome: Partial<Run>): Statement => runs.update(costOf(outcome), { id })

/** Deletes `missed` rows for the future: a clock that was ahead recorded them. */
export const deleteEarlyMisses = (job_id: string, now: string): Statement =>
  runs.delete([{ job_id, status: 'missed' }, sql`scheduled_for > ${now}`])

const pending = { delivery_status: 'pending' } as const

export const markDelivered = (id: string, delivered_at: string): Statement =>
  runs.update(
    {
      delivery_status: 'delivered',
      delivery_attempts: sql`delivery_attempts + 1`,
      delivery_error: null,
      delivered_at,
    },
    { id, ...pending },
  )

export const recordFailedDelivery = (id: string, delivery_error: string): Statement =>
  runs.update({ delivery_attempts: sql`delivery_attempts + 1`, delivery_error }, { id, ...pending })

/** Ends an unsuccessful delivery: `failed`, or `none` if the job no longer delivers. */
export const endDelivery = (id: string, delivery_status: 'failed' | 'none'): Statement =>
  runs.update(
    {
      delivery_status,
      ...(delivery_status === 'failed' && {
        delivery_error: sql`coalesce(delivery_error, 'Its delivery was cut off')`,
      }),
    },
    { id, ...pending },
  )

/** Fails for a run that is still open, and while its result is being delivered. */
export const restartDelivery = (id: string): Statement =>
  runs.update(
    { ...pending, delivery_attempts: 0, delivery_error: null, delivered_at: null },
    [{ id }, `NOT (${isOpenRun})`, sql`NOT ${hasWork({ kind: deliveryKind, subject: id, status: 'running' })}`],
    'The run has not ended yet, or its result is being delivered',
  )

const countsOf = (rows: { status: string; count: number }[]): Partial<Record<RunStatus, number>> =>
  Object.fromEntries(rows.map(({ status, count }) => [status, count]))

/**
 * The owner's runs created since `since`, by status, with the average duration of those that were not
 * cancelled or cut off.
 */
export async function countRunsSince(host: Sql, since: string, own: Condition) {
  const rows = await readRows<{ status: RunStatus; count: number; seconds: number | null; ended: number }>(
    host,
    sql`SELECT status, count(*) AS count, count(completed_at) AS ended,
      sum((julianday(completed_at) - julianday(started_at)) * 86400) AS seconds
      FROM scheduler_runs WHERE created_at >= ${since} AND ${ofJobs(own)} GROUP BY status`,
  )
  const ended = rows.filter(({ status }) => ['succeeded', 'failed', 'timed_out'].includes(status))
  const count = sumOf(ended, (row) => row.ended)
  const seconds = sumOf(ended, (row) => row.seconds ?? 0)
  return { counts: countsOf(rows), avg_duration_seconds: count === 0 ? null : seconds / count }
}

/** Open runs by status. */
export const countRunsNow = (host: Sql, own: Condition): Promise<Partial<Record<RunStatus, number>>> =>
  runs.countBy(host, 'status', isOpenRun, ofJobs(own))

/** The average tokens and cost of the latest successful runs of a job; null if there is none. */
export async function averageCost({ sql }: Sql, job: string) {
  const [row] = await sql.read<{ runs: number; tokens: number | null; usd: number | null }>(
    `SELECT count(*) AS runs, avg(input_tokens + output_tokens) AS tokens, avg(cost_usd) AS usd FROM (
      SELECT * FROM scheduler_runs WHERE job_id = ? AND status = 'succeeded' ORDER BY id DESC LIMIT 20)`,
    [job],
  )
  return row && row.runs > 0 ? { tokens: Math.round(row.tokens ?? 0), usd: row.usd ?? 0 } : null
}

type Fact = 'status' | 'created_at' | 'started_at' | 'completed_at' | 'error' | 'cost_usd'

export type RunFact = Pick<Run, Fact> & { tokens: number }

/** Runs of a job since `since`, newest first. */
export const latestRuns = ({ sql }: Sql, job: string, { since, limit }: { since: string; limit: number }) =>
  sql.read<RunFact>(
    `SELECT status, created_at, started_at, completed_at, substr(error, 1, 2000) AS error,
      input_tokens + output_tokens AS tokens, cost_usd
      FROM scheduler_runs WHERE job_id = ? AND created_at >= ? ORDER BY id DESC LIMIT ?`,
    [job, since, limit],
  )

/** Due times that have a row, oldest first. */
export const runsBetween = ({ sql }: Sql, span: { start: string; end: string; limit: number }, own: Condition) =>
  sql.read<Omit<CalendarEvent, 'kind' | 'count'>>(
    `SELECT run.job_id, job.name, run.id AS run_id, run.status, run.scheduled_for AS at
      FROM scheduler_runs AS run JOIN scheduler_jobs AS job ON job.id = run.job_id
      WHERE run.scheduled_for >= ? AND run.scheduled_for < ? AND ${own.sql}
      ORDER BY run.scheduled_for, run.id LIMIT ?`,
    [span.start, span.end, ...own.args, span.limit],
  )

/** The runs of each job with one status, counted per hour; oldest first. */
export const runsByHour = ({ sql }: Sql, span: { start: string; end: string; limit: number }, own: Condition) =>
  sql.read<Omit<CalendarEvent, 'kind'>>(
    `SELECT run.job_id, job.name, CASE count(*) WHEN 1 THEN min(run.id) END AS run_id, run.status,
      min(run.scheduled_for) AS at, count(*) AS count
      FROM scheduler_runs AS run JOIN scheduler_jobs AS job ON job.id = run.job_id
      WHERE run.scheduled_for >= ? AND run.scheduled_for < ? AND ${own.sql}
      GROUP BY run.job_id, run.status, substr(run.scheduled_for, 1, 13) ORDER BY at LIMIT ?`,
    [span.start, span.end, ...own.args, span.limit],
  )

/** When the owner started jobs by hand, as minutes in UTC (`2026-01-05T12:34`), latest first. */
export const manualRunTimes = ({ sql }: Sql, since: string, limit: number, own: Condition) =>
  sql.read<{ at: string; job_id: string; name: string }>(
    `SELECT substr(run.created_at, 1, 16) AS at, run.job_id, job.name
      FROM scheduler_runs AS run JOIN scheduler_jobs AS job ON job.id = run.job_id
      WHERE run.created_at >= ? AND run.trigger = 'manual' AND ${own.sql} ORDER BY run.created_at DESC LIMIT ?`,
    [since, ...own.args, limit],
  )

/** Ended runs; runs of chains are deleted with the rows of their chain. */
export const retainedRuns = retainedRows({
  tables: ['scheduler_runs'],
  rows: `SELECT completed_at IS NOT NULL AS ended, completed_at AS at,
    coalesce(octet_length(output), 0) + coalesce(octet_length(error), 0) + 300 AS bytes FROM scheduler_runs`,
  prune: (before, limit) =>
    runs.delete(
      sql`id IN (SELECT id FROM scheduler_runs WHERE completed_at < ${before} ORDER BY completed_at LIMIT ${limit})`,
    ),
})
