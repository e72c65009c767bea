import type { Context } from '../../context.ts'
import type { Statement } from '../../ports/sql.ts'
import { readSection } from '../../settings/section.ts'
import { day, iso } from '../../time.ts'
import type { WorkKind } from '../../work/kind.ts'
import { Pace } from '../pace.ts'
import { pruneTurnRecalls } from '../recall/store.ts'
import { type MemorySettings, memorySettings } from '../settings.ts'
import { deleteEpisode } from '../store.ts'
import { keptFor, undoable } from './history.ts'
import { queueRetention, retentionKind } from './retention-queue.ts'
import { givenUp } from './retention-store.ts'
import { oldestVersion, pruneVersions } from './version-store.ts'

/** Episodes of one commit: others get their turn in between. */
const perCommit = { least: 2, most: 50 }
/** Which answers had which memory in their prompt is of interest for so long; the counts stay. */
const keptRecalls = 90 * day

/**
 * Forgets what the rules of retention give up, as a person would: it can be undone for a while. It runs a day later
 * again as long as there are rules, and else when the oldest version expires; without either it does not run at all.
 */
export const retention: WorkKind = {
  kind: retentionKind,
  max_running: 1,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: (attempt) => 60 * attempt },
  async run(_, context) {
    const { retention: rules } = await readSection(context, memorySettings)
    const forgotten = await forget(context, rules)
    const now = context.clock.now()
    const statements = [pruneVersions(iso(now - keptFor)), pruneTurnRecalls(iso(now - keptRecalls))]
    await context.commit(statements)
    const events = forgotten === 0 ? [] : [progress(forgotten, 'done')]
    return { status: 'succeeded', statements: await next(context, rules), events, output: { forgotten } }
  },
  async ended(_, __, context) {
    const { retention: rules } = await readSection(context, memorySettings)
    return { statements: await next(context, rules) }
  },
}

const progress = (forgotten: number, phase: 'running' | 'done') => ({
  type: 'memory.retention.progress',
  data: { phase, forgotten },
})

async function forget(context: Context, rules: MemorySettings['retention']): Promise<number> {
  const before = iso(context.clock.now() - (rules.max_age_days ?? 0) * day)
  const pace = new Pace(perCommit, 10)
  for (let forgotten = 0; ; ) {
    context.signal.throwIfAborted()
    const ids = await givenUp(context, rules, { before, most: pace.size })
    if (ids.length === 0) return forgotten
    forgotten += ids.length
    const statements = ids.flatMap((id) => removal(context, id))
    await pace.time(context.clock.now, () => context.commit(statements, [progress(forgotten, 'running')]))
    await context.clock.after(0)
  }
}

/** One that was deleted in this very moment is gone either way. */
function removal(context: Context, id: string): Statement[] {
  const { guard: _, ...statement } = deleteEpisode(id)
  return [...undoable(context, id, 'deleted'), statement]
}

async function next(context: Context, rules: MemorySettings['retention']): Promise<Statement[]> {
  const tomorrow = context.clock.now() + day
  if (Object.values(rules).some((rule) => rule !== null)) return [queueRetention(context, tomorrow)]
  const oldest = await oldestVersion(context)
  return oldest === null
    ? []
    : [queueRetention(context, Math.max(tomorrow, Date.parse(oldest) + keptFor + day))]
}
