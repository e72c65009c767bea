import { owned } from '../auth/owner.ts'
import { visibleRows } from '../auth/sharing.ts'
import { type Automation, maxAutomations } from '../automation.ts'
import { changedByAnother } from '../fault.ts'
import type { Page } from '../http/page.ts'
import type { Waiting } from '../inbox.ts'
import { sumOf } from '../numbers.ts'
import type { Statement } from '../ports/sql.ts'
import { retainedRows } from '../retention.ts'
import type { RunSummary, RunsFilter } from '../run-summary.ts'
import { raw, readRows, sql } from '../statement.ts'
import { containing, type Reader, type Sql, Table } from '../table.ts'
import type { Trust } from '../trust.ts'
import { hasWork, waitOf } from '../work/select.ts'
import { iterationEndKind } from './kinds.ts'
import { type Action, type Iteration, Loop, type LoopRun, LoopStatus } from './schema.ts'

/** A loop with the fields that only the runtime needs. */
export interface StoredLoop extends Loop {
  /** Counts the changes, so that one of two concurrent changes is refused. */
  revision: number
  /** Judge errors in a row. */
  judge_errors: number
  /** The last iteration before a person intervened; stuck detection considers later ones only. */
  watched_from: number
  /** Iterations in a row that failed. */
  failures: number
  /** The job whose run has started the loop's run. */
  job: { id: string; run_id: string } | null
  /** Who wrote the goal. */
  trust: Trust
  /** An agent chose the budget in USD, so it holds only where the model's price is known. */
  usd_by_agent: boolean
}

const columns = [
  'id',
  'owner_id',
  'shared_with',
  'name',
  'goal',
  'status',
  'run_id',
  'created_at',
  'updated_at',
] as const

/** Everything without a column of its own is stored together, since nothing selects by it. */
const stored = {
  json: ['shared_with'],
  packed: {
    column: 'state',
    fields: [
      ...Loop.keyof().exclude(columns).options,
      ...(['judge_errors', 'watched_from', 'failures', 'job', 'trust', 'usd_by_agent'] as const),
    ],
  },
  complete: (loop: StoredLoop): StoredLoop => ({
    ...loop,
    verified_by: loop.verified_by ?? loop.verification.kind,
  }),
} as const

const loops = new Table<StoredLoop>('loops', stored)

export function publicLoop(loop: StoredLoop): Loop {
  const { revision: _, judge_errors: _1, watched_from: _2, failures: _3, job: _4, ...rest } = loop
  const { trust: _5, usd_by_agent: _6, ...publicFields } = rest
  return publicFields
}

/** A running loop whose turn waits for a person's approval is shown as waiting. */
const asking = hasWork({
  lane: { column: `json_extract(loops.state, '$.conversation_id')` },
  status: 'waiting',
})
/** So is one whose turn or verification waits for a vendor's limit or outage, with the time and the reason. */
const waits = [
  waitOf({ lane: { column: `json_extract(loops.state, '$.conversation_id')` } }),
  waitOf({
    kind: iterationEndKind,
    subject: { column: '(SELECT max(id) FROM loop_iterations WHERE loop_iterations.run_id = loops.run_id)' },
  }),
]
const wait = `iif(status = 'running', coalesce(${waits.map(({ sql }) => sql).join(', ')}), NULL)`
const selected = `id, owner_id, shared_with, revision, name, goal, run_id, state, created_at, updated_at,
  iif(status = 'running' AND (${asking.sql} OR ${wait} IS NOT NULL), 'waiting', status) AS status,
  coalesce(${wait} ->> 'until', state ->> 'next_at') AS next_at, coalesce(${wait} ->> 'message', state ->> 'error') AS error`
const waitArgs = waits.flatMap(({ args }) => args)
const selectedArgs = [...asking.args, ...waitArgs, ...waitArgs, ...waitArgs]

const shownLoops = new Table<StoredLoop>('loops', {
  ...stored,
  select: { sql: selected, args: selectedArgs },
})

/** A loop of any owner, for the daemon's own work. */
export const findLoop = (host: Sql, id: string) => loops.find(host, { id })

export const loopNames = (host: Sql, ids: readonly string[]) => loops.names(host, ids)

/** The loop whose current run this is. */
export const findLoopOfRun = (host: Sql, run_id: string) => loops.find(host, { run_id })

/** A loop that belongs to the caller. */
export const findOwnLoop = (context: Reader, id: string) => shownLoops.find(context, { id }, owned(context))

/** A loop that belongs to the caller or is shared with them. */
export const findShownLoop = async (context: Reader, id: string) =>
  shownLoops.find(context, { id }, await visibleRows(context, 'loops'))

export interface LoopFilter {
  status?: LoopStatus | undefined
  search?: string | undefined
  limit: number
  offset: number
}

/** A page of the loops that the caller may see, the last changed first; `status_counts` counts the loops that match the search. */
export async function listLoops(context: Reader, { status, search, limit, offset }: LoopFilter) {
  const own = await visibleRows(context, 'loops')
  const matching = containing(search, 'name', 'goal')
  const matches = `SELECT ${selected} FROM loops WHERE ${own.sql} AND ${matching.sql}`
  const args = [...selectedArgs, ...own.args, ...matching.args]
  const rows = await context.sql.read<object>(
    `SELECT * FROM (${matches})${status ? ' WHERE status = ?' : ''} ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?`,
    [...args, ...(status ? [status] : []), limit, offset],
  )
  const counts = await context.sql.read<{ status: LoopStatus; count: number }>(
    `SELECT status, count(*) AS count FROM (${matches}) GROUP BY status`,
    args,
  )
  const countOf = (status: LoopStatus) => counts.find((row) => row.status === status)?.count ?? 0
  const status_counts = Object.fromEntries(LoopStatus.options.map((name) => [name, countOf(name)]))
  return {
    rows: rows.map((row) => publicLoop(loops.decode(row))),
    total: status ? countOf(status) : sumOf(counts, ({ count }) => count),
    status_counts: status_counts as Record<LoopStatus, number>,
  }
}

