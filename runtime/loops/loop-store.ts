import { owned } from '../auth/owner.ts'
import { shown } from '../auth/sharing.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { retainedRows } from '../retention.ts'
import { selectPage } from '../select-page.ts'
import { hasWork } from '../work/select.ts'
import { type Action, type Iteration, type Loop, type LoopRun, LoopStatus } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

/** A loop with the fields that only the runtime needs. */
export interface StoredLoop extends Loop {
  /** Counts the changes, so that of two at once one is refused. */
  revision: number
  /** Judge errors in a row. */
  judge_errors: number
  /** The last iteration before a person intervened; whether the agent is stuck is judged by later ones. */
  watched_from: number
  /** Iterations in a row that failed. */
  failures: number
  /** The job whose run has started the loop's run. */
  job: { id: string; run_id: string } | null
}

/** Columns of their own; everything else is stored together as JSON, since nothing selects by it. */
const columns = [
  'id',
  'owner_id',
  'shared_with',
  'revision',
  'name',
  'goal',
  'status',
  'run_id',
  'created_at',
  'updated_at',
] as const
type Columns = Pick<StoredLoop, (typeof columns)[number]>

interface Row extends Omit<Columns, 'shared_with'> {
  shared_with: string
  state: string
}

const toLoop = ({ state, shared_with, ...row }: Row): StoredLoop => ({
  ...(JSON.parse(state) as StoredLoop),
  ...row,
  shared_with: JSON.parse(shared_with) as string[],
})

const stateOf = (loop: StoredLoop): string =>
  JSON.stringify(Object.fromEntries(Object.entries(loop).filter(([name]) => !columns.includes(name as 'id'))))

export function publicLoop(loop: StoredLoop): Loop {
  const { revision: _, judge_errors: _1, watched_from: _2, failures: _3, job: _4, ...known } = loop
  return known
}

/** A running loop whose turn waits for a person's approval is shown as waiting. */
const asking = hasWork({
  lane: { column: `json_extract(loops.state, '$.conversation_id')` },
  status: 'waiting',
})
const selected = `id, owner_id, shared_with, revision, name, goal, iif(status = 'running' AND ${asking.sql}, 'waiting', status) AS status,
  run_id, state, created_at, updated_at`

/** A loop whoever owns it, for the daemon's own work. */
export async function findLoop({ sql }: Sql, id: string): Promise<StoredLoop | null> {
  const [row] = await sql.read<Row>('SELECT * FROM loops WHERE id = ?', [id])
  return row ? toLoop(row) : null
}

