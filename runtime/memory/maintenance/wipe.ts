import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import { GuardFailed } from '../../ports/sql.ts'
import { second } from '../../time.ts'
import { cancelWork } from '../../work/cancel.ts'
import { requireKind } from '../../work/kinds.ts'
import { cancelQueuedWork, listWork } from '../../work/select.ts'
import { guardNoWork } from '../graph/generation-store.ts'
import { countEpisodes } from '../store.ts'
import { captureKind, jobKind } from '../work-store.ts'
import { wipeStatements } from './store.ts'

/**
 * Deletes every episode and everything derived from it: vectors, graphs, histories, recall counts. Queued captures are
 * cancelled and memory jobs are stopped first. Afterwards the file contains no trace of the data and has shrunk.
 */
export async function clearMemory(context: Context): Promise<{ cleared: number }> {
  await stopMemoryWork(context)
  const cleared = await countEpisodes(context, {})
  await context.commit(
    [
      guardNoWork({ kind: addingKinds, status: 'running' }),
      ...(await wipeStatements(context)),
      cancelQueuedWork(context, { kind: captureKind }),
      auditStatement(context, { action: 'memory.cleared', target: 'memory' }),
    ],
    [{ type: 'memory.cleared', data: { cleared } }],
    { long: true },
  )
  await context.sql.compact()
  return { cleared }
}

/** Kinds of work that add to memory. */
const addingKinds = [jobKind, captureKind]

/** How long to wait for running work to stop at its next step. */
const patience = 10 * second

/** Cancels all work that adds to memory and waits until it has stopped, up to a limit. */
async function stopMemoryWork(context: Context): Promise<void> {
  const stopped: string[] = []
  for (const work of await listWork(context, { kind: addingKinds })) {
    const kind = await requireKind(context, work.kind)
    await cancelWork(context, kind, work, 'Memory was cleared').catch(ignoreEnded)
    stopped.push(work.id)
  }
  if (stopped.length === 0) return
  const waited = new AbortController()
  const late = context.clock.after(patience, waited.signal).catch(() => undefined)
  await Promise.race([context.process.running.settled(stopped), late])
  waited.abort()
}

function ignoreEnded(thrown: unknown): void {
  if (!(thrown instanceof GuardFailed)) throw thrown
}
