import type { Context } from '../../context.ts'
import { conflict, Fault } from '../../fault.ts'
import { GuardFailed } from '../../ports/sql.ts'
import { restoreGraph } from '../graph/generations.ts'
import { currentJob, guardFree, refusal } from './start.ts'
import { countKept, latestKept } from './store.ts'

/** The graph is again what it was before the latest rebuild. Answers how many older ones are left. */
export async function undoRebuild(context: Context): Promise<{ restored: true; kept: number }> {
  const latest = await latestKept(context)
  if (latest === null) throw nothingKept()
  try {
    await context.commit(
      [guardFree('consolidate'), ...restoreGraph(latest)],
      [{ type: 'memory.graph.restored', data: {} }],
    )
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    const job = await currentJob(context, 'consolidate')
    throw job?.status === 'running'
      ? await refusal(context, 'consolidate')
      : conflict('Another request has brought it back')
  }
  return { restored: true, kept: await countKept(context) }
}

const nothingKept = () =>
  new Fault(
    404,
    'not_found',
    'No earlier graph is kept; a consolidation with wipe keeps the one that it replaces',
  )
