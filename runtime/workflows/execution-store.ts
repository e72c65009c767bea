import { owned } from '../auth/owner.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Waiting } from '../inbox.ts'
import type { Statement } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { type Retained, retainedRows } from '../retention.ts'
import type { RunSummary, RunsFilter } from '../run-summary.ts'
import { raw, readRows, sql } from '../statement.ts'
import { containing, type Reader, type Sql, Table } from '../table.ts'
import { excerptOf, referencesOf, shownValues, sizeOf, type Value, valueLoader } from './blob-store.ts'
import { fieldsOf } from './form.ts'
import { sweepFiles } from './item-files.ts'
import type { Signal } from './node-type.ts'
import { Execution, type ExecutionStatus, type ExecutionSummary, type RunError, type WaitingFor } from './schema.ts'
import type { State } from './state.ts'

/** An execution with the fields that only the runtime needs. */
export interface StoredExecution extends Omit<Execution, 'waiting_for' | 'input' | 'output'> {
  input: Value
  output: Value
  owner_id: string
  revision: number
  state: State
  use_pin_data: boolean
  parent_token: number | null
  depth: number
  /** The work that its end queues. */
  followed_by: { kind: string; subject: string } | null
  deadline_at: string | null
}

/** Its row, with values as they are stored. */
type Row = Omit<StoredExecution, 'input' | 'output'> & { input: string; output: string | null }

const executions = new Table<Row>('workflow_executions', {
  json: ['state', 'error', 'followed_by'],
  booleans: ['use_pin_data'],
})

/** The row with its values. */
async function loaded(host: Sql, row: Row | null | undefined): Promise<StoredExecution | null> {
  if (!row) return null
  const load = valueLoader(host, [])
  return { ...row, input: await load(row.input), output: await load(row.output) }
}

/** What the waiting nodes of a state wait for. */
export const waitsOf = ({ tokens }: State): WaitingFor[] =>
  tokens.flatMap(({ id, node, wait }) => {
    if (!wait) return []
    const { data: _, ...publicFields } = wait
    return [{ token: id, node_id: node, fields: fieldsOf(wait), ...publicFields }]
  })

export const publicExecution = (stored: StoredExecution, { input, output } = shownValues(stored, false)): Execution =>
  Execution.parse({
    ...stored,
    input,
    output,
    waiting_for: stored.completed_at === null ? waitsOf(stored.state) : [],
  })

/** The row of an execution of any owner, with values as they are stored. */
export const findRow = (host: Sql, id: string): Promise<Row | null> => executions.find(host, { id })

/** An execution of any owner, for the daemon's own work. */
export const findExecution = async (host: Sql, id: string): Promise<StoredExecution | null> =>
  loaded(host, await findRow(host, id))

/** The row of an execution that the caller may see, with values as they are stored. */
export const findOwnRow = (context: Reader, id: string): Promise<Row | null> =>
  executions.find(context, { id }, owned(context))

/** An execution that the caller may see. */
export const findOwnExecution = async (context: Reader, id: string): Promise<StoredExecution | null> =>
  loaded(context, await findOwnRow(context, id))

interface ExecutionFilter extends Page {
  workflow_id?: string | undefined
  status?: ExecutionStatus | undefined
  trigger?: ExecutionSummary['trigger'] | undefined
  /** In the id or the text of the error. */
  search?: string | undefined
}

type Summary = Omit<ExecutionSummary, 'waiting_for'> & { state: State | null }

const summaries = new Table<Summary, 'owner_id'>('workflow_executions', {
  json: ['state', 'error'],
  select: `id, workflow_id, version, trigger, status, error, retry_of, parent_id, created_at, started_at, completed_at,
    iif(completed_at IS NULL, state, NULL) AS state, ${excerptOf('input', 'input')}, ${excerptOf('output', 'output')}`,
})

/** The executions that the caller may see, newest first, without input and output. */
export async function listExecutions(
  context: Reader,
  { limit, offset, search, ...filter }: ExecutionFilter,
): Promise<{ rows: ExecutionSummary[]; total: number }> {
  const page = { limit, offset }
  const { rows, total } = await summaries.page(
    context,
    page,
    newestFirst,
    owned(context),
    filter,
    containing(search, ...searched),
  )
  return {
    rows: rows.map(({ state, ...row }) => ({ ...row, waiting_for: state === null ? [] : waitsOf(state) })),
    total,
  }
}

const searched = ['id', `ifnull(json_extract(error, '$.message'), '')`]

const newestFirst = 'created_at DESC, id DESC'

/** Literal, so that the partial index is used. */
const isOpen = `status IN ('queued', 'running', 'waiting')`

const asking = new Table<
  { id: string; workflow_id: string; name: string; asked_at: string; state: State },
  'status' | 'owner_id'
