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
  'logs',
] as const
export type RetentionKind = (typeof retentionKinds)[number]

export interface RetainedSize {
  rows: number
  /** Of texts and files; an estimate, without the overhead of the database. */
  bytes: number
  /** The time of the oldest row that can be deleted, ISO 8601; null if there is none. */
  oldest_at: string | null
}

/** How one kind of data is measured and deleted by age. Its area defines it. */
export interface Retained {
  size(host: Host): Promise<RetainedSize>
  /**
   * Deletes files that are older than `before` (ISO 8601), at most `limit` where each needs a commit, and returns the
   * statements that delete the rows.
   */
  prune(host: Host, before: string, limit: number): Promise<readonly Statement[]>
}

/** A `Retained` from a statement that counts the rows, the bytes and the oldest, and one that deletes them. */
export const retainedRows = (size: string, prune: (before: string) => Statement): Retained => ({
  async size({ sql }) {
    const [row] = await sql.read<RetainedSize>(size)
    return { rows: row?.rows ?? 0, bytes: row?.bytes ?? 0, oldest_at: row?.oldest_at ?? null }
  },
  prune: async (_, before) => [prune(before)],
})
