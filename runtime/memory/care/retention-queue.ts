import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'

/** Kind of the work that forgets what is too much, too old or worth too little. */
export const retentionKind = 'memory.retention'

/** Has it run at a time at the latest: one that waits for a later one is brought forward. */
export function queueRetention(host: Pick<Host, 'clock'>, due: number): Statement {
  const now = host.clock.now()
  const at = iso(due)
  return {
    sql: `INSERT INTO work (id, kind, subject, lane, payload, status, due_at, attempt, created_at)
      SELECT ?, ?, 'memory', NULL, '{}', 'queued', ?, 0, ? WHERE NOT EXISTS (
        SELECT 1 FROM work WHERE kind = ? AND status = 'queued' AND due_at <= ?)`,
    args: [newId('work', now), retentionKind, at, iso(now), retentionKind, at],
  }
}