>('workflow_executions', {
  json: ['state'],
  select: `id, workflow_id, state, (SELECT name FROM workflows WHERE workflows.id = workflow_id) AS name,
    coalesce((SELECT max(started_at) FROM workflow_node_runs
      WHERE execution_id = workflow_executions.id AND status = 'waiting'), created_at) AS asked_at`,
})

/** The questions of the caller's executions, found by the few workflows of which one waits. */
export async function waitingExecutions(context: Reader): Promise<Waiting[]> {
  const rows = await asking.list(
    context,
    'id',
    `${isOpen} AND status = 'waiting' AND workflow_id IN (SELECT workflow_id FROM workflow_loads WHERE waiting > 0)`,
    `EXISTS (SELECT 1 FROM json_each(state, '$.tokens') WHERE json_array_length(value, '$.wait.options') > 0)`,
    owned(context, '+owner_id'),
  )
  return rows.flatMap(({ id, workflow_id, name, asked_at, state }) =>
    waitsOf(state)
      .filter(({ options }) => options.length > 0)
      .map(({ message }) => ({
        kind: 'workflow' as const,
        id,
        title: name,
        detail: message,
        asked_at,
        href: `/workflows/${workflow_id}?execution=${id}`,
      })),
  )
}

/** Runs as all areas list them, without those that another one started. */
export function summarizeRuns(context: Reader, { state, since, limit }: RunsFilter): Promise<RunSummary[]> {
  const matching = {
    open: sql`${raw(isOpen)} AND workflow_id IN (SELECT workflow_id FROM workflow_loads)`,
    failed: sql`status IN ('failed', 'timed_out') AND created_at > ${since}`,
    all: sql`created_at > ${since}`,
  }[state]
  // The plus keeps SQLite from reading all executions of the owner to find the few that are open.
  const own = owned(context, state === 'open' ? '+owner_id' : 'owner_id')
  return readRows(
    context,
    sql`SELECT 'workflow' AS kind, workflow_id AS id, id AS run_id, status, error ->> 'message' AS detail,
        (SELECT name FROM workflows WHERE workflows.id = workflow_id) AS name,
        coalesce(started_at, created_at) AS at, '/workflows/' || workflow_id || '?execution=' || id AS href
      FROM workflow_executions WHERE ${own} AND parent_id IS NULL AND ${matching}
      ORDER BY ${raw(newestFirst)} LIMIT ${limit}`,
  )
}

export type OpenExecution = Pick<StoredExecution, 'id' | 'owner_id' | 'status' | 'workflow_id' | 'trigger'>

const opened = new Table<OpenExecution>('workflow_executions', {
  select: 'id, owner_id, status, workflow_id, trigger',
})

/** Executions of a workflow that have not ended, oldest first. */
export const openExecutions = (host: Sql, workflow_id: string): Promise<OpenExecution[]> =>
  opened.list(host, 'id', { workflow_id }, isOpen)

/** The executions of a workflow that are queued, oldest first, and at most `limit`. */
export const queuedExecutions = (host: Sql, workflow_id: string, limit: number): Promise<OpenExecution[]> =>
  opened.list(host, `id LIMIT ${limit}`, { workflow_id }, `status = 'queued'`)

/** How many executions of a workflow have not ended. */
export interface Load {
  queued: number
  running: number
  waiting: number
}

export async function loadOf(host: Pick<Host, 'sql' | 'process'>, workflow_id: string): Promise<Load> {
  const query = 'SELECT queued, running, waiting FROM workflow_loads WHERE workflow_id = ?'
  const [load = { queued: 0, running: 0, waiting: 0 }] = await host.sql.read<Load>(query, [workflow_id])
  return { ...load, running: load.running + (unstored(host).get(workflow_id) ?? 0) }
}

/** How many executions of each workflow this process runs that are not stored yet. */
export const unstored = processState(() => new Map<string, number>())

/** The latest execution of a workflow that has ended, for `from_node`. */
export const lastExecution = async (context: Reader, workflow_id: string): Promise<StoredExecution | null> => {
  const ended = 'completed_at IS NOT NULL'
  const order = `${newestFirst} LIMIT 1`
  return loaded(context, (await executions.list(context, order, { workflow_id }, owned(context), ended))[0])
}

/** The open executions that another one waits for, with values as they are stored. */
export const childExecutions = (host: Sql, parent_id: string): Promise<Row[]> =>
  executions.list(host, 'id', { parent_id }, 'completed_at IS NULL')

/**
 * The row of an execution; the content of its input is stored in the same commit. With `alone` it is refused while another
 * execution of the workflow is open; `step` has already been made.
 */
export const insertExecution = (
  execution: StoredExecution,
  { alone = false, step }: { alone?: boolean; step?: Step },
): Statement => {
  const condition = sql`NOT EXISTS (SELECT 1 FROM workflow_executions WHERE workflow_id = ${execution.workflow_id} AND ${raw(isOpen)})`
  const row = { ...execution, ...step, input: execution.input.stored, output: step?.output ?? null }
  const statement = executions.insert(row, '', alone ? condition : undefined)
  return alone ? { ...statement, guard: 'The workflow is already running' } : statement
}

