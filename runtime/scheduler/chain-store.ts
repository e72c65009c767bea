import type { Host } from '../host.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import { insertWork } from '../work/store.ts'
import type { Graph } from './chain-graph.ts'
import { chainKind } from './kinds.ts'
import type { ChainRun, EdgeType, Step, StepStatus } from './schema.ts'

/** A chain with its jobs and edges. Deleted jobs and their edges are removed from it. */
export const chainColumns = `*, created_at AS updated_at,
  (SELECT json_group_array(job_id) FROM (
    SELECT job_id FROM scheduler_chain_jobs WHERE chain_id = scheduler_chains.id ORDER BY position)) AS jobs,
  (SELECT json_group_array(json_object('from', from_job, 'to', to_job, 'type', type)) FROM (
    SELECT * FROM scheduler_chain_edges WHERE chain_id = scheduler_chains.id ORDER BY rowid)) AS edges`

/** Chains of which this job is a first one. */
export const beginsWith = (job: string): Condition => ({
  sql: `id IN (SELECT chain_id FROM scheduler_chain_jobs WHERE job_id = ?)
    AND NOT EXISTS (SELECT 1 FROM scheduler_chain_edges WHERE chain_id = scheduler_chains.id AND to_job = ?)`,
  args: [job, job],
})

export const insertMembers = ({ id, jobs, edges }: Graph & { id: string }): Statement[] => [
  ...jobs.map((job, position) => ({
    sql: 'INSERT INTO scheduler_chain_jobs (chain_id, job_id, position) VALUES (?, ?, ?)',
    args: [id, job, position],
  })),
  ...edges.map(({ from, to, type }) => ({
    sql: 'INSERT INTO scheduler_chain_edges (chain_id, from_job, to_job, type) VALUES (?, ?, ?, ?)',
    args: [id, from, to, type],
  })),
]

const runs = new Table<ChainRun & { chain_id: string }>('scheduler_chain_runs', {
  json: ['steps'],
  select: `*, (SELECT json_group_array(json_object('job_id', job_id, 'run_id', run_id, 'status', status))
    FROM scheduler_chain_steps WHERE chain_run_id = scheduler_chain_runs.id) AS steps`,
})

export const findChainRun = (host: Sql, id: string) => runs.find(host, { id })

export async function latestChainRun(host: Sql, chain: string): Promise<ChainRun | null> {
  const [run] = await runs.list(host, 'id DESC LIMIT 1', { chain_id: chain })
  if (!run) return null
  const { chain_id: _, ...publicFields } = run
  return publicFields
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

export const insertChainRun = (run: { id: string; chain_id: string; started_at: string }): Statement =>
  runs.insert({ ...run, status: 'running' })

const steps = new Table<Step & { chain_run_id: string }>('scheduler_chain_steps')

/** A job has one step in a run of a chain; the commit of a second one fails. */
export const insertStep = (chain_run_id: string, step: Step): Statement => ({
  ...steps.insert({ ...step, chain_run_id }, 'ON CONFLICT DO NOTHING'),
  guard: 'This step has already started',
})

export const endStep = (run_id: string, status: StepStatus): Statement =>
  steps.update({ status }, { run_id, status: 'running' })

export const moveStep = (from: string, to: string): Statement => steps.update({ run_id: to }, { run_id: from })

export const endChainRun = (id: string, status: ChainRun['status'], at: string): Statement =>
  runs.update({ status, completed_at: at }, { id, completed_at: null })

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
