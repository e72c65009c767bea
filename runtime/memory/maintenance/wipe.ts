import { auditStatement } from '../../auth/audit.ts'
import { visibleOwner } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import { GuardFailed } from '../../ports/sql.ts'
import { second } from '../../time.ts'
import { firstOf } from '../../within.ts'
import { cancelWork } from '../../work/cancel.ts'
import { requireKind } from '../../work/kinds.ts'
import { cancelQueuedWork, listWork, type WorkFilter } from '../../work/select.ts'
import { guardNoWork } from '../graph/generation-store.ts'
import { countEpisodes, memoryOwners } from '../store.ts'
import { captureKind, jobKind } from '../work-store.ts'
import { wipeOwnerStatements, wipeStatements } from './store.ts'

/**
 * Deletes every episode of the owner and everything derived from it: vectors, graphs, histories, recall counts. Queued captures are
 * cancelled and memory jobs are stopped first. Afterwards the file contains no trace of the data and has shrunk.
 */
export async function clearMemory(context: Context): Promise<{ cleared: number }> {
  await stopMemoryWork(context)
  const cleared = await countEpisodes(context, {})
  const owner_id = visibleOwner(context)
  const others = (await memoryOwners(context)).filter((owner) => owner !== owner_id)
  const onlyOwn = owner_id !== undefined && others.length > 0
  await context.commit(
    [
      guardNoWork({ kind: addingKinds, status: 'running' }),
      ...(onlyOwn ? wipeOwnerStatements(owner_id) : await wipeStatements(context)),
      cancelQueuedWork(context, ownWork(context, captureKind)),
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

const ownWork = (context: Context, kind: WorkFilter['kind']): WorkFilter => {
  const owner_id = visibleOwner(context)
  return { kind, ...(owner_id !== undefined && { owner_id }) }
}

/** How long to wait for running work to stop at its next step. */
const patience = 10 * second

/** Cancels all work that adds to memory and waits until it has stopped, up to a limit. */
async function stopMemoryWork(context: Context): Promise<void> {
  const stopped: string[] = []
  for (const work of await listWork(context, ownWork(context, addingKinds))) {
    const kind = await requireKind(context, work.kind)
    await cancelWork(context, kind, work, 'Memory was cleared').catch(ignoreEnded)
    stopped.push(work.id)
  }
  if (stopped.length > 0)
    await firstOf(context.clock, context.process.running.settled(stopped), { milliseconds: patience })
}

function ignoreEnded(thrown: unknown): void {
  if (!(thrown instanceof GuardFailed)) throw thrown
}
