import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { iso } from '../time.ts'
import type { NewWork, Work, WorkStatus } from './schema.ts'
import { toWork, type WorkRow } from './store.ts'

/** A column of the statement that a condition becomes part of, in place of a value. */
interface Column {
  column: string
}

/** Which units are meant. Members that are absent match every unit. */
export interface WorkFilter {
  id?: string
  not_id?: string
  kind?: string | readonly string[]
  subject?: string | Column
  lane?: string | Column
  /** Default: the units that have not ended. */
  status?: WorkStatus | readonly WorkStatus[]
}

const open: readonly WorkStatus[] = ['queued', 'running', 'waiting']

function matching({ status = open, ...filter }: WorkFilter): Condition {
  const parts = Object.entries({ ...filter, status }).map(([name, wanted]) => {
    if (wanted === undefined) return { sql: 'true', args: [] }
    if (name === 'not_id') return { sql: 'work.id <> ?', args: [wanted] }
    if (Array.isArray(wanted))
      return { sql: `work.${name} IN (${wanted.map(() => '?').join(', ')})`, args: wanted }
    if (typeof wanted === 'object') return { sql: `work.${name} = ${(wanted as Column).column}`, args: [] }
    return { sql: `work.${name} = ?`, args: [wanted] }
  })
  return {
    sql: parts.map(({ sql }) => sql).join(' AND '),
    args: parts.flatMap(({ args }) => args as Value[]),
  }
}

/** True while there is such a unit; for a statement on another area's own table. */
export function hasWork(filter: WorkFilter): Condition {
  const { sql, args } = matching(filter)
  return { sql: `EXISTS (SELECT 1 FROM work WHERE ${sql})`, args }
}

/** Such units, oldest first. */
export async function listWork(host: Pick<Host, 'sql'>, filter: WorkFilter): Promise<Work[]> {
  const { sql, args } = matching(filter)
  return (await host.sql.read<WorkRow>(`SELECT * FROM work WHERE ${sql} ORDER BY id`, args)).map(toWork)
}

/** The newest unit of a kind about a subject, ended or not. */
export async function latestWork(
  host: Pick<Host, 'sql'>,
  kind: string,
  subject: string,
): Promise<Work | null> {
  const sql = 'SELECT * FROM work WHERE kind = ? AND subject = ? ORDER BY id DESC LIMIT 1'
  const [row] = await host.sql.read<WorkRow>(sql, [kind, subject])
  return row ? toWork(row) : null
}

interface Once {
  when?: Condition
  /** A queued unit that is due later does not count, so the new one runs no later than it says. */
  or_sooner?: boolean
}

/** Queues a unit unless one of its kind is queued already, or `when` does not hold. */
export function enqueueOnce(
  host: Pick<Host, 'clock'>,
  work: NewWork,
  { when, or_sooner }: Once = {},
): Statement {
  const now = host.clock.now()
  const due = iso(work.due ?? now)
  const values = [newId('work', now), work.kind, work.subject, work.lane ?? null]
  return {
    sql: `INSERT INTO work (id, kind, subject, lane, payload, status, due_at, attempt, created_at)
      SELECT ?, ?, ?, ?, ?, 'queued', ?, 0, ? WHERE (${when?.sql ?? 'true'}) AND NOT EXISTS (
        SELECT 1 FROM work WHERE kind = ? AND status = 'queued'${or_sooner ? ' AND due_at <= ?' : ''})`,
    args: [
      ...[...values, JSON.stringify(work.payload ?? {}), due, iso(now)],
      ...[...(when?.args ?? []), work.kind, ...(or_sooner ? [due] : [])],
    ],
  }
}

/** Makes the batch that inserts the unit `id` fail with `guard` while another unit of its kind is open. */
export function guardOnlyWork(kind: string, id: string, guard: string): Statement {
  const others = hasWork({ kind, not_id: id })
  return {
    sql: `UPDATE work SET subject = subject WHERE id = ? AND NOT ${others.sql}`,
    args: [id, ...others.args],
    guard,
  }
}

/** Lets waiting units run again. */
export function resumeWork(filter: Omit<WorkFilter, 'status'>, when?: Condition): Statement {
  const { sql, args } = matching({ ...filter, status: 'waiting' })
  return {
    sql: `UPDATE work SET status = 'queued' WHERE ${sql} AND (${when?.sql ?? 'true'})`,
    args: [...args, ...(when?.args ?? [])],
  }
}

/** Moves the due time of queued units; `due` is an expression of SQL that may name columns of `work`. */
export function rescheduleWork(filter: Omit<WorkFilter, 'status'>, due: string, when: string): Statement {
  const { sql, args } = matching({ ...filter, status: 'queued' })
  return { sql: `UPDATE work SET due_at = ${due} WHERE ${sql} AND (${when})`, args }
}

/** Deletes queued units that are no longer wanted. */
export function dropQueuedWork(filter: Omit<WorkFilter, 'status'>): Statement {
  const { sql, args } = matching({ ...filter, status: 'queued' })
  return { sql: `DELETE FROM work WHERE ${sql}`, args }
}

/** Ends queued units without running them; their kind is not asked. */
export function cancelQueuedWork(host: Pick<Host, 'clock'>, filter: Omit<WorkFilter, 'status'>): Statement {
  const { sql, args } = matching({ ...filter, status: 'queued' })
  return {
    sql: `UPDATE work SET status = 'cancelled', finished_at = ? WHERE ${sql}`,
    args: [iso(host.clock.now()), ...args],
  }
}
