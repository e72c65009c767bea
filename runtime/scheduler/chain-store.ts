import { owned } from '../auth/owner.ts'
import { type Automation, maxAutomations } from '../automation.ts'
import type { Host } from '../host.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { readRows, sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
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
export const beginsWith = (job: string): Condition =>
  sql`id IN (SELECT chain_id FROM scheduler_chain_jobs WHERE job_id = ${job})
    AND NOT EXISTS (SELECT 1 FROM scheduler_chain_edges WHERE chain_id = scheduler_chains.id AND to_job = ${job})`

const members = new Table<{ chain_id: string; job_id: string; position: number }>('scheduler_chain_jobs')
const edgeRows = new Table<{ chain_id: string; from_job: string; to_job: string; type: EdgeType }>(
  'scheduler_chain_edges',
)

/** Chains as all areas list their automations. */
export const chainsAsAutomations = async (context: Reader): Promise<Automation[]> => {
  const rows = await readRows<{ id: string; name: string; jobs: number; at: string | null; status: string | null }>(
    context,
    sql`SELECT id, name, (SELECT count(*) FROM scheduler_chain_jobs WHERE chain_id = own.id) AS jobs,
        (SELECT max(started_at) FROM scheduler_chain_runs WHERE chain_id = own.id) AS at,
        (SELECT status FROM scheduler_chain_runs WHERE chain_id = own.id ORDER BY id DESC LIMIT 1) AS status
      FROM scheduler_chains AS own WHERE ${owned(context)} ORDER BY id DESC LIMIT ${maxAutomations}`,
  )
  return rows.map(({ id, name, jobs, at, status }) => ({
    ...{ kind: 'chain', id, name, starts: [], does: `${jobs} jobs, one after the other`, enabled: null },
    ...{ last_run_at: at, last_status: status, next_run_at: null, href: `/scheduler/chains/${id}` },
  }))
}

export const insertMembers = ({ id: chain_id, jobs, edges }: Graph & { id: string }): Statement[] => [
  ...jobs.map((job_id, position) => members.insert({ chain_id, job_id, position })),
  ...edges.map(({ from, to, type }) => edgeRows.insert({ chain_id, from_job: from, to_job: to, type })),
]

const runs = new Table<ChainRun & { chain_id: string }>('scheduler_chain_runs', {
  json: ['steps'],
  select: `*, (SELECT json_group_array(json_object('job_id', job_id, 'run_id', run_id, 'status', status))
    FROM scheduler_chain_steps WHERE chain_run_id = scheduler_chain_runs.id) AS steps`,
})

export const findChainRun = (host: Sql, id: string) => runs.find(host, { id })

export async function latestChainRun(host: Sql, chain_id: string): Promise<ChainRun | null> {
  const run = await runs.first(host, 'id DESC', { chain_id })
  if (!run) return null
  const { chain_id: _, ...publicFields } = run
  return publicFields
}

/** Open runs of the chains that contain this job. */
export const openChainRunsWith = (host: Sql, job: string): Promise<string[]> =>
  runs.values(
    host,
    'id',
    'id',
    'completed_at IS NULL',
    sql`chain_id IN (SELECT chain_id FROM scheduler_chain_jobs WHERE job_id = ${job})`,
  )

/** The chain runs that contain this run as a step. */
export const chainRunsOf = (host: Sql, run_id: string): Promise<string[]> =>
  steps.values(host, 'chain_run_id', 'rowid', { run_id })

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

export const isInChain = (host: Sql, job_id: string) => members.exists(host, { job_id })

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
