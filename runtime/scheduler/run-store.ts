import type { Host } from '../host.ts'
import type { Statement, Value } from '../ports/sql.ts'
import type { Run, RunEnd, RunStatus, ShownRun } from './run-schema.ts'

type Sql = Pick<Host, 'sql'>

interface Row extends Omit<Run, 'duration_seconds'> {
  chain_run_id: string | null
}

/** Also what only the runtime needs to know. */
export interface StoredRun extends Run {
  chain_run_id: string | null
}

function toRun(row: Row): StoredRun {
  const { started_at, completed_at } = row
  const duration =
    started_at && completed_at ? Math.max(0, Date.parse(completed_at) - Date.parse(started_at)) / 1_000 : null
  return { ...row, duration_seconds: duration }
}

const asking = `EXISTS (SELECT 1 FROM conversations WHERE id = scheduler_runs.conversation_id AND status = 'waiting_approval')`

type ShownRow = Row & { asking: number }

function toShown({ asking, ...row }: ShownRow): ShownRun {
  const { chain_run_id: _, ...run } = toRun(row)
  return { ...run, waiting_approval: asking === 1 && run.status === 'running' }
}

export async function findRun({ sql }: Sql, id: string): Promise<StoredRun | null> {
  const [row] = await sql.read<Row>('SELECT * FROM scheduler_runs WHERE id = ?', [id])
  return row ? toRun(row) : null
}

export async function showRun({ sql }: Sql, job: string, id: string): Promise<ShownRun | null> {
  const [row] = await sql.read<ShownRow>(
    `SELECT *, ${asking} AS asking FROM scheduler_runs WHERE id = ? AND job_id = ?`,
    [id, job],
  )
  return row ? toShown(row) : null
}

export interface RunFilter {
  job_id?: string | undefined
  status?: RunStatus | undefined
  limit: number
  offset: number
}

/** Newest first; `total` counts all that match. */
export async function listRuns({ sql }: Sql, { job_id, status, limit, offset }: RunFilter) {
  const parts: [string, Value][] = []
  if (job_id !== undefined) parts.push(['job_id = ?', job_id])
  if (status !== undefined) parts.push(['status = ?', status])
  const where = parts.length === 0 ? '' : `WHERE ${parts.map(([condition]) => condition).join(' AND ')}`
  const args = parts.map(([, value]) => value)
  const rows = await sql.read<ShownRow>(
    `SELECT *, ${asking} AS asking FROM scheduler_runs ${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
    [...args, limit, offset],
  )
  const [count] = await sql.read<{ total: number }>(
    `SELECT count(*) AS total FROM scheduler_runs ${where}`,
    args,
  )
  return { runs: rows.map(toShown), total: count?.total ?? 0 }
}

/** How many open runs each of these jobs has; jobs without one are left out. */
export async function countOpenRuns({ sql }: Sql, jobs: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.read<{ job_id: string; count: number }>(
    `SELECT job_id, count(*) AS count FROM scheduler_runs
      WHERE status IN ('queued', 'running') AND job_id IN (SELECT value FROM json_each(?)) GROUP BY job_id`,
    [JSON.stringify(jobs)],
  )
  return new Map(rows.map((row) => [row.job_id, row.count]))
}

/** Open runs of a job, oldest first. */
export async function openRuns({ sql }: Sql, job: string): Promise<StoredRun[]> {
  const rows = await sql.read<Row>(
    `SELECT * FROM scheduler_runs WHERE job_id = ? AND status IN ('queued', 'running') ORDER BY id`,
    [job],
  )
  return rows.map(toRun)
}

export async function countRunningCatchUps({ sql }: Sql): Promise<number> {
  const [row] = await sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM scheduler_runs INDEXED BY scheduler_runs_open WHERE status = 'running' AND trigger = 'catchup'
      AND status IN ('queued', 'running')`,
  )
  return row?.count ?? 0
}

/** The latest ended run of a job before this one, skipped and missed ones left out. */
export async function previousRun({ sql }: Sql, run: Pick<Run, 'id' | 'job_id'>): Promise<StoredRun | null> {
  const [row] = await sql.read<Row>(
    `SELECT * FROM scheduler_runs WHERE job_id = ? AND id < ?
      AND status IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'lost') ORDER BY id DESC LIMIT 1`,
    [run.job_id, run.id],
  )
  return row ? toRun(row) : null
}

