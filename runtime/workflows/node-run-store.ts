import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import { excerptOf, loadJson, loadValue, sizeOf, type Value, valueLoader } from './blob-store.ts'
import { itemsOf, type Lineage, parsedLineage, type Routes } from './items.ts'
import type { NodeRun, NodeRunSummary, RunError } from './schema.ts'
import type { Source, State } from './state.ts'

export interface StoredRun extends Omit<NodeRun, 'input' | 'output' | 'pinned' | 'routes' | 'shortened'> {
  execution_id: string
  token: number
  frame: number | null
  /** As it is stored; null for the output of `input_from`. */
  input: string | null
  /** The run that the input is from. */
  input_from: number | null
  output: string | null
  /** Lineage as JSON; null if item i is from item i of the input. */
  items: string | null
  /** For one item of a list; another run has the outputs of all. */
  one_item: number
  pinned: number
}

const runs = new Table<StoredRun>('workflow_node_runs', { json: ['error'] })

const columns = `execution_id, seq, node_id, token, frame, iteration, status, attempt, started_at, completed_at,
  input, input_from, output, output_name, items, one_item, error, pinned, logs`
const names = columns.split(/,\s+/) as (keyof StoredRun)[]
const insertRun = `INSERT OR REPLACE INTO workflow_node_runs (${columns}) VALUES (${names.map(() => '?').join()})`

/** Each node ends with this, so the text of the statement is made once: `Table` takes 29 µs for it, and this 1 µs. */
export const saveRun = (run: StoredRun): Statement => ({
  sql: insertRun,
  args: names.map((name) => (name === 'error' ? run.error && JSON.stringify(run.error) : run[name])),
})

