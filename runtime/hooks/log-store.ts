import { owned } from '../auth/owner.ts'
import { type Automation, maxAutomations } from '../automation.ts'
import type { Statement } from '../ports/sql.ts'
import type { RunSummary, RunsFilter } from '../run-summary.ts'
import { raw, readRows, sql } from '../statement.ts'
import type { Reader, Sql } from '../table.ts'

export interface KeptRows {
  /** ISO 8601: older rows are deleted. */
  before: string
  /** ISO 8601: newer rows are always kept. */
  recent: string
  /** Maximum older rows kept per hook or webhook. */
  count: number
}

export interface Log {
  table: string
  /** The column with the id of the hook or webhook. */
  owner: string
  /** The column with the time. */
  at: string
}

/** Deletes old rows of a log, and rows beyond the limit per hook or webhook. Pending rows are kept until they are old. */
export const pruneLog = ({ table, owner, at }: Log, { before, recent, count }: KeptRows): Statement[] => [
  { sql: `DELETE FROM ${table} WHERE ${at} < ?`, args: [before] },
  {
    sql: `DELETE FROM ${table} WHERE id IN (
      SELECT id FROM (SELECT id, ${at} AS at, status, row_number() OVER (PARTITION BY ${owner} ORDER BY id DESC) AS place FROM ${table})
      WHERE place > ? AND at < ? AND status <> 'pending')`,
    args: [count, recent],
  },
]

/** How many rows of a log one owner has, how many of them failed, and when the latest was made. */
export async function countLog({ sql }: Sql, { table, owner, at }: Log, id: string) {
  const [row] = await sql.read<{ count: number; failed: number; last_at: string | null }>(
    `SELECT count(*) AS count, coalesce(sum(status = 'failed'), 0) AS failed, max(${at}) AS last_at
      FROM ${table} WHERE ${owner} = ?`,
    [id],
  )
  return row ?? { count: 0, failed: 0, last_at: null }
}

/** A log and what it belongs to, as all areas list their automations and runs. */
export interface Listed {
  kind: 'hook' | 'webhook'
  log: Log
  /** The table of the hooks or webhooks. */
  parents: string
  /** Address of the page of one of them, without its id. */
  page: string
}

/** The rows of a log of all the caller's hooks or webhooks, as runs. */
export function summarizeLog(
  context: Reader,
  { state, since, limit }: RunsFilter,
  { kind, log: { table, owner, at }, parents, page }: Listed,
): Promise<RunSummary[]> {
  const recent = sql`log.${raw(at)} > ${since}`
  const matching = {
    open: sql`log.status = 'pending'`,
    failed: sql`log.status = 'failed' AND ${recent}`,
    all: recent,
  }[state]
  return readRows(
    context,
    sql`SELECT ${kind} AS kind, own.id, log.id AS run_id, own.settings ->> 'name' AS name, log.status, log.error AS detail,
        log.${raw(at)} AS at, ${page} || own.id AS href
      FROM ${raw(parents)} AS own JOIN ${raw(table)} AS log ON log.${raw(owner)} = own.id
      WHERE ${owned(context)} AND ${matching} ORDER BY log.id DESC LIMIT ${limit}`,
  )
}

/** The caller's hooks or webhooks as automations. */
export async function listAutomations(
  context: Reader,
  { kind, log: { table, owner, at }, parents, page }: Listed,
): Promise<Automation[]> {
  const rows = await readRows<{
    id: string
    name: string
    events: string
    does: string
    enabled: number
    last: string | null
  }>(
    context,
    sql`SELECT id, settings ->> 'name' AS name, coalesce(settings -> 'events', '[]') AS events,
        coalesce(settings ->> '$.action.kind', '') AS does, enabled,
        (SELECT json_array(${raw(at)}, status) FROM ${raw(table)} AS log WHERE log.${raw(owner)} = own.id
          ORDER BY log.id DESC LIMIT 1) AS last
      FROM ${raw(parents)} AS own WHERE ${owned(context)} ORDER BY id DESC LIMIT ${maxAutomations}`,
  )
  return rows.map(({ id, name, events, does, enabled, last }) => {
    const [last_run_at, last_status]: [string | null, string | null] = JSON.parse(last ?? '[null, null]')
    return {
      kind,
      id,
      name,
      starts: JSON.parse(events),
      does,
      enabled: enabled === 1,
      last_run_at,
      last_status,
      next_run_at: null,
      href: page + id,
    }
  })
}