/** Names by id of those loops that exist. */
export async function loopNames({ sql }: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql.read<{ id: string; name: string }>(
    'SELECT id, name FROM loops WHERE id IN (SELECT value FROM json_each(?))',
    [JSON.stringify(ids)],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The loop whose current run this is. */
export async function findLoopOfRun({ sql }: Sql, run: string): Promise<StoredLoop | null> {
  const [row] = await sql.read<Row>('SELECT * FROM loops WHERE run_id = ?', [run])
  return row ? toLoop(row) : null
}

/** A loop that belongs to the caller. */
export const findOwnLoop = (context: Reader, id: string) => findWhere(context, id, owned(context))

/** A loop that belongs to the caller or is shared with them. */
export const findShownLoop = async (context: Reader, id: string) =>
  findWhere(context, id, await shown(context, 'loops'))

async function findWhere(context: Reader, id: string, own: Condition): Promise<StoredLoop | null> {
  const [row] = await context.sql.read<Row>(`SELECT ${selected} FROM loops WHERE id = ? AND ${own.sql}`, [
    ...asking.args,
    id,
    ...own.args,
  ])
  return row ? toLoop(row) : null
}

export interface LoopFilter {
  status?: LoopStatus | undefined
  search?: string | undefined
  limit: number
  offset: number
}

/** A page of the loops that the caller may see, the last changed first; `status_counts` counts those that match the search. */
export async function listLoops(context: Reader, { status, search, limit, offset }: LoopFilter) {
  const own = await shown(context, 'loops')
  const like = `%${(search ?? '').replace(/[\\%_]/g, '\\$&')}%`
  const found = `SELECT ${selected} FROM loops WHERE ${own.sql} AND (name LIKE ? ESCAPE '\\' OR goal LIKE ? ESCAPE '\\')`
  const args = [...asking.args, ...own.args, like, like]
  const rows = await context.sql.read<Row>(
    `SELECT * FROM (${found})${status ? ' WHERE status = ?' : ''} ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?`,
    [...args, ...(status ? [status] : []), limit, offset],
  )
  const counts = await context.sql.read<{ status: LoopStatus; count: number }>(
    `SELECT status, count(*) AS count FROM (${found}) GROUP BY status`,
    args,
  )
  const countOf = (wanted: LoopStatus) => counts.find((row) => row.status === wanted)?.count ?? 0
  const status_counts = Object.fromEntries(LoopStatus.options.map((name) => [name, countOf(name)]))
  return {
    loops: rows.map(toLoop),
    total: status ? countOf(status) : counts.reduce((sum, { count }) => sum + count, 0),
    status_counts: status_counts as Record<LoopStatus, number>,
  }
}

const columnOf = (loop: StoredLoop, name: (typeof columns)[number]): Value =>
  name === 'shared_with' ? JSON.stringify(loop.shared_with) : loop[name]

export const insertLoop = (loop: StoredLoop): Statement => ({
  sql: `INSERT INTO loops (${columns.join(', ')}, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [...columns.map((name) => columnOf(loop, name)), stateOf(loop)],
})

/** Stores a loop and its run. The guard refuses it if the loop was changed meanwhile. */
export function updateLoop(loop: StoredLoop): Statement[] {
  const next = { ...loop, revision: loop.revision + 1 }
  return [
    {
      sql: `UPDATE loops SET revision = ?, shared_with = ?, name = ?, goal = ?, status = ?, run_id = ?, state = ?, updated_at = ?
        WHERE id = ? AND revision = ?`,
      args: [
        ...[
          next.revision,
          columnOf(next, 'shared_with'),
          next.name,
          next.goal,
          next.status,
          next.run_id,
          stateOf(next),
          next.updated_at,
        ],
        ...[loop.id, loop.revision],
      ],
      guard: 'The loop was changed by another request; try again',
    },
    ...(next.run_id === null ? [] : [saveRun(next, next.run_id)]),
  ]
}

const runState = [
  'stop_reason',
  'error',
  'iteration',
  'last_verdict',
  'tokens_used',
  'cost_usd',
  'active_seconds',
  'conversation_id',
] as const
type RunState = Pick<LoopRun, (typeof runState)[number]>

const saveRun = (loop: StoredLoop, run: string): Statement => ({
  sql: `INSERT INTO loop_runs (id, loop_id, status, state, started_at, ended_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, state = excluded.state, ended_at = excluded.ended_at`,
  args: [
    ...[run, loop.id, loop.status],
    JSON.stringify(Object.fromEntries(runState.map((name) => [name, loop[name]]))),
    ...[loop.started_at, loop.ended_at],
  ],
})

export const deleteLoop = (id: string): Statement => ({
  sql: 'DELETE FROM loops WHERE id = ?',
  args: [id],
  guard: 'The loop was already deleted',
})

interface RunRow extends Omit<LoopRun, keyof RunState> {
  state: string
}

const toRun = ({ state, ...row }: RunRow): LoopRun => ({ ...row, ...(JSON.parse(state) as RunState) })

/** The runs of a loop, newest first. */
export async function listRuns(host: Sql, loop: string, page: Page) {
  const query = { select: 'SELECT * FROM loop_runs WHERE loop_id = ?', args: [loop], order: 'id DESC' }
  const { rows, total } = await selectPage<RunRow>(host, query, page)
  return { runs: rows.map(toRun), total }
}

export async function findRun({ sql }: Sql, loop: string, id: string): Promise<LoopRun | null> {
  const [row] = await sql.read<RunRow>('SELECT * FROM loop_runs WHERE loop_id = ? AND id = ?', [loop, id])
  return row ? toRun(row) : null
}

/** A run of any loop, for the daemon's own work. */
export async function findAnyRun({ sql }: Sql, id: string): Promise<LoopRun | null> {
  const [row] = await sql.read<RunRow>('SELECT * FROM loop_runs WHERE id = ?', [id])
  return row ? toRun(row) : null
}

/** An action with fingerprints, by which equal ones are found. */
export interface StoredAction extends Action {
  /** A fingerprint of the call. */
  call: string
  /** A fingerprint of its result. */
  outcome: string
}

export interface StoredIteration extends Omit<Iteration, 'actions'> {
  actions: StoredAction[]
  /** The answer that the turn fills. */
  message_id: string
  /** Times that it was interrupted. */
  interruptions: number
  /** The owner's steering before this iteration, in case it must be repeated. */
  steering: string[]
}

type IterationState = Pick<
  StoredIteration,
  'summary' | 'actions' | 'verdict' | 'error' | 'interruptions' | 'steering'
>

interface IterationRow extends Omit<StoredIteration, keyof IterationState | 'index'> {
  position: number
  state: string
}

const toIteration = ({ state, position, ...row }: IterationRow): StoredIteration => ({
  ...row,
  index: position,
  ...(JSON.parse(state) as IterationState),
})

export function publicIteration({
  message_id: _,
  interruptions: _1,
  steering: _2,
  ...iteration
}: StoredIteration): Iteration {
  return { ...iteration, actions: iteration.actions.map(({ call: _, outcome: _1, ...action }) => action) }
}

/** The iterations of a run, in order. */
export async function listIterations({ sql }: Sql, run: string | null): Promise<StoredIteration[]> {
  const rows = await sql.read<IterationRow>(
    'SELECT * FROM loop_iterations WHERE run_id = ? ORDER BY position',
    [run],
  )
  return rows.map(toIteration)
}

export async function findIteration({ sql }: Sql, id: string): Promise<StoredIteration | null> {
  const [row] = await sql.read<IterationRow>('SELECT * FROM loop_iterations WHERE id = ?', [id])
  return row ? toIteration(row) : null
}

export const saveIteration = (iteration: StoredIteration): Statement => {
  const { summary, actions, verdict, error, interruptions, steering } = iteration
  return {
    sql: `INSERT INTO loop_iterations (id, run_id, position, status, message_id, state, tokens, cost_usd, started_at, ended_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, message_id = excluded.message_id, state = excluded.state,
        tokens = excluded.tokens, cost_usd = excluded.cost_usd, ended_at = excluded.ended_at`,
    args: [
      ...[iteration.id, iteration.run_id, iteration.index, iteration.status, iteration.message_id],
      JSON.stringify({ summary, actions, verdict, error, interruptions, steering }),
      ...[iteration.tokens, iteration.cost_usd, iteration.started_at, iteration.ended_at],
    ],
  }
}

/** Ended runs, except the latest run of each loop, which its page shows. */
const ended = `ended_at IS NOT NULL AND id <> (
  SELECT max(latest.id) FROM loop_runs AS latest WHERE latest.loop_id = loop_runs.loop_id)`

/** Ended runs with their iterations. */
export const retainedRuns = retainedRows({
  tables: ['loop_runs', 'loop_iterations'],
  rows: `SELECT ${ended} AS ended, ended_at AS at, octet_length(state) + 200 + coalesce((
      SELECT sum(octet_length(loop_iterations.state) + 200) FROM loop_iterations WHERE run_id = loop_runs.id), 0) AS bytes
    FROM loop_runs`,
  prune: (before, limit) => ({
    sql: `DELETE FROM loop_runs WHERE id IN (
      SELECT id FROM loop_runs WHERE ${ended} AND ended_at < ? ORDER BY ended_at LIMIT ?)`,
    args: [before, limit],
  }),
})
