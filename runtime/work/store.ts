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
  return { id, statement: { sql, args: [...args, iso(work.due ?? now), iso(now), host.chain_depth ?? 0] } }
}

/** Like `insertWork`, but claims the unit for this process at once if its lane is free. */
export function insertLeased(host: Host & Queueing, work: NewWork): { id: string; statement: Statement } {
  const now = host.clock.now()
  const id = newId('work', now)
  const lane = work.lane ?? null
  const sql = `WITH turn AS (SELECT NOT EXISTS (
      SELECT 1 FROM work WHERE lane = ? AND status IN ('queued', 'running', 'waiting')) AS free)
    INSERT INTO work (id, owner_id, kind, subject, lane, payload, due_at, created_at, chain_depth, status, attempt, started_at, lease_owner, lease_until)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, iif(free, 'running', 'queued'), free, iif(free, ?, NULL), iif(free, ?, NULL), iif(free, ?, NULL)
    FROM turn RETURNING *`
  const named = [id, ownerOfWork(host, work), work.kind, work.subject, lane]
  const row = [...named, JSON.stringify(work.payload ?? {}), iso(now), iso(now), host.chain_depth ?? 0]
  const lease = [iso(now), host.process.owner, iso(now + leaseTime)]
  return { id, statement: { sql, args: [lane, ...row, ...lease] } }
}

const older = 'other.id < unit.id'

/** The payload of a unit that has started and waits from a time on, in milliseconds since the epoch. */
const paused = `json_set(payload, '$.paused_at', ?)`

/** The payload when the unit runs again, at a time: `waited_ms` is all that it has waited. */
const resumed = `CASE WHEN payload ->> '$.paused_at' IS NULL THEN payload ELSE json_remove(
  json_set(payload, '$.waited_ms', coalesce(payload ->> '$.waited_ms', 0) + max(0, ? - (payload ->> '$.paused_at'))), '$.paused_at') END`

/**
 * Leases due units, oldest first, at most one per lane and `limit` in total. A postponed unit, and in an `ordered` kind
 * any unit that is not due yet, blocks the later ones of its lane.
 */
export async function claimDue(
  host: Host,
  { kind, ordered }: Pick<WorkKind, 'kind' | 'ordered'>,
  limit: number,
): Promise<Work[]> {
  const now = iso(host.clock.now())
  // A postponed unit has started before the others of its lane.
  const place = (of: string) => `(${of}.outcome IS NULL, ${of}.due_at, ${of}.id)`
  const before = ordered ? older : `${place('other')} < ${place('unit')}`
  const [written] = await host.sql.write([
    {
      sql: `UPDATE work SET status = 'running', lease_owner = ?, lease_until = ?, attempt = attempt + 1, started_at = COALESCE(started_at, ?),
          outcome = NULL, payload = ${resumed}
        WHERE id IN (
          SELECT id FROM work AS unit WHERE kind = ? AND status = 'queued' AND due_at <= ? AND (lane IS NULL OR NOT EXISTS (
            SELECT 1 FROM work AS other WHERE other.lane = unit.lane AND other.id <> unit.id AND (
              other.status IN ('running', 'waiting')
              OR (other.status = 'queued' AND ${before}))))
          ORDER BY due_at, id LIMIT ?)
        RETURNING *`,
      args: [host.process.owner, leaseEnd(host), now, host.clock.now(), kind, now, limit],
    },
  ])
  const claimed = (written?.rows ?? []) as unknown as WorkRow[]
  return claimed.map(toWork).sort(byTurn)
}

/** `RETURNING` rows are unordered. */
const byTurn = (left: Work, right: Work) =>
  left.due_at.localeCompare(right.due_at) || left.id.localeCompare(right.id)

/** After a clock rollback: makes units due now that were queued for immediate execution. */
export function bringForward(host: Pick<Host, 'clock'>): Statement {
  const now = iso(host.clock.now())
  const sql = `UPDATE work SET due_at = ? WHERE status = 'queued' AND due_at > ? AND due_at = created_at`
  return { sql, args: [now, now] }
}

