import type { Caller } from '../auth/caller.ts'
import { nobody, ownerOf } from '../auth/owner.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { raw, sql } from '../statement.ts'
import { Table } from '../table.ts'
import { iso, minute, second } from '../time.ts'
import type { WorkKind } from './kind.ts'
import type { Postponed } from './postponed.ts'
import type { NewWork, Work, WorkStatus } from './schema.ts'

/** Milliseconds without a lease renewal after which a process counts as dead. */
export const leaseTime = 1 * minute

/**
 * A process that cannot renew a lease gives its unit up this many milliseconds before it ends: more than a request to a
 * database server takes at most, and than clocks of machines differ.
 */
export const leaseMargin = 25 * second

const leaseEnd = (host: Pick<Host, 'clock'>) => iso(host.clock.now() + leaseTime)

export const units = new Table<Work, WorkColumn>('work', { json: ['payload', 'outcome'] })
type WorkColumn = 'keeps_lane' | 'ready'

/** The originator of queued work: a context, or a host for the daemon's own work. */
export type Queueing = Pick<Host, 'clock'> & { caller?: Caller; chain_depth?: number }

export const ownerOfWork = ({ caller }: { caller?: Caller }, { owner_id }: NewWork): string =>
  owner_id ?? (caller ? ownerOf({ caller }) : nobody)

/** The statement that queues a unit, for the same commit as the change that causes it. */
export function insertWork(host: Queueing, work: NewWork): { id: string; statement: Statement } {
  const row = queuedRow(host, work, ownerOfWork(host, work))
  return { id: row.id, statement: { ...units.insert(row), wakes: true } }
}

/** A unit that is queued, as it is stored. */
export function queuedRow(host: Queueing, work: NewWork, owner_id: string) {
  const now = host.clock.now()
  const { kind, subject, lane, payload = {}, due = now } = work
  return {
    ...{ id: newId('work', now), owner_id, kind, subject, lane: lane ?? null, payload, status: 'queued' as const },
    ...{ due_at: iso(due), attempt: 0, created_at: iso(now), chain_depth: host.chain_depth ?? 0 },
  }
}

/** Like `insertWork`, but claims the unit for this process at once if its lane is free. */
export function insertLeased(
  host: Host & Queueing,
  { due: _, ...work }: NewWork,
): { id: string; statement: Statement } {
  const row = queuedRow(host, work, ownerOfWork(host, work))
  // Once the row exists, its lane is no longer free.
  const free = sql`NOT EXISTS (SELECT 1 FROM work WHERE lane = ${row.lane} AND finished_at IS NULL)`
  const leased = (value: string) => sql`iif(${free}, ${value}, NULL)`
  const claimed = {
    status: sql`iif(${free}, 'running', 'queued')`,
    attempt: free,
    started_at: leased(row.created_at),
    lease_owner: leased(host.process.owner),
    lease_until: leased(leaseEnd(host)),
  }
  return { id: row.id, statement: units.insert({ ...row, ...claimed }, 'RETURNING *') }
}

/** A unit that runs already, in a lane of its own, and is stored later by this statement. */
export function runningUnit(host: Host & Queueing, { due: _, ...work }: NewWork): { work: Work; statement: Statement } {
  const row = queuedRow(host, work, ownerOfWork(host, work))
  const claimed = {
    status: 'running' as const,
    attempt: 1,
    started_at: row.created_at,
    lease_owner: host.process.owner,
    lease_until: leaseEnd(host),
  }
  const unit = { ...row, ...claimed }
  return { work: { ...unit, finished_at: null, outcome: null, stop_requested: null }, statement: units.insert(unit) }
}

/** Queued units that their lane lets start: literal, so that the partial index is used. */
const ready = `status = 'queued' AND ready = 1`

/** The payload of a unit that has started and waits from a time on, in milliseconds since the epoch. */
const pausedAt = (now: number) => sql`json_set(payload, '$.paused_at', ${now})`

/** The payload when the unit runs again, at a time: `waited_ms` is all that it has waited. */
const resumedAt = (now: number) => sql`CASE WHEN payload ->> '$.paused_at' IS NULL THEN payload ELSE json_remove(
  json_set(payload, '$.waited_ms', coalesce(payload ->> '$.waited_ms', 0) + max(0, ${now} - (payload ->> '$.paused_at'))),
  '$.paused_at') END`

