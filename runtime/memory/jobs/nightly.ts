import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { nextRun } from '../../scheduler/next-run.ts'
import { profile } from '../../settings/profile.ts'
import { readSection } from '../../settings/section.ts'
import { iso } from '../../time.ts'
import type { WorkKind } from '../../work/kind.ts'
import { memorySettings } from '../settings.ts'
import { nightlyKind } from './nightly-kind.ts'
import { startJob } from './start.ts'

/**
 * Consolidates by itself at the hour of the settings. It is queued when something new was indexed and not again until
 * then, so a daemon that learns nothing asks no model and writes nothing.
 */
export const nightly: WorkKind = {
  kind: nightlyKind,
  max_running: 1,
  after_crash: 'retry',
  async run(_, context) {
    const { enabled, consolidation } = await readSection(context, memorySettings)
    if (enabled && consolidation.enabled) await begin(context)
    return { status: 'succeeded' }
  },
}

/** One that a person has started does the same. */
async function begin(context: Context): Promise<void> {
  try {
    await startJob(context, { task: 'consolidate', wipe: false })
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.status !== 409) throw thrown
  }
}

/** Asks for the next consolidation, unless one waits or the settings want none. */
export async function queueNightly(context: Host): Promise<Statement[]> {
  const { enabled, consolidation } = await readSection(context, memorySettings)
  if (!enabled || !consolidation.enabled) return []
  const { timezone } = await readSection(context, profile)
  const now = context.clock.now()
  const schedule = { type: 'cron' as const, expression: consolidation.cron, timezone }
  const due = nextRun(schedule, now, { zone: timezone, anchor: now })
  if (due === null) return []
  const sql = `INSERT INTO work (id, kind, subject, lane, payload, status, due_at, attempt, created_at)
    SELECT ?, ?, 'memory', NULL, '{}', 'queued', ?, 0, ?
    WHERE NOT EXISTS (SELECT 1 FROM work WHERE kind = ? AND status = 'queued')`
  return [{ sql, args: [newId('work', now), nightlyKind, iso(due), iso(now), nightlyKind] }]
}
