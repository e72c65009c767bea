import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import type { WorkKind } from '../../work/kind.ts'
import { embedPending } from './embed-pending.ts'

const kind = 'memory.index'

/**
 * Asks for the indexing of what is new, for the commit that adds or changes episodes; `host.process.wake()` belongs
 * behind it. One unit that waits is enough for any number of changes.
 */
export function queueIndex(host: Pick<Host, 'clock'>): Statement {
  const now = host.clock.now()
  return {
    sql: `INSERT INTO work (id, kind, subject, lane, payload, status, due_at, attempt, created_at)
      SELECT ?, ?, 'memory', ?, '{}', 'queued', ?, 0, ?
      WHERE NOT EXISTS (SELECT 1 FROM work WHERE kind = ? AND status = 'queued')`,
    args: [newId('work', now), kind, kind, iso(now), iso(now), kind],
  }
}

/** Embeds what is new or changed, beside everything else that the daemon does. */
export const memoryIndex: WorkKind = {
  kind,
  max_running: 1,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: (attempt) => 60 * 2 ** attempt },
  async run(_, context) {
    return { status: 'succeeded', output: { ...(await embedPending(context)) } }
  },
}
