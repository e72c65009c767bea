import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Statement, Value } from '../ports/sql.ts'
import { retainedRows } from '../retention.ts'
import { selectPage } from '../select-page.ts'
import type { Signal } from './node-type.ts'
import type { Execution, ExecutionStatus, ExecutionSummary, RunError, WaitingFor } from './schema.ts'
import type { State } from './state.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

/** An execution with the fields that only the runtime needs. */
export interface StoredExecution extends Omit<Execution, 'waiting_for'> {
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

interface Row
  extends Omit<StoredExecution, 'state' | 'input' | 'output' | 'error' | 'use_pin_data' | 'followed_by'> {
  state: string
  input: string
  output: string | null
  error: string | null
  use_pin_data: number
  followed_by: string | null
}

export const parsed = <Value>(text: string | null): Value | null =>
  text === null ? null : (JSON.parse(text) as Value)

const toExecution = (row: Row): StoredExecution => ({
  ...row,
  state: JSON.parse(row.state) as State,
  input: JSON.parse(row.input) as unknown,
  output: parsed(row.output),
  error: parsed<RunError>(row.error),
  use_pin_data: row.use_pin_data === 1,
  followed_by: parsed(row.followed_by),
})

/** What the waiting nodes of a state wait for. */
export const waitsOf = ({ tokens }: State): WaitingFor[] =>
  tokens.flatMap(({ id, node, wait }) => {
    if (!wait) return []
    const { data: _, ...shown } = wait
    return [{ token: id, node_id: node, ...shown }]
  })

export const publicExecution = (stored: StoredExecution): Execution => {
  const {
    owner_id: _,
    revision: __,
    state,
    use_pin_data: ___,
    parent_token: ____,
    depth: _____,
    ...rest
  } = stored
  const { followed_by: ______, deadline_at: _______, ...execution } = rest
  return { ...execution, waiting_for: stored.completed_at === null ? waitsOf(state) : [] }
}

/** An execution whoever owns it, for the daemon's own work. */
export async function findExecution({ sql }: Sql, id: string): Promise<StoredExecution | null> {
  const [row] = await sql.read<Row>('SELECT * FROM workflow_executions WHERE id = ?', [id])
  return row ? toExecution(row) : null
}

/** An execution that the caller may see. */
export async function findOwnExecution(context: Reader, id: string): Promise<StoredExecution | null> {
  const own = owned(context)
  const [row] = await context.sql.read<Row>(`SELECT * FROM workflow_executions WHERE id = ? AND ${own.sql}`, [
    id,
    ...own.args,
  ])
  return row ? toExecution(row) : null
}

export interface ExecutionFilter {
  workflow_id?: string | undefined
  status?: ExecutionStatus | undefined
  trigger?: string | undefined
  limit: number
  offset: number
}

/** Characters of a value shown in a list. */
const maxPreview = 200

/** The size and first characters of a JSON column. */
export const excerptOf = (value: string, name: 'input' | 'output') =>
  `length(${value}) AS ${name}_size, substr(${value}, 1, ${maxPreview}) AS ${name}_preview`

type SummaryRow = Omit<ExecutionSummary, 'waiting_for' | 'error'> & {
  state: string | null
  error: string | null
}

/** The executions that the caller may see, newest first, without input and output. */
export async function listExecutions(
  context: Reader,
  filter: ExecutionFilter,
): Promise<{ rows: ExecutionSummary[]; total: number }> {
  const own = owned(context)
  const where = `${own.sql} AND (? IS NULL OR workflow_id = ?) AND (? IS NULL OR status = ?) AND (? IS NULL OR trigger = ?)`
  const twice = [filter.workflow_id, filter.status, filter.trigger].flatMap((value) => [
    value ?? null,
    value ?? null,
  ])
  const args: Value[] = [...own.args, ...twice]
  const select = `SELECT id, workflow_id, version, trigger, status, error, retry_of, parent_id, created_at, started_at, completed_at,
      iif(completed_at IS NULL, state, NULL) AS state, ${excerptOf('input', 'input')}, ${excerptOf('output', 'output')}
    FROM workflow_executions WHERE ${where}`
  const query = { select, args, order: 'created_at DESC, id DESC' }
  const { rows, total } = await selectPage<SummaryRow>(context, query, filter)
  return { rows: rows.map(toSummary), total }
}

const toSummary = ({ state, error, ...row }: SummaryRow): ExecutionSummary => ({
  ...row,
  error: parsed<RunError>(error),
  waiting_for: state === null ? [] : waitsOf(JSON.parse(state) as State),
})

export type OpenExecution = Pick<StoredExecution, 'id' | 'owner_id' | 'status' | 'workflow_id' | 'trigger'>

/** Executions of a workflow that have not ended, oldest first. */
export const openExecutions = ({ sql }: Sql, workflow: string): Promise<OpenExecution[]> =>
  sql.read<OpenExecution>(
    `SELECT id, owner_id, status, workflow_id, trigger FROM workflow_executions
      WHERE workflow_id = ? AND status IN ('queued', 'running', 'waiting') ORDER BY id`,
    [workflow],
  )

/** The latest execution of a workflow that has ended, for `from_node`. */
export async function lastExecution(context: Reader, workflow: string): Promise<StoredExecution | null> {
  const own = owned(context)
  const [row] = await context.sql.read<Row>(
    `SELECT * FROM workflow_executions WHERE workflow_id = ? AND ${own.sql} AND completed_at IS NOT NULL
      ORDER BY created_at DESC, id DESC LIMIT 1`,
    [workflow, ...own.args],
  )
  return row ? toExecution(row) : null
}

export const childExecutions = async ({ sql }: Sql, parent: string): Promise<StoredExecution[]> =>
  (
    await sql.read<Row>(
      `SELECT * FROM workflow_executions WHERE parent_id = ? AND completed_at IS NULL ORDER BY id`,
      [parent],
    )
  ).map(toExecution)

/** With `alone` it is refused while another execution of the workflow is open. */
export const insertExecution = (execution: StoredExecution, { alone }: { alone: boolean }): Statement => ({
  sql: `INSERT INTO workflow_executions (id, owner_id, workflow_id, version, trigger, status, revision, state, input, output, error,
      use_pin_data, retry_of, parent_id, parent_token, depth, followed_by, deadline_at, created_at, started_at, completed_at)
    SELECT ?, ?, ?, ?, ?, ?, 0, ?, ?, NULL, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL
      WHERE ? = 0 OR NOT EXISTS (SELECT 1 FROM workflow_executions WHERE workflow_id = ? AND status IN ('queued', 'running', 'waiting'))`,
  guard: 'The workflow is already running',
  args: [
    ...[execution.id, execution.owner_id, execution.workflow_id, execution.version, execution.trigger],
    ...[execution.status, JSON.stringify(execution.state), JSON.stringify(execution.input ?? null)],
    ...[Number(execution.use_pin_data), execution.retry_of, execution.parent_id, execution.parent_token],
    ...[
      execution.depth,
      execution.followed_by && JSON.stringify(execution.followed_by),
      execution.deadline_at,
    ],
    ...[execution.created_at, execution.started_at, Number(alone), execution.workflow_id],
  ],
})

export interface Step {
  status: ExecutionStatus
  state: State
  /** JSON. */
  output?: string | null
  error?: RunError | null
  completed_at?: string | null
}

/** Stores what is left to do. Only the process that has seen the latest revision can. */
export const storeStep = (
  { id, revision }: Pick<StoredExecution, 'id' | 'revision'>,
  { status, state, output = null, error = null, completed_at = null }: Step,
): Statement => ({
  sql: `UPDATE workflow_executions SET status = ?, state = ?, output = ?, error = ?, completed_at = ?, revision = revision + 1
    WHERE id = ? AND revision = ? AND completed_at IS NULL`,
  args: [status, JSON.stringify(state), output, error && JSON.stringify(error), completed_at, id, revision],
  guard: 'The execution has changed meanwhile',
})

/** Ends an execution from outside: whatever runs of it stores nothing more. */
export const endExecution = (
  id: string,
  status: ExecutionStatus,
  error: RunError,
  now: string,
): Statement[] => [
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
export const promote = (id: string, now: string, deadline: string | null): Statement => ({
  sql: `UPDATE workflow_executions SET status = 'running', started_at = ?, deadline_at = ? WHERE id = ? AND status = 'queued'`,
  args: [now, deadline, id],
  guard: 'The execution has already started',
})

/** Ended executions with their node runs. */
export const retainedExecutions = retainedRows({
  tables: ['workflow_executions', 'workflow_node_runs'],
  rows: `SELECT completed_at IS NOT NULL AS ended, completed_at AS at,
    octet_length(state) + octet_length(input) + coalesce(octet_length(output), 0) + 300 + coalesce((
      SELECT sum(coalesce(octet_length(node.input), 0) + coalesce(octet_length(node.output), 0) + 150)
      FROM workflow_node_runs AS node WHERE node.execution_id = workflow_executions.id), 0) AS bytes
    FROM workflow_executions`,
  prune: (before, limit) => ({
    sql: `DELETE FROM workflow_executions WHERE id IN (
      SELECT id FROM workflow_executions WHERE completed_at < ? ORDER BY completed_at LIMIT ?)`,
    args: [before, limit],
  }),
})

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
