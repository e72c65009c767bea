import type { Context } from '../../context.ts'
import type { WorkKind } from '../../work/kind.ts'
import { mentionStatements } from '../graph/mentions.ts'
import { queueNightly } from '../jobs/nightly.ts'
import { embedPending } from './embed-pending.ts'
import { currentEmbedding } from './embedding.ts'
import { indexKind } from './index-queue.ts'
import { questionMeans } from './query-vector.ts'
import { newestPending } from './vector-store.ts'

/** Episodes without an embedder that are looked at for whom they mention, each time that one is new. */
const mostUnembedded = 200

/** Embeds what is new or changed and notes whom it mentions, beside everything else that the daemon does. */
export const memoryIndex: WorkKind = {
  kind: indexKind,
  max_running: 1,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: (attempt) => 60 * 2 ** attempt },
  async run(_, context) {
    const result = await embedPending(context, { afterBatch: (ids) => noteMentions(context, ids) })
    if (result.warning) await noteMentions(context, await newestPending(context, mostUnembedded))
    if (result.failed > 0) throw new Error(result.warning)
    const embedding = result.embedded > 0 ? await currentEmbedding(context) : null
    if (embedding) await questionMeans(context, embedding)
    return { status: 'succeeded', output: { ...result }, statements: await queueNightly(context) }
  },
}

async function noteMentions(context: Context, ids: readonly string[]): Promise<void> {
  const statements = await mentionStatements(
    context,
    ids.map((id) => ({ id })),
  )
  if (statements.length > 0) await context.commit(statements)
}