/** Deletes the runs of a node in these iterations of its loop. */
export const dropIterations = (run: StoredRun, { from, below }: { from: number; below: number }): Statement =>
  runs.delete({
    sql: 'execution_id = ? AND node_id = ? AND frame = ? AND iteration >= ? AND iteration < ?',
    args: [run.execution_id, run.node_id, run.frame, from, below],
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
  const stored = await sql.read<Omit<NodeRunSummary, 'error' | 'pinned'> & { error: string | null; pinned: number }>(
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

type StoredRow = Omit<StoredRun, 'error'> & { error: string | null }

const parsed = <Value>(text: string | null): Value | null => (text === null ? null : (JSON.parse(text) as Value))

export interface FoundRun extends Omit<NodeRun, 'input' | 'output' | 'shortened'> {
  input: Value
  output: Value
}

/** One node run with input and output: by number, or the latest of a node. */
export async function findRun(
  host: Sql,
  execution: string,
  { seq, node_id }: { seq: number; node_id?: undefined } | { seq?: undefined; node_id: string },
): Promise<FoundRun | null> {
  const [row] = await host.sql.read<StoredRow & { source_output: string | null; source_items: string | null }>(
    `SELECT run.*, source.output AS source_output, source.items AS source_items FROM ${runsWithSource}
      WHERE run.execution_id = ? AND (? IS NULL OR run.seq = ?) AND (? IS NULL OR run.node_id = ?)
      ORDER BY run.one_item, run.seq DESC LIMIT 1`,
    [execution, seq ?? null, seq ?? null, node_id ?? null, node_id ?? null],
  )
  if (!row) return null
  const { execution_id: _, token: __, frame: ___, input_from, items, one_item, ...rest } = row
  const { source_output, source_items, ...run } = rest
  const lineage = parsedLineage({ node_id: run.node_id, input_from, items })
  const load = valueLoader(host, [])
  const source = await load(source_output)
  const part = partOf({ output: source.value, items: source_items }, lineage.from[0])
  return {
    ...run,
    input: run.input === null ? { ...source, value: part } : await load(run.input),
    output: await load(run.output),
    routes: lineage.routes ? mutable(lineage.routes) : null,
    error: parsed<RunError>(run.error),
    pinned: run.pinned === 1,
  }
}

const mutable = (routes: Routes): Record<string, number[]> =>
  Object.fromEntries(Object.entries(routes).map(([name, positions]) => [name, [...positions]]))

/** What a run has passed on to another, which may be only the items of one output. */
export function partOf(
  { output, items }: { output: unknown; items: string | null },
  source: Source | undefined,
): unknown {
  const name = typeof source === 'object' && 'run' in source ? source.output : undefined
  if (name === undefined) return output
  const { routes } = parsedLineage({ node_id: '', input_from: null, items })
  return routes?.[name]?.map((position) => itemsOf(output)[position]) ?? output
}

/** The values of `item` and `index` in a loop; null outside loops. */
export interface LoopItem {
  item: unknown
  index: number | null
}

/** The item of the innermost loop around the latest run of these nodes: the input of that iteration. */
export async function itemOf(host: Sql, execution: string, nodes: readonly string[]): Promise<LoopItem> {
  const [row] = await host.sql.read<{ item: string | null; position: number }>(
    `SELECT run.iteration AS position, (
        SELECT first.input FROM workflow_node_runs AS first
        WHERE first.execution_id = run.execution_id AND first.frame = run.frame AND first.iteration = run.iteration
        ORDER BY first.seq LIMIT 1) AS item
      FROM workflow_node_runs AS run
      WHERE run.execution_id = ? AND run.node_id IN (SELECT value FROM json_each(?))
      ORDER BY run.seq DESC LIMIT 1`,
    [execution, JSON.stringify(nodes)],
  )
  return { item: (await loadValue(host, row?.item ?? null)).value, index: row?.position ?? null }
}

/** The latest finished run of each node, for the expressions of the nodes that follow. */
export const latestOutputs = (host: Sql, execution_id: string): Promise<StoredRun[]> =>
  runs.list(
    host,
    'seq',
    { execution_id, status: 'succeeded' },
    {
      sql: `seq IN (
      SELECT max(seq) FROM workflow_node_runs WHERE execution_id = ? AND status = 'succeeded' AND one_item = 0
        GROUP BY node_id)`,
      args: [execution_id],
    },
  )

/** The finished runs of a node, the first one first. */
export const runsOfNode = (host: Sql, execution_id: string, node_id: string): Promise<StoredRun[]> =>
  runs.list(host, 'seq', { execution_id, node_id, status: 'succeeded' }, { sql: 'one_item = 0', args: [] })

export const findRuns = (host: Sql, execution_id: string, seqs: readonly number[]): Promise<StoredRun[]> =>
  runs.list(host, 'seq', { execution_id, seq: seqs })

/** Runs that had started and not ended. */
export const openRuns = (host: Sql, execution_id: string): Promise<StoredRun[]> =>
  runs.list(host, 'seq', { execution_id, completed_at: null })

/**
 * Copies the runs and loops of an ended execution to one that continues it in this state. What its end has cut is open
 * again. The last run of the failed token is left out.
 */
export function copyRuns(from: string, to: string, { tokens }: State, failed: number): Statement[] {
  const waiting = JSON.stringify(tokens.flatMap(({ id, wait }) => (wait ? [id] : [])))
  return [
    {
      sql: `INSERT INTO workflow_node_runs (${columns})
        SELECT ?, seq, node_id, token, frame, iteration,
          CASE WHEN status <> 'cancelled' THEN status
            WHEN token IN (SELECT value FROM json_each(?)) THEN 'waiting' ELSE 'running' END,
          attempt, started_at, iif(status = 'cancelled', NULL, completed_at), input, input_from, output, output_name,
          items, one_item, error, pinned, logs
        FROM workflow_node_runs WHERE execution_id = ? AND NOT (token = ? AND status = 'failed')`,
      args: [to, waiting, from, failed],
    },
    {
      sql: 'INSERT INTO workflow_loops (execution_id, frame, items) SELECT ?, frame, items FROM workflow_loops WHERE execution_id = ?',
      args: [to, from],
    },
    {
      sql: `INSERT INTO workflow_loop_results (execution_id, frame, position, value, output, parents)
        SELECT ?, frame, position, value, output, parents FROM workflow_loop_results WHERE execution_id = ?`,
      args: [to, from],
    },
  ]
}

// Loops

export const saveItems = (execution: string, frame: number, items: string): Statement => ({
  sql: 'INSERT INTO workflow_loops (execution_id, frame, items) VALUES (?, ?, ?)',
  args: [execution, frame, items],
})

export async function loadItems(host: Sql, execution: string, frame: number): Promise<unknown[]> {
  const [row] = await host.sql.read<{ items: string }>(
    'SELECT items FROM workflow_loops WHERE execution_id = ? AND frame = ?',
    [execution, frame],
  )
  return row ? ((await loadValue(host, row.items)).value as unknown[]) : []
}

/** What an iteration has returned. */
export interface LoopResult {
  position: number
  /** As it is stored. */
  value: string
  /** The output at which the node continued. */
  output: string
  /** For each item of the value, the items of the loop that it was made from. As JSON. */
  parents: string
}

const insertResult = `INSERT OR REPLACE INTO workflow_loop_results (execution_id, frame, position, value, output, parents)
  VALUES (?, ?, ?, ?, ?, ?)`

export const addResult = (
  execution: string,
  frame: number,
  { position, value, output, parents }: LoopResult,
): Statement => ({ sql: insertResult, args: [execution, frame, position, value, output, parents] })

/** Characters or bytes of the collected outputs. */
export async function sizeOfResults({ sql }: Sql, execution: string, frame: number): Promise<number> {
  const [row] = await sql.read<{ size: number | null }>(
    `SELECT sum(${sizeOf('value')} + 1) AS size FROM workflow_loop_results WHERE execution_id = ? AND frame = ?`,
    [execution, frame],
  )
  return row?.size ?? 0
}

/** The collected outputs in order, as JSON. */
export async function loadResults(host: Sql, execution: string, frame: number): Promise<LoopResult[]> {
  const results = await host.sql.read<LoopResult>(
    `SELECT position, value, output, parents FROM workflow_loop_results
      WHERE execution_id = ? AND frame = ? ORDER BY position`,
    [execution, frame],
  )
  for (const result of results) result.value = await loadJson(host, result.value)
  return results
}

/** Where the items of these runs came from. */
export async function loadLineages(
  { sql }: Sql,
  execution: string,
  seqs: readonly number[],
): Promise<Map<number, Lineage>> {
  const rows = await sql.read<Pick<StoredRun, 'seq' | 'node_id' | 'input_from' | 'items'>>(
    `SELECT seq, node_id, input_from, items FROM workflow_node_runs
      WHERE execution_id = ? AND seq IN (SELECT value FROM json_each(?))`,
    [execution, JSON.stringify(seqs)],
  )
  return new Map(rows.map((row) => [row.seq, parsedLineage(row)]))
}

export const dropLoop = (execution: string, frame: number): Statement[] =>
  ['workflow_loops', 'workflow_loop_results'].map((table) => ({
    sql: `DELETE FROM ${table} WHERE execution_id = ? AND frame = ?`,
    args: [execution, frame],
  }))