/** Leases due units that their lanes let start, oldest first, at most one per lane and `limit` in total. */
export async function claimDue(host: Host, { kind }: Pick<WorkKind, 'kind'>, limit: number): Promise<Work[]> {
  const now = iso(host.clock.now())
  const claim = units.update(
    {
      status: 'running',
      lease_owner: host.process.owner,
      lease_until: leaseEnd(host),
      attempt: sql`attempt + 1`,
      started_at: sql`coalesce(started_at, ${now})`,
      outcome: null,
      keeps_lane: 0,
      payload: resumedAt(host.clock.now()),
    },
    sql`id IN (SELECT id FROM work WHERE kind = ${kind} AND ${raw(ready)} AND due_at <= ${now} ORDER BY due_at, id LIMIT ${limit})
      RETURNING *`,
  )
  const [written] = await host.sql.write([claim])
  return (written?.rows ?? []).map((row) => units.decode(row)).sort(byTurn)
}

/** `RETURNING` rows are unordered. */
const byTurn = (left: Work, right: Work) => left.due_at.localeCompare(right.due_at) || left.id.localeCompare(right.id)

/** After a clock rollback: makes units due now that were queued for immediate execution. */
export function bringForward(host: Pick<Host, 'clock'>): Statement {
  const now = iso(host.clock.now())
  return units.update({ due_at: now }, sql`status = 'queued' AND due_at > ${now} AND due_at = created_at`)
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
  const later = sql`status = 'queued' AND due_at > ${iso(host.clock.now())}`
  const [due] = await units.values(host, 'due_at', 'due_at LIMIT 1', later)
  return due === undefined ? null : Date.parse(due)
}

export const findWork = (host: Pick<Host, 'sql'>, id: string) => units.find(host, { id })

const leaseLost = 'Another process now has the lease on this work'

/** Changes a unit that this process runs. Only the lease owner can: a process that lost its lease changes nothing. */
const changeOwn = (host: Host, { id }: Pick<Work, 'id'>, change: Parameters<typeof units.update>[0]): Statement =>
  units.update(change, [{ id }, `status = 'running'`, { lease_owner: host.process.owner }], leaseLost)

const unleased = { lease_owner: null, lease_until: null }

/** Ends an attempt. */
export function settleWork(host: Host, work: Work, status: WorkStatus, outcome?: Record<string, unknown>): Statement {
  const now = host.clock.now()
  const end = status === 'waiting' ? { finished_at: null, payload: pausedAt(now) } : { finished_at: iso(now) }
  return changeOwn(host, work, { status, outcome: outcome ?? null, ...unleased, ...end })
}

/** Fails the batch if this process no longer holds the unit's lease. */
export const guardLease = (host: Host, work: Pick<Work, 'id'>): Statement =>
  changeOwn(host, work, { subject: sql`subject` })

type Ordered = Pick<WorkKind, 'ordered'>

/** Requeues a unit that this process runs. */
export const requeueWork = (host: Host, { ordered }: Ordered, work: Work, due: number): Statement =>
  changeOwn(host, work, {
    status: 'queued',
    due_at: iso(due),
    keeps_lane: ordered ? 1 : 0,
    ...unleased,
    payload: pausedAt(host.clock.now()),
  })

/** Back in the queue before the others of its lane. The attempt does not count. */
const givenBack = { status: 'queued', keeps_lane: 1, attempt: sql`attempt - 1`, ...unleased } as const

/** Requeues a unit that was interrupted by shutdown. */
export const giveBackWork = (host: Host, work: Work): Statement =>
  changeOwn(host, work, { ...givenBack, payload: pausedAt(host.clock.now()) })

/** Returns a unit to the queue until a time, with the reason. */
export function postponeWork(
  host: Host,
  work: Work,
  { until, code, message, broken, since }: Pick<Postponed, 'until' | 'code' | 'message' | 'broken' | 'since'>,
): Statement {
  const progress = JSON.stringify(broken ?? work.payload.broken ?? null)
  return changeOwn(host, work, {
    ...givenBack,
    due_at: iso(until),
    outcome: { code, message },
    payload: sql`json_set(${pausedAt(host.clock.now())}, '$.broken', json(${progress}), '$.waits', json(${JSON.stringify(since)}))`,
  })
}

