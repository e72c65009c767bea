import type { Statement } from '../ports/sql.ts'

export interface KeptRows {
  /** ISO 8601: older rows are deleted. */
  before: string
  /** ISO 8601: newer rows are kept, however many they are. */
  recent: string
  /** Rows of one hook or webhook that are kept for longer than that. */
  count: number
}

interface Log {
  table: string
  /** The column of the hook or webhook. */
  owner: string
  /** The column of the time. */
  at: string
}

/** Deletes old rows of a log, and those beyond a number for each hook or webhook. What waits is kept until it is old. */
export const pruneLog = ({ table, owner, at }: Log, { before, recent, count }: KeptRows): Statement[] => [
  { sql: `DELETE FROM ${table} WHERE ${at} < ?`, args: [before] },
  {
    sql: `DELETE FROM ${table} WHERE id IN (
      SELECT id FROM (SELECT id, ${at} AS at, status, row_number() OVER (PARTITION BY ${owner} ORDER BY id DESC) AS place FROM ${table})
      WHERE place > ? AND at < ? AND status <> 'pending')`,
    args: [count, recent],
  },
]
