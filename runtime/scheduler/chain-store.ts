import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { insertWork } from '../work/store.ts'
import { chainKind } from './kinds.ts'
import type { Chain, ChainRun, Edge, EdgeType, Step, StepStatus } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

interface Row {
  id: string
  name: string
  on_schedule: number
  jobs: string
  edges: string
  created_at: string
}

export type StoredChain = Omit<Chain, 'last_run'>

const toChain = ({ on_schedule, jobs, edges, ...row }: Row): StoredChain => ({
  ...row,
  on_schedule: on_schedule === 1,
  jobs: JSON.parse(jobs) as string[],
  edges: JSON.parse(edges) as Edge[],
})

/** Deleted jobs and their edges are removed from a chain. */
const columns = `id, name, on_schedule, created_at,
  (SELECT json_group_array(job_id) FROM (
    SELECT job_id FROM scheduler_chain_jobs WHERE chain_id = scheduler_chains.id ORDER BY position)) AS jobs,
  (SELECT json_group_array(json_object('from', from_job, 'to', to_job, 'type', type)) FROM (
    SELECT * FROM scheduler_chain_edges WHERE chain_id = scheduler_chains.id ORDER BY rowid)) AS edges`

/** A chain whoever owns it, for the daemon's own work. */
export async function findChain({ sql }: Sql, id: string): Promise<StoredChain | null> {
  const [row] = await sql.read<Row>(`SELECT ${columns} FROM scheduler_chains WHERE id = ?`, [id])
  return row ? toChain(row) : null
}

/** A chain that the caller may see. */
export async function findOwnChain(context: Reader, id: string): Promise<StoredChain | null> {
  const own = owned(context)
  const sql = `SELECT ${columns} FROM scheduler_chains WHERE id = ? AND ${own.sql}`
  const [row] = await context.sql.read<Row>(sql, [id, ...own.args])
  return row ? toChain(row) : null
}

/** Newest first; `total` counts all of the owner. */
export async function listChains(context: Reader, page: Page) {
  const own = owned(context)
  const select = `SELECT ${columns} FROM scheduler_chains WHERE ${own.sql}`
  const { rows, total } = await selectPage<Row>(context, { select, args: own.args, order: 'id DESC' }, page)
  return { chains: rows.map(toChain), total }
}

/** Chains that the schedule of this job starts. */
export async function chainsStartedBy({ sql }: Sql, job: string): Promise<StoredChain[]> {
  const rows = await sql.read<Row>(
    `SELECT ${columns} FROM scheduler_chains WHERE on_schedule = 1
      AND id IN (SELECT chain_id FROM scheduler_chain_jobs WHERE job_id = ?)
      AND NOT EXISTS (SELECT 1 FROM scheduler_chain_edges WHERE chain_id = scheduler_chains.id AND to_job = ?)`,
    [job, job],
  )
  return rows.map(toChain)
}

export const insertChain = (owner_id: string, chain: StoredChain): Statement[] => [
  {
    sql: 'INSERT INTO scheduler_chains (id, owner_id, name, on_schedule, created_at) VALUES (?, ?, ?, ?, ?)',
    args: [chain.id, owner_id, chain.name, Number(chain.on_schedule), chain.created_at],
  },
  ...chain.jobs.map((job, position) => ({
    sql: 'INSERT INTO scheduler_chain_jobs (chain_id, job_id, position) VALUES (?, ?, ?)',
    args: [chain.id, job, position],
  })),
  ...chain.edges.map(({ from, to, type }) => ({
    sql: 'INSERT INTO scheduler_chain_edges (chain_id, from_job, to_job, type) VALUES (?, ?, ?, ?)',
    args: [chain.id, from, to, type],
  })),
]

export const deleteChain = (id: string): Statement => ({
  sql: 'DELETE FROM scheduler_chains WHERE id = ?',
  args: [id],
  guard: 'The chain was already deleted',
})

type RunRow = Omit<ChainRun, 'steps'> & { chain_id: string; steps: string }

const runColumns = `*, (SELECT json_group_array(json_object('job_id', job_id, 'run_id', run_id, 'status', status))
  FROM scheduler_chain_steps WHERE chain_run_id = scheduler_chain_runs.id) AS steps`

const toRun = ({ steps, ...row }: RunRow) => ({ ...row, steps: JSON.parse(steps) as Step[] })

