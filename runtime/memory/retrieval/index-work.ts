import type { Context } from '../../context.ts'
import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import type { WorkKind } from '../../work/kind.ts'
import { mentionStatements } from '../graph/mentions.ts'
import { embedPending } from './embed-pending.ts'
import { currentEmbedding } from './embedding.ts'
import { questionMeans } from './query-vector.ts'
import { newestPending } from './vector-store.ts'

const kind = 'memory.index'

/** Episodes without an embedder that are looked at for whom they mention, each time that one is new. */
const mostUnembedded = 200

/**
 * Asks for the indexing of what is new, for the commit that adds or changes episodes; `host.process.wake()` belongs
 * behind it. One unit that waits is enough for any number of changes.
 */
export function queueIndex(host: Pick<Host, 'clock'>): Statement {
  return insertUnit(host, '1')
}

/** The same where something waits to be indexed, for the start: an upgrade, or a crash before the last unit ran. */
export const queueLeftIndex = (host: Pick<Host, 'clock'>): Statement =>
  insertUnit(host, 'EXISTS (SELECT 1 FROM vectors_pending)')

function insertUnit(host: Pick<Host, 'clock'>, condition: string): Statement {
  const now = host.clock.now()
  return {
    sql: `INSERT INTO work (id, kind, subject, lane, payload, status, due_at, attempt, created_at)
      SELECT ?, ?, 'memory', ?, '{}', 'queued', ?, 0, ?
      WHERE ${condition} AND NOT EXISTS (SELECT 1 FROM work WHERE kind = ? AND status = 'queued')`,
    args: [newId('work', now), kind, kind, iso(now), iso(now), kind],
  }
}

/** Embeds what is new or changed and notes whom it mentions, beside everything else that the daemon does. */
export const memoryIndex: WorkKind = {
  kind,
  max_running: 1,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: (attempt) => 60 * 2 ** attempt },
  async run(_, context) {
    const result = await embedPending(context, { afterBatch: (ids) => noteMentions(context, ids) })
    if (result.warning) await noteMentions(context, await newestPending(context, mostUnembedded))
    if (result.failed > 0) throw new Error(result.warning)
    const embedding = result.embedded > 0 ? await currentEmbedding(context) : null
    if (embedding) await questionMeans(context, embedding)
    return { status: 'succeeded', output: { ...result } }
  },
}

async function noteMentions(context: Context, ids: readonly string[]): Promise<void> {
  const statements = await mentionStatements(
    context,
    ids.map((id) => ({ id })),
  )
  if (statements.length > 0) await context.commit(statements)
}
