import type { Caller } from '../auth/caller.ts'
import { nobody, ownerOf } from '../auth/owner.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso, minute } from '../time.ts'
import type { WorkKind } from './kind.ts'
import type { Postponed } from './postponed.ts'
import type { NewWork, Work, WorkStatus } from './schema.ts'

/** Milliseconds without a lease renewal after which a process counts as dead. */
export const leaseTime = 1 * minute

const leaseEnd = (host: Pick<Host, 'clock'>) => iso(host.clock.now() + leaseTime)

export type WorkRow = Omit<Work, 'payload' | 'outcome'> & { payload: string; outcome: string | null }

export const toWork = (row: WorkRow): Work => ({
  ...row,
  payload: JSON.parse(row.payload) as Work['payload'],
  outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as Work['outcome']),
})

/** The originator of queued work: a context, or a host for the daemon's own work. */
export type Queueing = Pick<Host, 'clock'> & { caller?: Caller; chain_depth?: number }

export const ownerOfWork = ({ caller }: { caller?: Caller }, { owner_id }: NewWork): string =>
  owner_id ?? (caller ? ownerOf({ caller }) : nobody)

/** The statement that queues a unit, for the same commit as the change that causes it. */
export function insertWork(host: Queueing, work: NewWork): { id: string; statement: Statement } {
  const now = host.clock.now()
  const id = newId('work', now)
  const sql = `INSERT INTO work (id, owner_id, kind, subject, lane, payload, status, due_at, attempt, created_at, chain_depth)
    VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, 0, ?, ?)`
  const named = [id, ownerOfWork(host, work), work.kind, work.subject, work.lane ?? null]
  const args = [...named, JSON.stringify(work.payload ?? {})]
  const times = [iso(work.due ?? now), iso(now)]
  return { id, statement: { sql, args: [...args, ...times, host.chain_depth ?? 0], wakes: true } }
}

/** Like `insertWork`, but claims the unit for this process at once if its lane is free. */
export function insertLeased(host: Host & Queueing, work: NewWork): { id: string; statement: Statement } {
  const now = host.clock.now()
  const id = newId('work', now)
  const lane = work.lane ?? null
  const sql = `WITH turn AS (SELECT NOT EXISTS (
      SELECT 1 FROM work WHERE lane = ? AND finished_at IS NULL) AS free)
    INSERT INTO work (id, owner_id, kind, subject, lane, payload, due_at, created_at, chain_depth, status, attempt, started_at, lease_owner, lease_until)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, iif(free, 'running', 'queued'), free, iif(free, ?, NULL), iif(free, ?, NULL), iif(free, ?, NULL)
    FROM turn RETURNING *`
  const named = [id, ownerOfWork(host, work), work.kind, work.subject, lane]
  const row = [...named, JSON.stringify(work.payload ?? {}), iso(now), iso(now), host.chain_depth ?? 0]
  const lease = [iso(now), host.process.owner, iso(now + leaseTime)]
  return { id, statement: { sql, args: [lane, ...row, ...lease] } }
}

/** Queued units that their lane lets start: literal, so that the partial index is used. */
const ready = `status = 'queued' AND ready = 1`

/** The payload of a unit that has started and waits from a time on, in milliseconds since the epoch. */
const paused = `json_set(payload, '$.paused_at', ?)`

/** The payload when the unit runs again, at a time: `waited_ms` is all that it has waited. */
const resumed = `CASE WHEN payload ->> '$.paused_at' IS NULL THEN payload ELSE json_remove(
  json_set(payload, '$.waited_ms', coalesce(payload ->> '$.waited_ms', 0) + max(0, ? - (payload ->> '$.paused_at'))), '$.paused_at') END`

/** Leases due units that their lanes let start, oldest first, at most one per lane and `limit` in total. */
export async function claimDue(host: Host, { kind }: Pick<WorkKind, 'kind'>, limit: number): Promise<Work[]> {
  const now = iso(host.clock.now())
  const [written] = await host.sql.write([
    {
      sql: `UPDATE work SET status = 'running', lease_owner = ?, lease_until = ?, attempt = attempt + 1, started_at = COALESCE(started_at, ?),
          outcome = NULL, keeps_lane = 0, payload = ${resumed}
        WHERE id IN (SELECT id FROM work WHERE kind = ? AND ${ready} AND due_at <= ? ORDER BY due_at, id LIMIT ?)
        RETURNING *`,
      args: [host.process.owner, leaseEnd(host), now, host.clock.now(), kind, now, limit],
    },
  ])
  const claimed = (written?.rows ?? []) as unknown as WorkRow[]
  return claimed.map(toWork).sort(byTurn)
}

/** `RETURNING` rows are unordered. */
const byTurn = (left: Work, right: Work) => left.due_at.localeCompare(right.due_at) || left.id.localeCompare(right.id)

/** After a clock rollback: makes units due now that were queued for immediate execution. */
export function bringForward(host: Pick<Host, 'clock'>): Statement {
  const now = iso(host.clock.now())
  const sql = `UPDATE work SET due_at = ? WHERE status = 'queued' AND due_at > ? AND due_at = created_at`
  return { sql, args: [now, now] }
}