/** The questions of the caller's loops. */
export async function waitingLoops(context: Reader): Promise<Waiting[]> {
  const blocked = await loops.list(context, 'id', { status: 'blocked' }, owned(context))
  return blocked.map(({ id, name, question, updated_at }) => ({
    kind: 'loop',
    id,
    title: name,
    detail: question?.question ?? '',
    asked_at: question?.asked_at ?? updated_at,
    href: `/loops/${id}`,
  }))
}

/** Loops as all areas list their automations. */
export async function listAutomations(context: Reader): Promise<Automation[]> {
  const rows = await shownLoops.list(context, `updated_at DESC LIMIT ${maxAutomations}`, owned(context))
  return rows.map(({ id, name, goal, status, started_at, next_at }) => ({
    kind: 'loop',
    id,
    name,
    starts: [],
    does: goal,
    enabled: null,
    last_run_at: started_at,
    last_status: started_at && status,
    next_run_at: next_at,
    href: `/loops/${id}`,
  }))
}

/** Runs as all areas list them. */
export function summarizeRuns(context: Reader, { state, since, limit }: RunsFilter): Promise<RunSummary[]> {
  const matching = {
    open: sql`loops.status IN ('running', 'waiting') AND runs.id = loops.run_id`,
    failed: sql`(runs.status = 'failed' OR (runs.status = 'paused' AND runs.state ->> 'error' IS NOT NULL))
      AND runs.id = loops.run_id AND loops.updated_at > ${since}`,
    all: sql`runs.started_at > ${since}`,
  }[state]
  return readRows(
    context,
    sql`SELECT 'loop' AS kind, loops.id, runs.id AS run_id, name, runs.status,
        coalesce(runs.state ->> 'error',
          'Iteration ' || (runs.state ->> 'iteration') || ' of ' || (loops.state ->> 'max_iterations')) AS detail,
        coalesce(runs.ended_at, runs.started_at) AS at, '/loops/' || loops.id AS href
      FROM loops JOIN loop_runs AS runs ON runs.loop_id = loops.id
      WHERE ${owned(context)} AND ${matching} ORDER BY runs.id DESC LIMIT ${limit}`,
  )
}

export const insertLoop = (loop: StoredLoop): Statement => loops.insert(loop)

/** Stores a loop and its run. The guard refuses it if the loop was changed meanwhile. */
export function updateLoop(loop: StoredLoop): Statement[] {
  const { id, owner_id: _, created_at: _1, revision, ...changes } = loop
  const guard = changedByAnother('loop')
  return [
    loops.update({ ...changes, revision: revision + 1 }, { id, revision }, guard),
    ...(loop.run_id === null ? [] : [saveRun(loop, loop.run_id)]),
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

const runs = new Table<LoopRun>('loop_runs', { packed: { column: 'state', fields: runState } })

const saveRun = (loop: StoredLoop, run: string): Statement =>
  runs.upsert(
    {
      id: run,
      loop_id: loop.id,
      status: loop.status,
      ...(Object.fromEntries(runState.map((name) => [name, loop[name]])) as Partial<LoopRun>),
      started_at: loop.started_at ?? undefined,
      ended_at: loop.ended_at,
    },
    'id',
  )

export const deleteLoop = (id: string): Statement => loops.delete({ id }, 'The loop was already deleted')

export const listRuns = (host: Sql, loop_id: string, page: Page) => runs.page(host, page, 'id DESC', { loop_id })

export const findRun = (host: Sql, loop_id: string, id: string) => runs.find(host, { loop_id, id })

/** A run of any loop, for the daemon's own work. */
export const findAnyRun = (host: Sql, id: string) => runs.find(host, { id })

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
  /** The owner's steering before this iteration, in case it must be repeated. */
  steering: string[]
}

const iterations = new Table<StoredIteration>('loop_iterations', {
  columns: { index: 'position' },
  packed: { column: 'state', fields: ['summary', 'actions', 'verdict', 'error', 'steering'] },
})

export function publicIteration({ message_id: _, steering: _1, ...iteration }: StoredIteration): Iteration {
  return { ...iteration, actions: iteration.actions.map(({ call: _, outcome: _1, ...action }) => action) }
}

export const listIterations = (host: Sql, run_id: string | null) => iterations.list(host, 'position', { run_id })

export const findIteration = (host: Sql, id: string) => iterations.find(host, { id })

export const saveIteration = (iteration: StoredIteration): Statement => iterations.upsert(iteration, 'id')

/** Ended runs, except the latest run of each loop, which its page shows. */
const ended = `ended_at IS NOT NULL AND id <> (
  SELECT max(latest.id) FROM loop_runs AS latest WHERE latest.loop_id = loop_runs.loop_id)`

/** Ended runs with their iterations. */
export const retainedRuns = retainedRows({
  tables: ['loop_runs', 'loop_iterations'],
  rows: `SELECT ${ended} AS ended, ended_at AS at, octet_length(state) + 200 + coalesce((
      SELECT sum(octet_length(loop_iterations.state) + 200) FROM loop_iterations WHERE run_id = loop_runs.id), 0) AS bytes
    FROM loop_runs`,
  prune: (before, limit) => sql`DELETE FROM loop_runs WHERE id IN (
      SELECT id FROM loop_runs WHERE ${raw(ended)} AND ended_at < ${before} ORDER BY ended_at LIMIT ${limit})`,
})