export async function findChainRun({ sql }: Sql, id: string) {
  const [row] = await sql.read<RunRow>(`SELECT ${runColumns} FROM scheduler_chain_runs WHERE id = ?`, [id])
  return row ? toRun(row) : null
}

/** The latest run of each of these chains. */
export async function latestChainRuns({ sql }: Sql, chains: readonly string[]) {
  const rows = await sql.read<RunRow>(
    `SELECT ${runColumns} FROM scheduler_chain_runs WHERE id IN (
      SELECT (SELECT max(id) FROM scheduler_chain_runs WHERE chain_id = value) FROM json_each(?))`,
    [JSON.stringify(chains)],
  )
  return new Map(rows.map((row) => [row.chain_id, toRun(row)]))
}

/** Open runs of the chains that contain this job. */
export async function openChainRunsWith({ sql }: Sql, job: string): Promise<string[]> {
  const rows = await sql.read<{ id: string }>(
    `SELECT id FROM scheduler_chain_runs WHERE completed_at IS NULL
      AND chain_id IN (SELECT chain_id FROM scheduler_chain_jobs WHERE job_id = ?)`,
    [job],
  )
  return rows.map(({ id }) => id)
}

/** The chain runs that contain this run as a step. */
export async function chainRunsOf({ sql }: Sql, run: string): Promise<string[]> {
  const rows = await sql.read<{ chain_run_id: string }>(
    'SELECT chain_run_id FROM scheduler_chain_steps WHERE run_id = ?',
    [run],
  )
  return rows.map(({ chain_run_id }) => chain_run_id)
}

export const insertChainRun = (run: { id: string; chain_id: string; started_at: string }): Statement => ({
  sql: `INSERT INTO scheduler_chain_runs (id, chain_id, status, started_at) VALUES (?, ?, 'running', ?)`,
  args: [run.id, run.chain_id, run.started_at],
})

/** A job has one step in a run of a chain; the commit of a second one fails. */
export const insertStep = (chainRun: string, step: Step): Statement => ({
  sql: 'INSERT INTO scheduler_chain_steps (chain_run_id, job_id, run_id, status) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  args: [chainRun, step.job_id, step.run_id, step.status],
  guard: 'This step has already started',
})

export const endStep = (run: string, status: StepStatus): Statement => ({
  sql: `UPDATE scheduler_chain_steps SET status = ? WHERE run_id = ? AND status = 'running'`,
  args: [status, run],
})

/** Replaces the run of a step with its retry. */
export const moveStep = (from: string, to: string): Statement => ({
  sql: 'UPDATE scheduler_chain_steps SET run_id = ? WHERE run_id = ?',
  args: [to, from],
})

export const endChainRun = (id: string, status: ChainRun['status'], at: string): Statement => ({
  sql: `UPDATE scheduler_chain_runs SET status = ?, completed_at = ? WHERE id = ? AND completed_at IS NULL`,
  args: [status, at, id],
})

export async function isInChain({ sql }: Sql, job: string): Promise<boolean> {
  const rows = await sql.read('SELECT 1 FROM scheduler_chain_jobs WHERE job_id = ? LIMIT 1', [job])
  return rows.length > 0
}

export interface PreviousResult {
  name: string
  type: EdgeType
  status: StepStatus
  output: string | null
  error: string | null
  conversation_id: string | null
}

/** The results of the previous jobs in the chain of a run. */
export const previousResults = ({ sql }: Sql, run: string): Promise<PreviousResult[]> =>
  sql.read<PreviousResult>(
    `SELECT job.name, edge.type, earlier.status, done.output, done.error, done.conversation_id
      FROM scheduler_chain_steps AS step
      JOIN scheduler_chain_runs AS chain_run ON chain_run.id = step.chain_run_id
      JOIN scheduler_chain_edges AS edge ON edge.chain_id = chain_run.chain_id AND edge.to_job = step.job_id
      JOIN scheduler_chain_steps AS earlier ON earlier.chain_run_id = step.chain_run_id AND earlier.job_id = edge.from_job
      JOIN scheduler_jobs AS job ON job.id = earlier.job_id
      JOIN scheduler_runs AS done ON done.id = earlier.run_id
      WHERE step.run_id = ? ORDER BY edge.rowid`,
    [run],
  )

/** Continues the chains of a run, or a run of a chain; one at a time, so that each sees the whole state. */
export const chainWork = (host: Pick<Host, 'clock'>, subject: string): Statement =>
  insertWork(host, { kind: chainKind, subject, lane: chainKind }).statement
