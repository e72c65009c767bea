import { profile } from '../../auth/profile.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import { nextRun } from '../../schedules/next-run.ts'
import { readSection } from '../../sections/section.ts'
import type { WorkKind } from '../../work/kind.ts'
import { mentionStatements } from '../graph/mentions.ts'
import { currentEmbedding, questionMeans } from '../search/embedding.ts'
import { embedPending } from '../search/indexing.ts'
import { newestPending } from '../search/vector-store.ts'
import { memorySettings } from '../settings.ts'
import { indexKind, nightlyKind, queueNightly } from '../work-store.ts'
import { startJob } from './jobs.ts'

/** Without an embedder, the mentions of this many of the latest episodes are checked in each run. */
const maxUnembedded = 200

/** Embeds new and changed episodes and extracts their mentions. */
export const memoryIndex: WorkKind = {
  kind: indexKind,
  max_running: 1,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: (attempt) => 60 * 2 ** attempt },
  async run(_, context) {
    const result = await embedPending(context, { afterBatch: (ids) => saveMentions(context, ids) })
    if (result.warning) await saveMentions(context, await newestPending(context, maxUnembedded))
    if (result.failed > 0) throw new Error(result.warning)
    const embedding = result.embedded > 0 ? await currentEmbedding(context) : null
    if (embedding) await questionMeans(context, embedding)
    return { status: 'succeeded', output: { ...result }, statements: await nextConsolidation(context) }
  },
}

async function saveMentions(context: Context, ids: readonly string[]): Promise<void> {
  const statements = await mentionStatements(
    context,
    ids.map((id) => ({ id })),
  )
  if (statements.length > 0) await context.commit(statements)
}

/**
 * Starts the scheduled consolidation. It is queued only after something new was indexed, so that an idle daemon calls no
 * model and writes nothing.
 */
export const nightly: WorkKind = {
  kind: nightlyKind,
  max_running: 1,
  after_crash: 'retry',
  async run(_, context) {
    const { enabled, consolidation } = await readSection(context, memorySettings)
    if (enabled && consolidation.enabled) await start(context)
    return { status: 'succeeded' }
  },
}

/** A job that is already running does the same work. */
async function start(context: Context): Promise<void> {
  try {
    await startJob(context, { task: 'consolidate', wipe: false })
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.status !== 409) throw thrown
  }
}

/** Queues the next consolidation, unless one is queued or it is switched off. */
async function nextConsolidation(context: Host): Promise<Statement[]> {
  const { enabled, consolidation } = await readSection(context, memorySettings)
  if (!enabled || !consolidation.enabled) return []
  const { timezone } = await readSection(context, profile)
  const now = context.clock.now()
  const schedule = { type: 'cron' as const, expression: consolidation.cron, timezone }
  const due = nextRun(schedule, now, { zone: timezone, anchor: now })
  return due === null ? [] : [queueNightly(context, due)]
}
