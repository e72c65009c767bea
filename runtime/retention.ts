import type { Host } from './host.ts'
import type { Statement } from './ports/sql.ts'

/** Kinds of data that can be deleted by age. */
export const retentionKinds = [
  'events',
  'runs',
  'loop_runs',
  'executions',
  'recordings',
  'files',
  'file_changes',
  'model_requests',
  'logs',
] as const
export type RetentionKind = (typeof retentionKinds)[number]

export interface RetainedSize {
  rows: number
  /** Of texts and files, without the overhead of the database. */
  bytes: number
  /** `bytes` plus those of rows in the same tables that cannot be deleted yet. Absent for files. */
  table_bytes?: number
  /** The time of the oldest row that can be deleted, ISO 8601; null if there is none. */
  oldest_at: string | null
}

/** How one kind of data is measured and deleted by age. Its area defines it. */
export interface Retained {
  /** The tables whose space it takes; absent for files. */
  tables?: readonly string[]
  size(host: Host): Promise<RetainedSize>
  /** Deletes at most `limit` rows or files that are older than `before` (ISO 8601). Returns how many. */
  prune(host: Host, before: string, limit: number): Promise<number>
}

interface RetainedRows {
  tables: readonly string[]
  /** Selects all rows: `ended` (whether the row can be deleted), `at` (since when) and `bytes`. */
  rows: string
  /** Deletes at most `limit` rows that ended before `before`. */
  prune(before: string, limit: number): Statement
}

export const retainedRows = ({ tables, rows, prune }: RetainedRows): Retained => ({
  tables,
  async size({ sql }) {
    const [size] = await sql.read<RetainedSize>(
      `SELECT count(*) FILTER (WHERE ended) AS rows, coalesce(sum(bytes) FILTER (WHERE ended), 0) AS bytes,
        coalesce(sum(bytes), 0) AS table_bytes, min(at) FILTER (WHERE ended) AS oldest_at FROM (${rows})`,
      [],
      { long: true },
    )
    return size ?? { rows: 0, bytes: 0, oldest_at: null }
  },
  async prune({ sql }, before, limit) {
    const [deleted] = await sql.write([prune(before, limit)], { long: true })
    return deleted?.changes ?? 0
  },
})
