import { owned } from '../auth/owner.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import { insertWork } from '../work/store.ts'
import { chainKind } from './kinds.ts'
import type { Chain, ChainRun, EdgeType, Step, StepStatus } from './schema.ts'

export type StoredChain = Omit<Chain, 'last_run'>

/** Deleted jobs and their edges are removed from a chain. */
const columns = `id, name, on_schedule, created_at,
  (SELECT json_group_array(job_id) FROM (
    SELECT job_id FROM scheduler_chain_jobs WHERE chain_id = scheduler_chains.id ORDER BY position)) AS jobs,
  (SELECT json_group_array(json_object('from', from_job, 'to', to_job, 'type', type)) FROM (
    SELECT * FROM scheduler_chain_edges WHERE chain_id = scheduler_chains.id ORDER BY rowid)) AS edges`

const chains = new Table<StoredChain, 'owner_id'>('scheduler_chains', {
  booleans: ['on_schedule'],
  json: ['jobs', 'edges'],
  select: columns,
})

/** A chain whoever owns it, for the daemon's own work. */
export const findChain = (host: Sql, id: string) => chains.find(host, { id })
/** A chain that the caller may see. */
export const findOwnChain = (context: Reader, id: string) => chains.find(context, { id }, owned(context))

/** Newest first; `total` counts all of the owner. */
export const listChains = (context: Reader, page: Page) =>
  chains.page(context, page, 'id DESC', owned(context))

/** Chains that the schedule of this job starts. */
export const chainsStartedBy = (host: Sql, job: string) =>
  chains.list(
    host,
    'id',
    { on_schedule: true },
    {
      sql: `id IN (SELECT chain_id FROM scheduler_chain_jobs WHERE job_id = ?)
        AND NOT EXISTS (SELECT 1 FROM scheduler_chain_edges WHERE chain_id = scheduler_chains.id AND to_job = ?)`,
      args: [job, job],
    },
  )

export const insertChain = (owner_id: string, chain: StoredChain): Statement[] => [
  chains.insert({ ...chain, owner_id, jobs: undefined, edges: undefined }),
  ...chain.jobs.map((job, position) => ({
    sql: 'INSERT INTO scheduler_chain_jobs (chain_id, job_id, position) VALUES (?, ?, ?)',
    args: [chain.id, job, position],
  })),
  ...chain.edges.map(({ from, to, type }) => ({
    sql: 'INSERT INTO scheduler_chain_edges (chain_id, from_job, to_job, type) VALUES (?, ?, ?, ?)',
    args: [chain.id, from, to, type],
  })),
]

export const deleteChain = (id: string): Statement => chains.delete({ id }, 'The chain was already deleted')

const runs = new Table<ChainRun & { chain_id: string }>('scheduler_chain_runs', {
  json: ['steps'],
  select: `*, (SELECT json_group_array(json_object('job_id', job_id, 'run_id', run_id, 'status', status))
    FROM scheduler_chain_steps WHERE chain_run_id = scheduler_chain_runs.id) AS steps`,
})

export const findChainRun = (host: Sql, id: string) => runs.find(host, { id })

/** The latest run of each of these chains. */
export async function latestChainRuns(host: Sql, chains: readonly string[]) {
  const found = await runs.list(host, 'id', {
    sql: `id IN (SELECT (SELECT max(id) FROM scheduler_chain_runs WHERE chain_id = value) FROM json_each(?))`,
    args: [JSON.stringify(chains)],
  })
  return new Map(found.map((run) => [run.chain_id, run]))
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

/** Replaces the run of a step with its retry. */
export const moveStep = (from: string, to: string): Statement =>
  steps.update({ run_id: to }, { run_id: from })

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
