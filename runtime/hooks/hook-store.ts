import { owned } from '../auth/owner.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import type { HookRun, HookRunDetails, NewHook } from './hook-schema.ts'
import { type KeptRows, pruneLog } from './prune.ts'

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

const hooks = new Table<StoredHook>('hooks', {
  booleans: ['enabled', 'blocking'],
  packed: {
    column: 'settings',
    fields: ['name', 'events', 'filter', 'action', 'sealed_headers', 'timeout_seconds', 'fail_mode'],
  },
})

export const findHook = (host: Sql, id: string) => hooks.find(host, { id })
export const findOwnHook = (context: Reader, id: string) => hooks.find(context, { id }, owned(context))

/** The enabled non-blocking hooks of all owners. */
export const nonBlockingHooks = (host: Sql) => hooks.list(host, 'id', { enabled: true, blocking: false })

/** A user's enabled blocking hooks, in the order in which they decide. */
export const blockingHooks = (host: Sql, owner_id: string) =>
  hooks.list(host, 'priority, id', { enabled: true, blocking: true, owner_id })

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

export const listHooks = (context: Reader, page: Page) => hooks.page(context, page, 'id DESC', owned(context))

export const insertHook = (hook: StoredHook): Statement => hooks.insert(hook)

/** Stores a changed hook if it has not been changed since `before` was read. */
export function updateHook(hook: StoredHook, before: StoredHook): Statement {
  const { id, owner_id: _, conversation_id: _1, created_at: _2, ...changes } = hook
  const guard = 'The hook was changed by another request; try again'
  return hooks.update(changes, { id, updated_at: before.updated_at }, guard)
}

export const setConversation = (id: string, conversation_id: string): Statement =>
  hooks.update({ conversation_id }, { id })

export const deleteHook = (id: string): Statement => hooks.delete({ id }, 'The hook was already deleted')

export interface StoredRun extends HookRun {
  event: HookRunDetails['event']
}

const runs = new Table<StoredRun>('hook_runs', { json: ['event', 'result'] })

/** Runs without their events, which may be large. */
const shownRuns = new Table<HookRun>('hook_runs', {
  json: ['result'],
  select: 'id, hook_id, event_type, status, decision, result, error, created_at, completed_at',
})

export const insertRun = (run: StoredRun): Statement => runs.insert(run)

export const endRun = (
  id: string,
  end: Pick<HookRun, 'status' | 'result' | 'error' | 'completed_at'>,
): Statement => runs.update(end, { id })

export const findRun = (host: Sql, id: string) => runs.find(host, { id })

/** A page of the runs of a hook, newest first. */
export const listRuns = (host: Sql, hook_id: string, page: Page) =>
  shownRuns.page(host, page, 'id DESC', { hook_id })

export const pruneRuns = (limits: KeptRows): Statement[] =>
  pruneLog({ table: 'hook_runs', owner: 'hook_id', at: 'created_at' }, limits)
