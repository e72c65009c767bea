import type { Statement } from '../ports/sql.ts'
import type { Sql } from '../table.ts'

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
