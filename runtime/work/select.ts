import { nobody } from '../auth/owner.ts'
import type { Host } from '../host.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { allOf, raw, readRows, sql } from '../statement.ts'
import type { Sql } from '../table.ts'
import { iso } from '../time.ts'
import { defined } from '../values.ts'
import type { NewWork, Wait, Work, WorkStatus } from './schema.ts'
import { type Queueing, queuedRow, units } from './store.ts'

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
  const statuses = [status].flat()
  const parts = Object.entries(filter).map(([name, value]) => {
    if (value === undefined) return { sql: 'true', args: [] }
    if (name === 'not_id') return { sql: 'work.id <> ?', args: [value] }
    if (name === 'delegated_by') return { sql: `work.payload ->> '$.delegated_by.message_id' = ?`, args: [value] }
    if (Array.isArray(value)) return { sql: `work.${name} IN (${value.map(() => '?').join(', ')})`, args: value }
    if (typeof value === 'object') return { sql: `work.${name} = ${(value as Column).column}`, args: [] }
    return { sql: `work.${name} = ?`, args: [value] }
  })
  parts.push({ sql: amongOf(statuses), args: [] })
  // So that only the index of what has not ended is read.
  if (statuses.every((one) => open.includes(one))) parts.push({ sql: 'work.finished_at IS NULL', args: [] })
  return {
    sql: parts.map(({ sql }) => sql).join(' AND '),
    args: parts.flatMap(({ args }) => args as Value[]),
  }
}

/**
 * Literal: with an argument, SQLite compiles the statement again at each call, to see which of the indexes for one status it
 * may use.
 */
const amongOf = (statuses: readonly WorkStatus[]): string => {
  const [first, ...others] = statuses.map((status) => `'${status}'`)
  return others.length === 0 ? `work.status = ${first}` : `work.status IN (${[first, ...others].join(', ')})`
}

/** An SQL condition that is true while such a unit exists; for a statement on another area's table. */
export const hasWork = (filter: WorkFilter): Condition => sql`EXISTS (SELECT 1 FROM work WHERE ${matching(filter)})`

/** An SQL value: the `Wait` of a postponed unit as JSON, or null. For a statement on another area's table. */
export const waitOf = (filter: Omit<WorkFilter, 'status'>): Condition =>
  sql`(SELECT json_object('until', due_at, 'code', outcome ->> 'code', 'message', outcome ->> 'message') FROM work
    WHERE ${matching({ ...filter, status: 'queued' })} AND outcome IS NOT NULL ORDER BY due_at LIMIT 1)`

/** Why a unit was postponed, and until when; null if it was not. */
export const waitIn = ({ status, due_at, outcome }: Work): Wait | null =>
  status === 'queued' && outcome !== null
    ? { until: due_at, code: String(outcome.code), message: String(outcome.message) }
    : null

/** The matching units, oldest first. */
export const listWork = (host: Sql, filter: WorkFilter): Promise<Work[]> => units.list(host, 'id', matching(filter))

/** The units about these subjects, ended or not, and those that are followed by one of them. */
export async function unitsAbout(host: Sql, subjects: readonly string[]): Promise<Work[]> {
  const among = sql`IN (SELECT value FROM json_each(${JSON.stringify(subjects)}))`
  const rows = await readRows(
    host,
    sql`SELECT * FROM work WHERE subject ${among}
      UNION SELECT * FROM work WHERE payload ->> '$.followed_by.subject' ${among}`,
  )
  return rows.map((row) => units.decode(row))
}

/** The newest unit of a kind for a subject, ended or not. */
export const latestWork = (host: Sql, kind: string, subject: string) => units.first(host, 'id DESC', { kind, subject })

interface Once {
  when?: Condition
  /** Ignore queued units that are due later, so that the new one runs no later than its due time. */
  or_sooner?: boolean
  /** Count only queued units for the same subject. */
  per_subject?: boolean
}

/** Queues a unit if `when` is true and no unit of its kind (and subject) is queued. */
export function enqueueOnce(host: Queueing, work: NewWork, { when, or_sooner, per_subject }: Once = {}): Statement {
  // One unit works for all owners, so it belongs to none of them.
  const row = queuedRow(host, work, work.owner_id ?? nobody)
  const queued = allOf([
    sql`kind = ${work.kind} AND status = 'queued' AND finished_at IS NULL`,
    ...(or_sooner ? [sql`due_at <= ${row.due_at}`] : []),
    ...(per_subject ? [sql`subject = ${work.subject}`] : []),
  ])
  const once = sql`(${when ?? raw('true')}) AND NOT EXISTS (SELECT 1 FROM work WHERE ${queued})`
  return { ...units.insert({ ...row, chain_depth: per_subject ? row.chain_depth : 0 }, '', once), wakes: true }
}

/** Fails the batch that inserts the unit `id` with `guard` if another unit of its kind (and subject) has not ended. */
export const guardOnlyWork = (kind: string, id: string, guard: string, subject?: string): Statement =>
  units.update({ subject: sql`subject` }, [{ id }, noneOf(defined({ kind, not_id: id, subject }))], guard)

const noneOf = (filter: WorkFilter) => sql`NOT ${hasWork(filter)}`

/** Requeues waiting units. */
export const resumeWork = (filter: Omit<WorkFilter, 'status'>, when?: Condition): Statement => ({
  ...units.update({ status: 'queued', keeps_lane: 1 }, [
    matching({ ...filter, status: 'waiting' }),
    sql`(${when ?? raw('true')})`,
  ]),
  wakes: true,
})

/** Changes the due time of queued units. `due` is an SQL expression that may use columns of `work`. */
export const rescheduleWork = (filter: Omit<WorkFilter, 'status'>, due: string, when: string): Statement => ({
  ...units.update({ due_at: raw(due) }, [matching({ ...filter, status: 'queued' }), `(${when})`]),
  wakes: true,
})

/** Deletes queued units that are no longer needed. */
export const dropQueuedWork = (filter: Omit<WorkFilter, 'status'>): Statement =>
  units.delete(matching({ ...filter, status: 'queued' }))

/** Cancels queued units without calling their kind's `ended`. */
export const cancelQueuedWork = (host: Pick<Host, 'clock'>, filter: Omit<WorkFilter, 'status'>): Statement =>
  units.update({ status: 'cancelled', finished_at: iso(host.clock.now()) }, matching({ ...filter, status: 'queued' }))
