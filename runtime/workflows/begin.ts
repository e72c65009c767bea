import type { Context } from '../context.ts'
import { againIfLost } from '../lost-race.ts'
import { processState } from '../process-state.ts'
import type { Workflow } from './schema.ts'
import { type Start, type StartedExecution, startExecution } from './start.ts'

/** The last start of each workflow that is being stored. */
const lastStarts = processState(() => new Map<string, Promise<unknown>>())

type Store = (started: StartedExecution) => Promise<unknown>

/**
 * Starts an execution and stores it. Starts of one workflow take turns, since its mode decides by what is open; one that
 * lost to another process, or to the end of an execution that it replaces, decides again.
 */
export async function beginExecution(
  context: Context,
  workflow: Workflow,
  start: Start,
  store: Store = ({ statements, events }) => context.commit(statements, events),
): Promise<StartedExecution> {
  const started = await inTurn(context, workflow.id, () =>
    againIfLost(async () => {
      const prepared = await startExecution(context, workflow, start)
      await store(prepared)
      return prepared
    }),
  )
  started.announce()
  return started
}

async function inTurn<Result>(context: Context, id: string, run: () => Promise<Result>): Promise<Result> {
  const last = lastStarts(context)
  const before = last.get(id)
  const turn = (async () => {
    await before?.catch(() => undefined)
    return run()
  })()
  last.set(id, turn)
  try {
    return await turn
  } finally {
    if (last.get(id) === turn) last.delete(id)
  }
}
