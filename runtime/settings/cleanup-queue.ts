import type { Context } from '../context.ts'
import { oldestEvent } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { processState } from '../process-state.ts'
import { day, minute } from '../time.ts'
import { enqueueOnce, latestWork, listWork } from '../work/select.ts'
import type { WorkSource } from '../work/source.ts'

export const cleanupKind = 'settings.cleanup'

const queueCleanup = (host: Host) => enqueueOnce(host, { kind: cleanupKind, subject: 'all' })

/** Whether a cleanup is queued or running. */
export const isCleaning = async (host: Pick<Host, 'sql'>): Promise<boolean> =>
  (await listWork(host, { kind: cleanupKind })).length > 0

/** Starts a cleanup now, unless one is queued or running. */
export async function startCleanup(context: Context): Promise<void> {
  if (!(await isCleaning(context))) await context.commit([queueCleanup(context)])
}

/** Milliseconds from a start of the daemon to its first cleanup. */
const settling = 10 * minute

/** Null until the first busy tick. */
const next = processState(() => ({ cleanup_at: null as number | null }))

/** A host that sleeps never runs for long; it cleans up at once when the last cleanup was two days ago. */
async function firstCleanup(host: Host): Promise<number> {
  const last = (await latestWork(host, cleanupKind, 'all'))?.created_at ?? (await oldestEvent(host))
  const settled = host.process.started_at + settling
  return last ? Math.min(settled, Date.parse(last) + 2 * day) : settled
}

/** Queues a cleanup once a day, but only while the daemon is busy anyway: an idle daemon writes nothing. */
export const dailyCleanup: WorkSource = {
  async queueDue(host) {
    if (host.process.running.count() === 0) return
    const now = host.clock.now()
    const state = next(host)
    state.cleanup_at ??= await firstCleanup(host)
    if (now < state.cleanup_at) return
    state.cleanup_at = now + day
    await host.sql.write([queueCleanup(host)])
  },
  nextDue: async () => null,
  async clockSetBack(host) {
    const state = next(host)
    if (state.cleanup_at !== null) state.cleanup_at = Math.min(state.cleanup_at, host.clock.now() + day)
  },
}