/** Kinds with due units that can start, so that an idle tick writes nothing. Reads one unit of each kind. */
export async function dueKinds(host: Host): Promise<string[]> {
  const now = iso(host.clock.now())
  const rows = await host.sql.read<{ kind: string }>(
    `WITH RECURSIVE kinds (kind) AS (
        SELECT min(kind) FROM work WHERE ${ready}
        UNION ALL SELECT (SELECT min(kind) FROM work WHERE ${ready} AND kind > kinds.kind) FROM kinds WHERE kinds.kind IS NOT NULL)
      SELECT kind FROM kinds
      WHERE kind IS NOT NULL AND EXISTS (SELECT 1 FROM work WHERE ${ready} AND kind = kinds.kind AND due_at <= ?)`,
    [now],
  )
  return rows.map((row) => row.kind)
}

/** The next due time after now, in milliseconds since the epoch; null if there is none. */
export async function nextDue(host: Host): Promise<number | null> {
  const rows = await host.sql.read<{ due_at: string | null }>(
    `SELECT min(due_at) AS due_at FROM work WHERE status = 'queued' AND due_at > ?`,
    [iso(host.clock.now())],
  )
  return rows[0]?.due_at ? Date.parse(rows[0].due_at) : null
}

export async function findWork(host: Pick<Host, 'sql'>, id: string): Promise<Work | null> {
  const [row] = await host.sql.read<WorkRow>('SELECT * FROM work WHERE id = ?', [id])
  return row ? toWork(row) : null
}

const leaseLost = 'Another process now has the lease on this work'

/** Ends an attempt. Only the lease owner can: a process that lost its lease changes nothing. */
export function settleWork(host: Host, work: Work, status: WorkStatus, outcome?: Record<string, unknown>): Statement {
  const now = host.clock.now()
  const waits = status === 'waiting'
  const end = [status, outcome ? JSON.stringify(outcome) : null, waits ? null : iso(now)]
  return {
    sql: `UPDATE work SET status = ?, outcome = ?, finished_at = ?, lease_owner = NULL, lease_until = NULL${waits ? `, payload = ${paused}` : ''}
      WHERE id = ? AND status = 'running' AND lease_owner = ?`,
    args: [...end, ...(waits ? [now] : []), work.id, host.process.owner],
    guard: leaseLost,
  }
}

/** Fails the batch if this process no longer holds the unit's lease. */
export const guardLease = (host: Host, { id }: Pick<Work, 'id'>): Statement => ({
  sql: `UPDATE work SET subject = subject WHERE id = ? AND status = 'running' AND lease_owner = ?`,
  args: [id, host.process.owner],
  guard: leaseLost,
})

type Ordered = Pick<WorkKind, 'ordered'>

/** Requeues a unit that this process runs. */
export function requeueWork(host: Host, { ordered }: Ordered, work: Work, due: number): Statement {
  return {
    sql: `UPDATE work SET status = 'queued', due_at = ?, keeps_lane = ?, lease_owner = NULL, lease_until = NULL, payload = ${paused}
      WHERE id = ? AND status = 'running' AND lease_owner = ?`,
    args: [iso(due), ordered ? 1 : 0, host.clock.now(), work.id, host.process.owner],
    guard: leaseLost,
  }
}

/** Requeues a unit that was interrupted by shutdown. The attempt does not count. */
export function giveBackWork(host: Host, work: Work): Statement {
  return {
    sql: `UPDATE work SET status = 'queued', keeps_lane = 1, attempt = attempt - 1, lease_owner = NULL, lease_until = NULL, payload = ${paused}
      WHERE id = ? AND status = 'running' AND lease_owner = ?`,
    args: [host.clock.now(), work.id, host.process.owner],
    guard: leaseLost,
  }
}

/** Returns a unit to the queue until a time, with the reason. The attempt does not count. */
export function postponeWork(
  host: Host,
  work: Work,
  { until, code, message, broken, since }: Pick<Postponed, 'until' | 'code' | 'message' | 'broken' | 'since'>,
): Statement {
  return {
    sql: `UPDATE work SET status = 'queued', due_at = ?, outcome = ?, keeps_lane = 1, attempt = attempt - 1, lease_owner = NULL, lease_until = NULL,
        payload = json_set(${paused}, '$.broken', json(?), '$.waits', json(?))
      WHERE id = ? AND status = 'running' AND lease_owner = ?`,
    args: [
      iso(until),
      JSON.stringify({ code, message }),
      host.clock.now(),
      JSON.stringify(broken ?? work.payload.broken ?? null),
      JSON.stringify(since),
      work.id,
      host.process.owner,
    ],
    guard: leaseLost,
  }
}

/** Ends a unit that is not running. */
export function endIdleWork(host: Pick<Host, 'clock'>, id: string, status: 'cancelled' | 'failed'): Statement {
  return {
    sql: `UPDATE work SET status = ?, finished_at = ? WHERE id = ? AND status IN ('queued', 'waiting')`,
    args: [status, iso(host.clock.now()), id],
    guard: 'This work has changed in the meantime',
  }
}

