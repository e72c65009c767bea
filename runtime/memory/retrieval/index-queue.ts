import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'

/** Kind of the work that indexes what is new. */
export const indexKind = 'memory.index'

/**
 * Asks for the indexing of what is new, for the commit that adds or changes episodes; `host.process.wake()` belongs
 * behind it. One unit that waits is enough for any number of changes.
 */
export function queueIndex(host: Pick<Host, 'clock'>): Statement {
  return insertUnit(host, '1')
}

/** The same where something waits to be indexed, for the start: an upgrade, or a crash before the last unit ran. */
export const queueLeftIndex = (host: Pick<Host, 'clock'>): Statement =>
  insertUnit(
    host,
    'EXISTS (SELECT 1 FROM vectors_pending) OR EXISTS (SELECT 1 FROM episodes WHERE pairs IS NULL)',
  )

function insertUnit(host: Pick<Host, 'clock'>, condition: string): Statement {
  const now = host.clock.now()
  return {
    sql: `INSERT INTO work (id, kind, subject, lane, payload, status, due_at, attempt, created_at)
      SELECT ?, ?, 'memory', ?, '{}', 'queued', ?, 0, ?
      WHERE (${condition}) AND NOT EXISTS (SELECT 1 FROM work WHERE kind = ? AND status = 'queued')`,
    args: [newId('work', now), indexKind, indexKind, iso(now), iso(now), indexKind],
  }
}
