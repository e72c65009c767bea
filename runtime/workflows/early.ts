import type { Context } from '../context.ts'
import type { WorkOutcome } from '../work/kind.ts'
import { requireKind } from '../work/kinds.ts'
import { startWork } from '../work/run.ts'
import type { Work } from '../work/schema.ts'
import { runningUnit } from '../work/store.ts'
import { findDrawing } from './drawing.ts'
import { advance } from './engine.ts'
import { unstored } from './execution-store.ts'
import { linkInput } from './item-files.ts'
import { stepKind } from './kinds.ts'
import { RunningExecution } from './running-execution.ts'
import type { Workflow } from './schema.ts'
import { beginExecution, type Start, type StartedExecution } from './start.ts'

/**
 * Starts an execution that begins without waiting for a tick and, where its mode allows, before it is stored. Its first
 * commit then stores it: before a node that is not pure, when it waits, after 100 ms, or when it ends, so that an execution
 * that only computes is one commit. A kill before that leaves nothing of it, so nobody is told about it until this resolves.
 * `begun` is called with its id before it runs, and again with another one if it has to be started again.
 */
export async function beginAtOnce(
  context: Context,
  workflow: Workflow,
  start: Start,
  begun: (id: string) => void = () => undefined,
): Promise<string> {
  const early: { stored?: Promise<void> } = {}
  const { execution } = await beginExecution(context, workflow, { ...start, immediate: true }, async (started) => {
    begun(started.execution.id)
    Object.assign(early, await beginEarly(context, workflow, started))
    return early.stored ? [] : context.commit(started.statements, started.events)
  })
  await early.stored
  return execution.id
}

/** Null if it has to be stored before it begins. */
async function beginEarly(
  context: Context,
  workflow: Workflow,
  { execution, events }: StartedExecution,
): Promise<{ stored: Promise<void> } | null> {
  const { id, owner_id, workflow_id, depth, status } = execution
  // In other modes, what is open decides about the next start.
  if (workflow.settings.mode !== 'parallel' || status === 'queued') return null
  const kind = await requireKind(context, stepKind)
  const drawing = await findDrawing(context, execution, workflow.name)
  const { stopping, running } = context.process
  if (!drawing || stopping.aborted || running.count(stepKind) >= kind.max_running) return null
  const { work, statement } = runningUnit(context, { kind: stepKind, subject: id, lane: id, owner_id })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = countUnstored(context, workflow_id)
  const stored = () => {
    leave()
    resolve()
  }
  const beginning = { statements: linkInput(execution), unit: statement, events, stored }
  const run = async (_: Work, inner: Context): Promise<WorkOutcome> => {
    const own = new RunningExecution({ ...inner, chain_depth: depth + 1 }, execution, drawing, beginning)
    try {
      const outcome = await advance(own, { wasCut: false })
      if (!own.beginning) return outcome
      await inner.commit(outcome.statements ?? [], outcome.events)
      stored()
      outcome.announce?.()
      return { status: 'succeeded', unstored: true }
    } catch (thrown) {
      if (!own.beginning) throw thrown
      leave()
      reject(thrown)
      return { status: 'failed', unstored: true }
    }
  }
  void startWork(context, { ...kind, run }, work)
  // So that the lease is renewed in time.
  context.process.wake()
  // Until somebody waits for it.
  promise.catch(() => undefined)
  return { stored: promise }
}

/** Until the returned function is called. */
function countUnstored(context: Context, workflow: string): () => void {
  const counts = unstored(context)
  const add = (number: number) => counts.set(workflow, (counts.get(workflow) ?? 0) + number)
  add(1)
  let isCounted = true
  return () => {
    if (!isCounted) return
    isCounted = false
    if (add(-1).get(workflow) === 0) counts.delete(workflow)
  }
}
