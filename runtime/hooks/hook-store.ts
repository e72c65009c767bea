import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import type { HookRun, HookRunDetails, NewHook } from './hook-schema.ts'
import { type KeptRows, pruneLog } from './prune.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

type Columns = Pick<NewHook, 'enabled' | 'blocking' | 'priority'>
type Settings = Omit<NewHook, keyof Columns> & { sealed_headers: string | null }

export interface StoredHook extends NewHook {
  id: string
  owner_id: string
  /** See `SealedAction`. */
  sealed_headers: string | null
  conversation_id: string | null
  since: number
  created_at: string
  updated_at: string
}

type HookRow = Omit<StoredHook, keyof Settings | 'enabled' | 'blocking'> & {
  enabled: number
  blocking: number
  settings: string
}

const toHook = ({ settings, enabled, blocking, ...row }: HookRow): StoredHook => ({
  ...row,
  ...(JSON.parse(settings) as Settings),
  enabled: enabled === 1,
  blocking: blocking === 1,
})

export async function findHook({ sql }: Sql, id: string): Promise<StoredHook | null> {
  const [row] = await sql.read<HookRow>('SELECT * FROM hooks WHERE id = ?', [id])
  return row ? toHook(row) : null
}

export async function findOwnHook(context: Reader, id: string): Promise<StoredHook | null> {
  const own = owned(context)
  const [row] = await context.sql.read<HookRow>(`SELECT * FROM hooks WHERE id = ? AND ${own.sql}`, [
    id,
    ...own.args,
  ])
  return row ? toHook(row) : null
}

/** The enabled non-blocking hooks of all owners. */
export async function nonBlockingHooks({ sql }: Sql): Promise<StoredHook[]> {
  const rows = await sql.read<HookRow>('SELECT * FROM hooks WHERE enabled = 1 AND blocking = 0 ORDER BY id')
  return rows.map(toHook)
}

/** A user's enabled blocking hooks, in the order in which they decide. */
export async function blockingHooks({ sql }: Sql, owner: string): Promise<StoredHook[]> {
  const rows = await sql.read<HookRow>(
    'SELECT * FROM hooks WHERE enabled = 1 AND blocking = 1 AND owner_id = ? ORDER BY priority, id',
    [owner],
  )
  return rows.map(toHook)
}

export interface RunCounts {
  runs: number
  failed: number
  last_run_at: string | null
}

export async function runCounts({ sql }: Sql, hook: string): Promise<RunCounts> {
  const [row] = await sql.read<RunCounts>(
    `SELECT count(*) AS runs, coalesce(sum(status = 'failed'), 0) AS failed, max(created_at) AS last_run_at
      FROM hook_runs WHERE hook_id = ?`,
    [hook],
  )
  return row ?? { runs: 0, failed: 0, last_run_at: null }
}

export async function listHooks(context: Reader, page: Page) {
  const own = owned(context)
  const query = { select: `SELECT * FROM hooks WHERE ${own.sql}`, args: own.args, order: 'id DESC' }
  const { rows, total } = await selectPage<HookRow>(context, query, page)
  return { hooks: rows.map(toHook), total }
}

function settingsOf({ name, events, filter, action, sealed_headers, ...hook }: StoredHook): string {
  const { timeout_seconds, fail_mode } = hook
  const settings: Settings = { name, events, filter, action, sealed_headers, timeout_seconds, fail_mode }
  return JSON.stringify(settings)
}

export const insertHook = (hook: StoredHook): Statement => ({
  sql: `INSERT INTO hooks (id, owner_id, enabled, blocking, priority, settings, conversation_id, since, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    ...[hook.id, hook.owner_id, Number(hook.enabled), Number(hook.blocking), hook.priority],
    ...[settingsOf(hook), hook.conversation_id, hook.since, hook.created_at, hook.updated_at],
  ],
})

/** Stores a changed hook if it has not been changed since `before` was read. */
export const updateHook = (hook: StoredHook, before: StoredHook): Statement => ({
  sql: `UPDATE hooks SET enabled = ?, blocking = ?, priority = ?, settings = ?, since = ?, updated_at = ?
    WHERE id = ? AND updated_at = ?`,
  args: [
    ...[Number(hook.enabled), Number(hook.blocking), hook.priority, settingsOf(hook), hook.since],
    ...[hook.updated_at, hook.id, before.updated_at],
  ],
  guard: 'The hook was changed by another request; try again',
})

export const setConversation = (hook: string, conversation: string): Statement => ({
  sql: 'UPDATE hooks SET conversation_id = ? WHERE id = ?',
  args: [conversation, hook],
})

export const deleteHook = (id: string): Statement => ({
  sql: 'DELETE FROM hooks WHERE id = ?',
  args: [id],
  guard: 'The hook was already deleted',
})

export interface StoredRun extends HookRun {
  event: HookRunDetails['event']
}

type RunRow = Omit<StoredRun, 'event' | 'result'> & { event: string; result: string | null }

const toRun = (row: RunRow): StoredRun => ({
  ...row,
  event: JSON.parse(row.event) as StoredRun['event'],
  result: row.result === null ? null : (JSON.parse(row.result) as Record<string, unknown>),
})

export const insertRun = (run: StoredRun): Statement => ({
  sql: `INSERT INTO hook_runs (id, hook_id, event_type, event, status, decision, result, error, created_at, completed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    ...[run.id, run.hook_id, run.event_type, JSON.stringify(run.event), run.status, run.decision],
    ...[run.result && JSON.stringify(run.result), run.error, run.created_at, run.completed_at],
  ],
})

export const endRun = (
  id: string,
  end: Pick<HookRun, 'status' | 'result' | 'error' | 'completed_at'>,
): Statement => ({
  sql: 'UPDATE hook_runs SET status = ?, result = ?, error = ?, completed_at = ? WHERE id = ?',
  args: [end.status, end.result && JSON.stringify(end.result), end.error, end.completed_at, id],
})

export async function findRun({ sql }: Sql, id: string): Promise<StoredRun | null> {
  const [row] = await sql.read<RunRow>('SELECT * FROM hook_runs WHERE id = ?', [id])
  return row ? toRun(row) : null
}

/** A page of the runs of a hook, newest first. */
export async function listRuns(host: Sql, hook: string, page: Page) {
  const select = `SELECT id, hook_id, event_type, status, decision, result, error, created_at, completed_at
    FROM hook_runs WHERE hook_id = ?`
  const query = { select, args: [hook], order: 'id DESC' }
  const { rows, total } = await selectPage<Omit<RunRow, 'event'>>(host, query, page)
  const runs = rows.map((row): HookRun => {
    const { event: _, ...run } = toRun({ ...row, event: 'null' })
    return run
  })
  return { runs, total }
}

export const pruneRuns = (limits: KeptRows): Statement[] =>
  pruneLog({ table: 'hook_runs', owner: 'hook_id', at: 'created_at' }, limits)