/** Ends a unit that is not running. */
export const endIdleWork = (host: Pick<Host, 'clock'>, id: string, status: 'cancelled' | 'failed'): Statement =>
  units.update(
    { status, finished_at: iso(host.clock.now()) },
    [{ id }, `status IN ('queued', 'waiting')`],
    'This work has changed in the meantime',
  )

/** Asks the process that runs a unit to stop it. The process checks when it renews its leases. */
export const requestStop = (id: string, stop_requested: string): Statement =>
  units.update(
    { stop_requested },
    [{ id }, `status = 'running' AND stop_requested IS NULL`],
    'This work has changed in the meantime',
  )

/** Queues the successor named in a unit's payload, for the commit that ends the unit. */
export function queueFollower(host: Pick<Host, 'clock'>, kind: string, subject: string): Statement {
  const now = host.clock.now()
  return {
    ...sql`INSERT INTO work (id, owner_id, kind, subject, lane, payload, status, due_at, attempt, created_at, chain_depth)
      SELECT ${newId('work', now)}, owner_id, payload ->> '$.followed_by.kind', payload ->> '$.followed_by.subject', NULL, '{}',
        'queued', ${iso(now)}, 0, ${iso(now)}, chain_depth
      FROM work WHERE kind = ${kind} AND subject = ${subject} AND payload ->> '$.followed_by.kind' IS NOT NULL`,
    wakes: true,
  }
}

/** Requeues the unit of a kind that has waited longest. */
export const resumeOldest = (kind: string): Statement => ({
  ...units.update(
    { status: 'queued', keeps_lane: 1 },
    sql`id = (SELECT id FROM work WHERE kind = ${kind} AND status = 'waiting' AND finished_at IS NULL ORDER BY id LIMIT 1)`,
  ),
  wakes: true,
})

/** Ids of the units that this process runs, as a table. */
const oursOf = (host: Host) => sql`(SELECT value FROM json_each(${JSON.stringify(host.process.running.ids)}))`

/** Abandoned units: their lease has expired or, with `everyone`, belongs to another owner. */
export function lapsedWork(host: Host, everyone: boolean): Promise<Work[]> {
  const lapsed = sql`status = 'running' AND id NOT IN ${oursOf(host)}
    AND (lease_until < ${iso(host.clock.now())} OR (${Number(everyone)} AND lease_owner <> ${host.process.owner}))`
  // The plus keeps SQLite from reading the ids of all units that ever were in their order.
  return units.list(host, '+id', lapsed)
}

/** Changes a unit only as it was read; a lease that was renewed since then is still valid. */
const changeLapsed = ({ id, lease_owner, lease_until }: Work, change: Parameters<typeof units.update>[0]): Statement =>
  units.update(
    { ...change, ...unleased },
    [{ id }, `status = 'running'`, { lease_owner, lease_until }],
    'This work has changed in the meantime',
  )

export function requeueLapsed(work: Work, { ordered }: Ordered, due: number): Statement {
  const died = Date.parse(work.lease_until ?? iso(due)) - leaseTime
  const keeps_lane = ordered ? 1 : 0
  return changeLapsed(work, { status: 'queued', due_at: iso(due), keeps_lane, payload: pausedAt(died) })
}

export const markLost = (host: Host, work: Work): Statement =>
  changeLapsed(work, { status: 'lost', finished_at: iso(host.clock.now()) })

/** Renews only the leases of running units: the lease of a unit whose end could not be stored must expire. */
export const renewLeases = (host: Host): Statement =>
  units.update(
    { lease_until: leaseEnd(host) },
    sql`status = 'running' AND lease_owner = ${host.process.owner} AND id IN ${oursOf(host)} RETURNING id, stop_requested`,
  )

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
export const pruneWork = (before: string): Statement => units.delete(sql`finished_at < ${before}`)

/** Units that have been due since before `before` and are not blocked by their lane, but have not started. */
export const countOverdueWork = (host: Pick<Host, 'sql'>, before: string): Promise<number> =>
  units.count(host, ready, sql`due_at < ${before}`)
