import { actingFor } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import { event } from '../../events/event.ts'
import { Pace } from '../../pace.ts'
import type { Statement } from '../../ports/sql.ts'
import { readSection } from '../../sections/section.ts'
import { day, iso } from '../../time.ts'
import type { WorkKind } from '../../work/kind.ts'
import { recordVersion, versionLifetime } from '../episodes.ts'
import { pruneTurnRecalls } from '../recall/store.ts'
import { type MemorySettings, memorySettings } from '../settings.ts'
import { deleteEpisode, memoryOwners, oldestVersion, pruneVersions } from '../store.ts'
import { queueRetention, retentionKind } from '../work-store.ts'
import { episodesToDelete } from './store.ts'

/** Episodes per commit. */
const batchRange = { min: 2, max: 50 }
/** Milliseconds for which the memories in each answer's prompt are recorded. The counts are kept. */
const recallLifetime = 90 * day

/**
 * Deletes episodes by the retention rules. They can be restored like any deleted episode. It runs daily while
 * there are rules, otherwise when the oldest version expires, and not at all without either.
 */
export const retention: WorkKind = {
  kind: retentionKind,
  max_running: 1,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: (attempt) => 60 * attempt },
  async run(_, context) {
    const { retention: rules } = await readSection(context, memorySettings)
    let forgotten = 0
    for (const owner of await memoryOwners(context)) forgotten += await deleteByRules(actingFor(context, owner), rules)
    const now = context.clock.now()
    await context.commit([pruneVersions(iso(now - versionLifetime)), pruneTurnRecalls(iso(now - recallLifetime))])
    const events = forgotten === 0 ? [] : [progress(forgotten, 'done')]
    return { status: 'succeeded', statements: await nextRun(context, rules), events, output: { forgotten } }
  },
  async ended(_, __, context) {
    const { retention: rules } = await readSection(context, memorySettings)
    return { statements: await nextRun(context, rules) }
  },
}

const progress = (forgotten: number, phase: 'running' | 'done') =>
  event('memory.retention.progress', { phase, forgotten })

async function deleteByRules(context: Context, rules: MemorySettings['retention']): Promise<number> {
  const before = iso(context.clock.now() - (rules.max_age_days ?? 0) * day)
  const pace = new Pace(batchRange, 10)
  for (let deleted = 0; ; ) {
    context.signal.throwIfAborted()
    const ids = await episodesToDelete(context, rules, { before, limit: pace.size })
    if (ids.length === 0) return deleted
    deleted += ids.length
    const statements = ids.flatMap((id) => deletion(context, id))
    await pace.time(context.clock.now, () => context.commit(statements, [progress(deleted, 'running')]))
    await context.clock.after(0)
  }
}

/** Without the guard: an episode that was deleted concurrently is not an error. */
function deletion(context: Context, id: string): Statement[] {
  const { guard: _, ...statement } = deleteEpisode(id)
  return [...recordVersion(context, id, 'deleted'), statement]
}

async function nextRun(context: Context, rules: MemorySettings['retention']): Promise<Statement[]> {
  const tomorrow = context.clock.now() + day
  if (Object.values(rules).some((rule) => rule !== null)) return [queueRetention(context, tomorrow)]
  const oldest = await oldestVersion(context)
  return oldest === null
    ? []
    : [queueRetention(context, Math.max(tomorrow, Date.parse(oldest) + versionLifetime + day))]
}