/** Kinds with due units, so that an idle tick writes nothing. */
export async function dueKinds(host: Host): Promise<string[]> {
  const now = iso(host.clock.now())
  const rows = await host.sql.read<{ kind: string }>(
    `SELECT DISTINCT kind FROM work WHERE status = 'queued' AND due_at <= ?`,
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
export function settleWork(
  host: Host,
  work: Work,
  status: WorkStatus,
  outcome?: Record<string, unknown>,
): Statement {
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

/** Requeues a unit that this process runs. */
export function requeueWork(host: Host, work: Work, due: number): Statement {
  return {
    sql: `UPDATE work SET status = 'queued', due_at = ?, lease_owner = NULL, lease_until = NULL, payload = ${paused}
      WHERE id = ? AND status = 'running' AND lease_owner = ?`,
    args: [iso(due), host.clock.now(), work.id, host.process.owner],
    guard: leaseLost,
  }
}

/** Requeues a unit that was interrupted by shutdown. The attempt does not count. */
export function giveBackWork(host: Host, work: Work): Statement {
  return {
    sql: `UPDATE work SET status = 'queued', attempt = attempt - 1, lease_owner = NULL, lease_until = NULL, payload = ${paused}
      WHERE id = ? AND status = 'running' AND lease_owner = ?`,
    args: [host.clock.now(), work.id, host.process.owner],
    guard: leaseLost,
  }
}

/** Returns a unit to the queue until a time, with the reason. The attempt does not count. */
export function postponeWork(
  host: Host,
  work: Work,
  { until, code, message, broken }: Pick<Postponed, 'until' | 'code' | 'message' | 'broken'>,
): Statement {
  return {
    sql: `UPDATE work SET status = 'queued', due_at = ?, outcome = ?, attempt = attempt - 1, lease_owner = NULL, lease_until = NULL,
        payload = json_set(${paused}, '$.broken', json(?))
      WHERE id = ? AND status = 'running' AND lease_owner = ?`,
    args: [
      iso(until),
      JSON.stringify({ code, message }),
      host.clock.now(),
      JSON.stringify(broken ?? work.payload.broken ?? null),
      work.id,
      host.process.owner,
    ],
    guard: leaseLost,
  }
}

/** Ends a unit that is not running. */
export function endIdleWork(
  host: Pick<Host, 'clock'>,
  id: string,
  status: 'cancelled' | 'failed',
): Statement {
  return {
    sql: `UPDATE work SET status = ?, finished_at = ? WHERE id = ? AND status IN ('queued', 'waiting')`,
    args: [status, iso(host.clock.now()), id],
    guard: 'This work has changed in the meantime',
  }
}

/** Queues the successor named in a unit's payload, for the commit that ends the unit. */
export function queueFollower(host: Pick<Host, 'clock'>, kind: string, subject: string): Statement {
  const now = host.clock.now()
  const sql = `INSERT INTO work (id, owner_id, kind, subject, lane, payload, status, due_at, attempt, created_at, chain_depth)
    SELECT ?, owner_id, json_extract(payload, '$.followed_by.kind'), json_extract(payload, '$.followed_by.subject'), NULL, '{}', 'queued', ?, 0, ?,
      chain_depth
    FROM work WHERE kind = ? AND subject = ? AND json_extract(payload, '$.followed_by.kind') IS NOT NULL`
  return { sql, args: [newId('work', now), iso(now), iso(now), kind, subject] }
}

/** Requeues the unit of a kind that has waited longest. */
export const resumeOldest = (kind: string): Statement => ({
  sql: `UPDATE work SET status = 'queued' WHERE id = (
    SELECT id FROM work WHERE kind = ? AND status = 'waiting' ORDER BY id LIMIT 1)`,
  args: [kind],
})

/** Ids of the units that this process runs, as a table. */
const ours = `SELECT value FROM json_each(?)`
const oursOf = (host: Host) => JSON.stringify(host.process.running.ids)

/** Abandoned units: their lease has expired or, with `everyone`, belongs to another owner. */
export async function lapsedWork(host: Host, everyone: boolean): Promise<Work[]> {
  const rows = await host.sql.read<WorkRow>(
    `SELECT * FROM work WHERE status = 'running' AND id NOT IN (${ours})
      AND (lease_until < ? OR (? AND lease_owner <> ?)) ORDER BY id`,
    [oursOf(host), iso(host.clock.now()), everyone ? 1 : 0, host.process.owner],
  )
  return rows.map(toWork)
}

/** Matches the unit only as it was read; a lease that was renewed since then is still valid. */
const stillLapsed = ({ id, lease_owner, lease_until }: Work) => ({
  where: `WHERE id = ? AND status = 'running' AND lease_owner IS ? AND lease_until IS ?`,
  args: [id, lease_owner, lease_until],
  guard: 'This work has changed in the meantime',
})

export function requeueLapsed(work: Work, due: number): Statement {
  const { where, args, guard } = stillLapsed(work)
  const died = Date.parse(work.lease_until ?? iso(due)) - leaseTime
  const sql = `UPDATE work SET status = 'queued', due_at = ?, lease_owner = NULL, lease_until = NULL, payload = ${paused} ${where}`
  return { sql, args: [iso(due), died, ...args], guard }
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
  )
  return Object.fromEntries(rows.map((row) => [row.status, row.count]))
}

/** Deletes units that ended before `before`. */
export const pruneWork = (before: string): Statement => ({
  sql: `DELETE FROM work WHERE finished_at < ?`,
  args: [before],
})

/** Units that have been due since before `before` and are not blocked by their lane, but have not started. */
export async function countOverdueWork(
  { sql, clock }: Pick<Host, 'sql' | 'clock'>,
  before: string,
): Promise<number> {
  const rows = await sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM work AS unit WHERE status = 'queued' AND due_at < ? AND (lane IS NULL OR NOT EXISTS (
      SELECT 1 FROM work AS other WHERE other.lane = unit.lane AND (other.status IN ('running', 'waiting')
        OR (other.status = 'queued' AND other.due_at > ? AND (other.outcome IS NOT NULL OR ${older})))))`,
    [before, iso(clock.now())],
  )
  return rows[0]?.count ?? 0
}