const columns = `id, job_id, status, trigger, scheduled_for, attempt, started_at, completed_at, output, error,
  conversation_id, message_id, delivery_status, input_tokens, output_tokens, cost_usd, chain_run_id, created_at`

export type NewRun = Pick<
  Run,
  'id' | 'job_id' | 'status' | 'trigger' | 'scheduled_for' | 'attempt' | 'error' | 'created_at'
> & {
  completed_at: string | null
  chain_run_id?: string | null
}

const values = (run: NewRun): Value[] => [
  run.id,
  run.job_id,
  run.status,
  run.trigger,
  run.scheduled_for,
  run.attempt,
  run.completed_at,
  run.error,
  run.chain_run_id ?? null,
  run.created_at,
]

const places = `?, ?, ?, ?, ?, ?, NULL, ?, NULL, ?, NULL, NULL, 'none', 0, 0, 0, ?, ?`

/** A due time that has its row already keeps it. */
export const insertRun = (run: NewRun): Statement => ({
  sql: `INSERT INTO scheduler_runs (${columns}) VALUES (${places}) ON CONFLICT DO NOTHING`,
  args: values(run),
})

/** Not for a due time that has succeeded or that is under way. */
export const insertBackfill = (run: NewRun): Statement => ({
  sql: `INSERT INTO scheduler_runs (${columns}) SELECT ${places} WHERE NOT EXISTS (
    SELECT 1 FROM scheduler_runs WHERE job_id = ? AND scheduled_for = ? AND status IN ('queued', 'running', 'succeeded'))`,
  args: [...values(run), run.job_id, run.scheduled_for],
})

/** How many of these due times have succeeded or are under way. */
export async function countCovered({ sql }: Sql, job: string, times: readonly string[]): Promise<number> {
  const [row] = await sql.read<{ count: number }>(
    `SELECT count(DISTINCT scheduled_for) AS count FROM scheduler_runs WHERE job_id = ?
      AND status IN ('queued', 'running', 'succeeded') AND scheduled_for IN (SELECT value FROM json_each(?))`,
    [job, JSON.stringify(times)],
  )
  return row?.count ?? 0
}

/** A statement that queues a unit, where its run is stored. */
export const ifRun = ({ sql, args = [] }: Statement, run: string): Statement => ({
  sql: sql.replace(/VALUES \((.*)\)/s, 'SELECT $1 WHERE EXISTS (SELECT 1 FROM scheduler_runs WHERE id = ?)'),
  args: [...args, run],
})

/** From queued to running, and with what. A run that was cancelled meanwhile does not begin. */
export const beginRun = (
  id: string,
  begun: { at: string; conversation_id: string | null; message_id: string | null },
): Statement => ({
  sql: `UPDATE scheduler_runs SET status = 'running', started_at = ?, conversation_id = ?, message_id = ?
    WHERE id = ? AND status = 'queued'`,
  args: [begun.at, begun.conversation_id, begun.message_id, id],
  guard: 'This run is no longer queued',
})

/** Of several ends of one run the first holds. */
export const endRun = (id: string, end: RunEnd & { at: string; delivery_status: string }): Statement => ({
  sql: `UPDATE scheduler_runs SET status = ?, completed_at = ?, output = ?, error = ?, input_tokens = ?, output_tokens = ?,
    cost_usd = ?, delivery_status = ? WHERE id = ? AND status IN ('queued', 'running')`,
  args: [
    end.status,
    end.at,
    end.output ?? null,
    end.error ?? null,
    end.input_tokens ?? 0,
    end.output_tokens ?? 0,
    end.cost_usd ?? 0,
    end.delivery_status,
    id,
  ],
  guard: 'This run has ended already',
})

/** What a run that was cut had cost in the end. */
export const addCost = (
  id: string,
  cost: { input_tokens: number; output_tokens: number; cost_usd: number },
): Statement => ({
  sql: 'UPDATE scheduler_runs SET input_tokens = ?, output_tokens = ?, cost_usd = ? WHERE id = ?',
  args: [cost.input_tokens, cost.output_tokens, cost.cost_usd, id],
})

/** Due times that a clock which was ahead has called missed have not come yet. */
export const forgetEarlyMisses = (job: string, now: string): Statement => ({
  sql: `DELETE FROM scheduler_runs WHERE job_id = ? AND status = 'missed' AND scheduled_for > ?`,
  args: [job, now],
})