export interface Step {
  status: ExecutionStatus
  state: State
  /** As it is stored. */
  output?: string | null
  error?: RunError | null
  completed_at?: string | null
}

/** Stores the remaining work. Only the process that has seen the latest revision can. */
export const storeStep = (
  { id, revision }: Pick<StoredExecution, 'id' | 'revision'>,
  { status, state, output = null, error = null, completed_at = null }: Step,
): Statement => ({
  sql: `UPDATE workflow_executions SET status = ?, state = ?, output = ?, error = ?, completed_at = ?, revision = revision + 1
    WHERE id = ? AND revision = ? AND completed_at IS NULL`,
  args: [status, JSON.stringify(state), output, error && JSON.stringify(error), completed_at, id, revision],
  guard: 'The execution has changed meanwhile',
})

/** Ends an execution from outside; its running nodes store nothing more. */
export const endExecution = (id: string, status: ExecutionStatus, error: RunError, now: string): Statement[] => [
  {
    sql: `UPDATE workflow_executions SET status = ?, error = ?, completed_at = ?, revision = revision + 1
      WHERE id = ? AND completed_at IS NULL`,
    args: [status, JSON.stringify(error), now, id],
    guard: 'The execution has already ended',
  },
  cancelOpenRuns(id, now),
]

/** The runs of an execution that ends before they do. */
export const cancelOpenRuns = (id: string, now: string): Statement => ({
  sql: `UPDATE workflow_node_runs SET status = 'cancelled', completed_at = ? WHERE execution_id = ? AND completed_at IS NULL`,
  args: [now, id],
})

/** Moves a queued execution to `running`. */
export const promote = (id: string, started_at: string, deadline_at: string | null): Statement =>
  executions.update(
    { status: 'running', started_at, deadline_at },
    { id, status: 'queued' },
    'The execution has already started',
  )

const retained = retainedRows({
  tables: ['workflow_executions', 'workflow_node_runs', 'workflow_blobs'],
  // A large value counts once for each execution that has it.
  rows: `SELECT completed_at IS NOT NULL AS ended, completed_at AS at,
    octet_length(state) + octet_length(input) + coalesce(octet_length(output), 0) + 300 + coalesce((
      SELECT sum(coalesce(octet_length(node.input), 0) + coalesce(octet_length(node.output), 0) + 150)
      FROM workflow_node_runs AS node WHERE node.execution_id = execution.id), 0) + coalesce((
      SELECT sum(${sizeOf('value')}) FROM (${referencesOf('execution.id')})), 0) AS bytes
    FROM workflow_executions AS execution`,
  prune: (before, limit) => ({
    sql: `DELETE FROM workflow_executions WHERE id IN (
      SELECT id FROM workflow_executions WHERE completed_at < ? ORDER BY completed_at LIMIT ?)`,
    args: [before, limit],
  }),
})

/** Refuses the commit if the execution was deleted, with the large values to which its rows refer. */
export const holdExecution = (id: string): Statement =>
  executions.update({ revision: sql`revision` }, { id }, 'The execution was deleted meanwhile')

/** Refuses the commit unless a node still waits for this. */
export const holdWait = (id: string, token: number, kind: WaitingFor['kind'] | undefined): Statement => ({
  sql: `UPDATE workflow_executions SET revision = revision WHERE id = ? AND completed_at IS NULL AND EXISTS (
      SELECT 1 FROM json_each(state, '$.tokens')
      WHERE json_extract(value, '$.id') = ? AND json_extract(value, '$.wait.kind') = ?)`,
  args: [id, token, kind ?? null],
  guard: 'Nothing is waiting for this any more',
})

/** Ended executions, with their files. */
export const retainedExecutions: Retained = {
  ...retained,
  async prune(host, before, limit) {
    const pruned = await retained.prune(host, before, limit)
    await sweepFiles(host)
    return pruned
  },
}

// Signals

/** Stores how a wait ended. Of several answers the first counts. */
export const addSignal = (execution: string, token: number, signal: Signal): Statement => ({
  sql: 'INSERT OR IGNORE INTO workflow_signals (execution_id, token, signal) VALUES (?, ?, ?)',
  args: [execution, token, JSON.stringify(signal)],
  guard: 'This was already answered',
})

export async function loadSignals({ sql }: Sql, execution: string): Promise<Map<number, Signal>> {
  const rows = await sql.read<{ token: number; signal: string }>(
    'SELECT token, signal FROM workflow_signals WHERE execution_id = ?',
    [execution],
  )
  return new Map(rows.map(({ token, signal }) => [token, JSON.parse(signal) as Signal]))
}

export const dropSignal = (execution: string, token: number): Statement => ({
  sql: 'DELETE FROM workflow_signals WHERE execution_id = ? AND token = ?',
  args: [execution, token],
})