/** Asks the process that runs a unit to stop it. The process checks when it renews its leases. */
export const requestStop = (id: string, reason: string): Statement => ({
  sql: `UPDATE work SET stop_requested = ? WHERE id = ? AND status = 'running' AND stop_requested IS NULL`,
  args: [reason, id],
  guard: 'This work has changed in the meantime',
})

/** Queues the successor named in a unit's payload, for the commit that ends the unit. */
export function queueFollower(host: Pick<Host, 'clock'>, kind: string, subject: string): Statement {
  const now = host.clock.now()
  const sql = `INSERT INTO work (id, owner_id, kind, subject, lane, payload, status, due_at, attempt, created_at, chain_depth)
    SELECT ?, owner_id, json_extract(payload, '$.followed_by.kind'), json_extract(payload, '$.followed_by.subject'), NULL, '{}', 'queued', ?, 0, ?,
      chain_depth
    FROM work WHERE kind = ? AND subject = ? AND json_extract(payload, '$.followed_by.kind') IS NOT NULL`
  return { sql, args: [newId('work', now), iso(now), iso(now), kind, subject], wakes: true }
}

/** Requeues the unit of a kind that has waited longest. */
export const resumeOldest = (kind: string): Statement => ({
  sql: `UPDATE work SET status = 'queued', keeps_lane = 1 WHERE id = (
    SELECT id FROM work WHERE kind = ? AND status = 'waiting' AND finished_at IS NULL ORDER BY id LIMIT 1)`,
  args: [kind],
  wakes: true,
})

/** Ids of the units that this process runs, as a table. */
const ours = `SELECT value FROM json_each(?)`
const oursOf = (host: Host) => JSON.stringify(host.process.running.ids)

/** Abandoned units: their lease has expired or, with `everyone`, belongs to another owner. */
export async function lapsedWork(host: Host, everyone: boolean): Promise<Work[]> {
  const rows = await host.sql.read<WorkRow>(
    `SELECT * FROM work WHERE status = 'running' AND id NOT IN (${ours})
      AND (lease_until < ? OR (? AND lease_owner <> ?))`,
    [oursOf(host), iso(host.clock.now()), everyone ? 1 : 0, host.process.owner],
  )
  // An order in SQL would be that of the ids of all units that ever were.
  return rows.map(toWork).sort((left, right) => (left.id < right.id ? -1 : 1))
}

/** Matches the unit only as it was read; a lease that was renewed since then is still valid. */
const stillLapsed = ({ id, lease_owner, lease_until }: Work) => ({
  where: `WHERE id = ? AND status = 'running' AND lease_owner IS ? AND lease_until IS ?`,
  args: [id, lease_owner, lease_until],
  guard: 'This work has changed in the meantime',
})

export function requeueLapsed(work: Work, { ordered }: Ordered, due: number): Statement {
  const { where, args, guard } = stillLapsed(work)
  const died = Date.parse(work.lease_until ?? iso(due)) - leaseTime
  const sql = `UPDATE work SET status = 'queued', due_at = ?, keeps_lane = ?, lease_owner = NULL, lease_until = NULL, payload = ${paused} ${where}`
  return { sql, args: [iso(due), ordered ? 1 : 0, died, ...args], guard }
}

export function markLost(host: Host, work: Work): Statement {
  const { where, args, guard } = stillLapsed(work)
  const sql = `UPDATE work SET status = 'lost', finished_at = ?, lease_owner = NULL, lease_until = NULL ${where}`
  return { sql, args: [iso(host.clock.now()), ...args], guard }
}

/** Renews only the leases of running units: the lease of a unit whose end could not be stored must expire. */
export function renewLeases(host: Host): Statement {
  return {
    sql: `UPDATE work SET lease_until = ? WHERE status = 'running' AND lease_owner = ? AND id IN (${ours})
      RETURNING id, stop_requested`,
    args: [leaseEnd(host), host.process.owner, oursOf(host)],
  }
}

/** Counts by status, for metrics and the monitor. */
export async function countWork(host: Pick<Host, 'sql'>): Promise<Record<string, number>> {
  const rows = await host.sql.read<{ status: string; count: number }>(
    'SELECT status, count(*) AS count FROM work GROUP BY status',
    [],
    { long: true },
  )
  return Object.fromEntries(rows.map((row) => [row.status, row.count]))
}

/** Deletes units that ended before `before`. */
export const pruneWork = (before: string): Statement => ({
  sql: `DELETE FROM work WHERE finished_at < ?`,
  args: [before],
})

/** Units that have been due since before `before` and are not blocked by their lane, but have not started. */
export async function countOverdueWork({ sql }: Pick<Host, 'sql'>, before: string): Promise<number> {
  const rows = await sql.read<{ count: number }>(`SELECT count(*) AS count FROM work WHERE ${ready} AND due_at < ?`, [
    before,
  ])
  return rows[0]?.count ?? 0
}
