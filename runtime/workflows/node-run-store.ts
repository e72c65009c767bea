import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { excerptOf, parsed } from './execution-store.ts'
import type { NodeRun, NodeRunSummary, RunError } from './schema.ts'
import type { State } from './state.ts'

type Sql = Pick<Host, 'sql'>

export interface StoredRun extends Omit<NodeRun, 'input' | 'output' | 'pinned'> {
  execution_id: string
  token: number
  frame: number | null
  /** JSON; null for the output of `input_from`. */
  input: string | null
  input_from: number | null
  output: string | null
  pinned: number
}

interface RunRow extends Omit<StoredRun, 'error'> {
  error: string | null
}

const toRun = (row: RunRow): StoredRun => ({ ...row, error: parsed<RunError>(row.error) })

export const saveRun = (run: StoredRun): Statement => ({
  sql: `INSERT OR REPLACE INTO workflow_node_runs (execution_id, seq, node_id, token, frame, iteration, status, attempt, started_at,
      completed_at, input, input_from, output, output_name, error, pinned)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    ...[run.execution_id, run.seq, run.node_id, run.token, run.frame, run.iteration, run.status, run.attempt],
    ...[run.started_at, run.completed_at, run.input, run.input_from, run.output, run.output_name],
    ...[run.error && JSON.stringify(run.error), run.pinned],
  ],
})

/** Deletes the runs of a node in earlier iterations of a loop, but for the first ones. */
export const dropIterations = (run: StoredRun, first: number): Statement => ({
  sql: `DELETE FROM workflow_node_runs WHERE execution_id = ? AND node_id = ? AND frame = ? AND iteration >= ? AND iteration < ?`,
  args: [run.execution_id, run.node_id, run.frame, first, run.iteration],
})

interface RunFilter {
  limit: number
  offset: number
  node_id?: string | undefined
}

/** Node runs joined with the output that is their input, if the input is stored only there. */
const runsWithSource = `workflow_node_runs AS run LEFT JOIN workflow_node_runs AS source
  ON run.input IS NULL AND source.execution_id = run.execution_id AND source.seq = run.input_from`

/** The node runs in order, without input and output. */
export async function listRuns(
  { sql }: Sql,
  execution: string,
  { limit, offset, node_id }: RunFilter,
): Promise<{ rows: NodeRunSummary[]; total: number }> {
  const stored = await sql.read<
    Omit<NodeRunSummary, 'error' | 'pinned'> & { error: string | null; pinned: number }
  >(
    `SELECT run.seq, run.node_id, run.status, run.attempt, run.iteration, run.started_at, run.completed_at, run.output_name, run.error,
        run.pinned, ${excerptOf('ifnull(run.input, source.output)', 'input')}, ${excerptOf('run.output', 'output')}
      FROM ${runsWithSource} WHERE run.execution_id = ? AND (? IS NULL OR run.node_id = ?) ORDER BY run.seq LIMIT ? OFFSET ?`,
    [execution, node_id ?? null, node_id ?? null, limit, offset],
  )
  const [count] = await sql.read<{ total: number }>(
    'SELECT count(*) AS total FROM workflow_node_runs WHERE execution_id = ? AND (? IS NULL OR node_id = ?)',
    [execution, node_id ?? null, node_id ?? null],
  )
  const rows = stored.map((row) => ({
    ...row,
    error: parsed<RunError>(row.error),
    pinned: row.pinned === 1,
  }))
  return { rows, total: count?.total ?? 0 }
}

/** One node run with input and output: by number, or the latest of a node. */
export async function findRun(
  { sql }: Sql,
  execution: string,
  { seq, node_id }: { seq: number; node_id?: undefined } | { seq?: undefined; node_id: string },
): Promise<NodeRun | null> {
  const [row] = await sql.read<RunRow & { source_output: string | null }>(
    `SELECT run.*, source.output AS source_output FROM ${runsWithSource}
      WHERE run.execution_id = ? AND (? IS NULL OR run.seq = ?) AND (? IS NULL OR run.node_id = ?) ORDER BY run.seq DESC LIMIT 1`,
    [execution, seq ?? null, seq ?? null, node_id ?? null, node_id ?? null],
  )
  if (!row) return null
  const { execution_id: _, token: __, frame: ___, input_from: ____, source_output, ...run } = row
  return {
    ...run,
    input: parsed(run.input ?? source_output),
    output: parsed(run.output),
    error: parsed<RunError>(run.error),
    pinned: run.pinned === 1,
  }
}

/** The values of `item` and `index` in a loop; null outside loops. */
export interface LoopItem {
  item: unknown
  index: number | null
}

/** The item of the innermost loop around the latest run of these nodes: the input of that iteration. */
export async function itemOf({ sql }: Sql, execution: string, nodes: readonly string[]): Promise<LoopItem> {
  const [row] = await sql.read<{ item: string | null; position: number }>(
    `SELECT run.iteration AS position, (
        SELECT first.input FROM workflow_node_runs AS first
        WHERE first.execution_id = run.execution_id AND first.frame = run.frame AND first.iteration = run.iteration
        ORDER BY first.seq LIMIT 1) AS item
      FROM workflow_node_runs AS run
      WHERE run.execution_id = ? AND run.node_id IN (SELECT value FROM json_each(?))
      ORDER BY run.seq DESC LIMIT 1`,
    [execution, JSON.stringify(nodes)],
  )
  return { item: parsed(row?.item ?? null), index: row?.position ?? null }
}

/** The latest finished run of each node, for the expressions of the nodes that follow. */
export async function latestOutputs({ sql }: Sql, execution: string): Promise<StoredRun[]> {
  const rows = await sql.read<RunRow>(
    `SELECT * FROM workflow_node_runs WHERE execution_id = ? AND status = 'succeeded' AND seq IN (
      SELECT max(seq) FROM workflow_node_runs WHERE execution_id = ? AND status = 'succeeded' GROUP BY node_id)`,
    [execution, execution],
  )
  return rows.map(toRun)
}

export async function findRuns(
  { sql }: Sql,
  execution: string,
  seqs: readonly number[],
): Promise<StoredRun[]> {
  const rows = await sql.read<RunRow>(
    'SELECT * FROM workflow_node_runs WHERE execution_id = ? AND seq IN (SELECT value FROM json_each(?))',
    [execution, JSON.stringify(seqs)],
  )
  return rows.map(toRun)
}

/** Runs that had started and not ended. */
export async function openRuns({ sql }: Sql, execution: string): Promise<StoredRun[]> {
  const rows = await sql.read<RunRow>(
    'SELECT * FROM workflow_node_runs WHERE execution_id = ? AND completed_at IS NULL',
    [execution],
  )
  return rows.map(toRun)
}

/**
 * Copies the runs and loops of an ended execution to one that continues it in this state. What its end has cut is open
 * again. The last run of the failed token is left out.
 */
export function copyRuns(from: string, to: string, { tokens }: State, failed: number): Statement[] {
  const waiting = JSON.stringify(tokens.flatMap(({ id, wait }) => (wait ? [id] : [])))
  return [
    {
      sql: `INSERT INTO workflow_node_runs (execution_id, seq, node_id, token, frame, iteration, status, attempt, started_at,
          completed_at, input, input_from, output, output_name, error, pinned)
        SELECT ?, seq, node_id, token, frame, iteration,
          CASE WHEN status <> 'cancelled' THEN status
            WHEN token IN (SELECT value FROM json_each(?)) THEN 'waiting' ELSE 'running' END,
          attempt, started_at, iif(status = 'cancelled', NULL, completed_at), input, input_from, output, output_name,
          error, pinned
        FROM workflow_node_runs WHERE execution_id = ? AND NOT (token = ? AND status = 'failed')`,
      args: [to, waiting, from, failed],
    },
    {
      sql: 'INSERT INTO workflow_loops (execution_id, frame, items) SELECT ?, frame, items FROM workflow_loops WHERE execution_id = ?',
      args: [to, from],
    },
    {
      sql: `INSERT INTO workflow_loop_results (execution_id, frame, position, value)
        SELECT ?, frame, position, value FROM workflow_loop_results WHERE execution_id = ?`,
      args: [to, from],
    },
  ]
}

// Loops

export const saveItems = (execution: string, frame: number, items: string): Statement => ({
  sql: 'INSERT INTO workflow_loops (execution_id, frame, items) VALUES (?, ?, ?)',
  args: [execution, frame, items],
})

export async function loadItems({ sql }: Sql, execution: string, frame: number): Promise<unknown[]> {
  const [row] = await sql.read<{ items: string }>(
    'SELECT items FROM workflow_loops WHERE execution_id = ? AND frame = ?',
    [execution, frame],
  )
  return row ? (JSON.parse(row.items) as unknown[]) : []
}

export const addResult = (
  execution: string,
  frame: number,
  { position, value }: { position: number; value: string },
): Statement => ({
  sql: 'INSERT OR REPLACE INTO workflow_loop_results (execution_id, frame, position, value) VALUES (?, ?, ?, ?)',
  args: [execution, frame, position, value],
})

/** Total characters of the collected outputs. */
export async function sizeOfResults({ sql }: Sql, execution: string, frame: number): Promise<number> {
  const [row] = await sql.read<{ size: number | null }>(
    'SELECT sum(length(value) + 1) AS size FROM workflow_loop_results WHERE execution_id = ? AND frame = ?',
    [execution, frame],
  )
  return row?.size ?? 0
}

export async function loadResults({ sql }: Sql, execution: string, frame: number): Promise<string[]> {
  const rows = await sql.read<{ value: string }>(
    'SELECT value FROM workflow_loop_results WHERE execution_id = ? AND frame = ? ORDER BY position',
    [execution, frame],
  )
  return rows.map(({ value }) => value)
}

export const dropLoop = (execution: string, frame: number): Statement[] =>
  ['workflow_loops', 'workflow_loop_results'].map((table) => ({
    sql: `DELETE FROM ${table} WHERE execution_id = ? AND frame = ?`,
    args: [execution, frame],
  }))
