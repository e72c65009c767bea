import { nobody } from '../auth/owner.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { iso } from '../time.ts'
import type { NewWork, Wait, Work, WorkStatus } from './schema.ts'
import { type Queueing, toWork, type WorkRow } from './store.ts'

/** A column of the enclosing statement, used instead of a value. */
interface Column {
  column: string
}

/** Selects units. Absent fields match every unit. */
export interface WorkFilter {
  id?: string
  not_id?: string
  owner_id?: string
  kind?: string | readonly string[]
  subject?: string | Column
  lane?: string | Column
  /** The message whose tool call queued it. */
  delegated_by?: string
  /** Default: all units that have not ended. */
  status?: WorkStatus | readonly WorkStatus[]
}

const open: readonly WorkStatus[] = ['queued', 'running', 'waiting']

function matching({ status = open, ...filter }: WorkFilter): Condition {
  const parts = Object.entries({ ...filter, status }).map(([name, value]) => {
    if (value === undefined) return { sql: 'true', args: [] }
    if (name === 'not_id') return { sql: 'work.id <> ?', args: [value] }
    if (name === 'delegated_by') return { sql: `work.payload ->> '$.delegated_by.message_id' = ?`, args: [value] }
    if (Array.isArray(value)) return { sql: `work.${name} IN (${value.map(() => '?').join(', ')})`, args: value }
    if (typeof value === 'object') return { sql: `work.${name} = ${(value as Column).column}`, args: [] }
    return { sql: `work.${name} = ?`, args: [value] }
  })
  // So that only the index of what has not ended is read.
  if ([status].flat().every((one) => open.includes(one))) parts.push({ sql: 'work.finished_at IS NULL', args: [] })
  return {
    sql: parts.map(({ sql }) => sql).join(' AND '),
    args: parts.flatMap(({ args }) => args as Value[]),
  }
}

/** An SQL condition that is true while such a unit exists; for a statement on another area's table. */
export function hasWork(filter: WorkFilter): Condition {
  const { sql, args } = matching(filter)
  return { sql: `EXISTS (SELECT 1 FROM work WHERE ${sql})`, args }
}

/** An SQL value: the `Wait` of a postponed unit as JSON, or null. For a statement on another area's table. */
export function waitOf(filter: Omit<WorkFilter, 'status'>): Condition {
  const { sql, args } = matching({ ...filter, status: 'queued' })
  const wait = `json_object('until', due_at, 'code', outcome ->> 'code', 'message', outcome ->> 'message')`
  return {
    sql: `(SELECT ${wait} FROM work WHERE ${sql} AND outcome IS NOT NULL ORDER BY due_at LIMIT 1)`,
    args,
  }
}

/** Why a unit was postponed, and until when; null if it was not. */
export const waitIn = ({ status, due_at, outcome }: Work): Wait | null =>
  status === 'queued' && outcome !== null
    ? { until: due_at, code: String(outcome.code), message: String(outcome.message) }
    : null

/** The matching units, oldest first. */
export async function listWork(host: Pick<Host, 'sql'>, filter: WorkFilter): Promise<Work[]> {
  const { sql, args } = matching(filter)
  return (await host.sql.read<WorkRow>(`SELECT * FROM work WHERE ${sql} ORDER BY id`, args)).map(toWork)
}

/** The units about these subjects, ended or not, and those that are followed by one of them. */
export async function unitsAbout(host: Pick<Host, 'sql'>, subjects: readonly string[]): Promise<Work[]> {
  const ids = JSON.stringify(subjects)
  const among = 'IN (SELECT value FROM json_each(?))'
  const sql = `SELECT * FROM work WHERE subject ${among}
    UNION SELECT * FROM work WHERE payload ->> '$.followed_by.subject' ${among}`
  return (await host.sql.read<WorkRow>(sql, [ids, ids])).map(toWork)
}

