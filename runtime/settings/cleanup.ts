import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { pruneExpired } from '../prune.ts'
import type { WorkKind } from '../work/kind.ts'
import { cleanupKind } from './cleanup-queue.ts'
import { keepBudget, pruneByAge } from './retention.ts'

/** A cleanup that was interrupted is continued. */
export const cleanup: WorkKind = {
  kind: cleanupKind,
  max_running: 1,
  after_crash: 'retry',
  retry: { max_attempts: 3, delay_seconds: (attempt) => 600 * attempt },
  async run(_, context) {
    await cleanUp(context)
    const { bytes } = await context.sql.size()
    return { status: 'succeeded', events: [event('storage.cleaned', { database_bytes: bytes })] }
  },
}

/**
 * Deletes expired data and the oldest beyond the budget, and returns the space to the system. An aborted signal stops it
 * between two batches.
 */
export async function cleanUp(context: Context): Promise<void> {
  await pruneExpired(context)
  await pruneByAge(context)
  await keepBudget(context)
  await context.sql.shrink(context.signal)
  context.signal.throwIfAborted()
}