/** The newest unit of a kind for a subject, ended or not. */
export async function latestWork(host: Pick<Host, 'sql'>, kind: string, subject: string): Promise<Work | null> {
  const sql = 'SELECT * FROM work WHERE kind = ? AND subject = ? ORDER BY id DESC LIMIT 1'
  const [row] = await host.sql.read<WorkRow>(sql, [kind, subject])
  return row ? toWork(row) : null
}

interface Once {
  when?: Condition
  /** Ignore queued units that are due later, so that the new one runs no later than its due time. */
  or_sooner?: boolean
  /** Count only queued units for the same subject. */
  per_subject?: boolean
}

/** Queues a unit if `when` is true and no unit of its kind (and subject) is queued. */
export function enqueueOnce(host: Queueing, work: NewWork, { when, or_sooner, per_subject }: Once = {}): Statement {
  const now = host.clock.now()
  const due = iso(work.due ?? now)
  // One unit works for all owners, so it belongs to none of them.
  const values = [newId('work', now), work.owner_id ?? nobody, work.kind, work.subject, work.lane ?? null]
  return {
    sql: `INSERT INTO work (id, owner_id, kind, subject, lane, payload, status, due_at, attempt, created_at, chain_depth)
      SELECT ?, ?, ?, ?, ?, ?, 'queued', ?, 0, ?, ? WHERE (${when?.sql ?? 'true'}) AND NOT EXISTS (
        SELECT 1 FROM work WHERE kind = ? AND status = 'queued' AND finished_at IS NULL${or_sooner ? ' AND due_at <= ?' : ''}${per_subject ? ' AND subject = ?' : ''})`,
    args: [
      ...[...values, JSON.stringify(work.payload ?? {}), due, iso(now)],
      per_subject ? (host.chain_depth ?? 0) : 0,
      ...[...(when?.args ?? []), work.kind, ...(or_sooner ? [due] : []), ...(per_subject ? [work.subject] : [])],
    ],
    wakes: true,
  }
}

/** Fails the batch that inserts the unit `id` with `guard` if another unit of its kind (and subject) has not ended. */
export function guardOnlyWork(kind: string, id: string, guard: string, subject?: string): Statement {
  const others = hasWork({ kind, not_id: id, ...(subject === undefined ? {} : { subject }) })
  return {
    sql: `UPDATE work SET subject = subject WHERE id = ? AND NOT ${others.sql}`,
    args: [id, ...others.args],
    guard,
  }
}

/** Requeues waiting units. */
export function resumeWork(filter: Omit<WorkFilter, 'status'>, when?: Condition): Statement {
  const { sql, args } = matching({ ...filter, status: 'waiting' })
  return {
    sql: `UPDATE work SET status = 'queued', keeps_lane = 1 WHERE ${sql} AND (${when?.sql ?? 'true'})`,
    args: [...args, ...(when?.args ?? [])],
    wakes: true,
  }
}

/** Changes the due time of queued units. `due` is an SQL expression that may use columns of `work`. */
export function rescheduleWork(filter: Omit<WorkFilter, 'status'>, due: string, when: string): Statement {
  const { sql, args } = matching({ ...filter, status: 'queued' })
  return { sql: `UPDATE work SET due_at = ${due} WHERE ${sql} AND (${when})`, args, wakes: true }
}

/** Deletes queued units that are no longer needed. */
export function dropQueuedWork(filter: Omit<WorkFilter, 'status'>): Statement {
  const { sql, args } = matching({ ...filter, status: 'queued' })
  return { sql: `DELETE FROM work WHERE ${sql}`, args }
}

/** Cancels queued units without calling their kind's `ended`. */
export function cancelQueuedWork(host: Pick<Host, 'clock'>, filter: Omit<WorkFilter, 'status'>): Statement {
  const { sql, args } = matching({ ...filter, status: 'queued' })
  return {
    sql: `UPDATE work SET status = 'cancelled', finished_at = ? WHERE ${sql}`,
    args: [iso(host.clock.now()), ...args],
  }
}
