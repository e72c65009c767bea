import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { iso, second } from '../time.ts'
import { turnIfDue } from '../turn.ts'
import type { WorkOutcome } from '../work/kind.ts'
import { Stopping } from '../work/run.ts'
import { insertWork } from '../work/store.ts'
import { attemptNode, type Ended } from './attempt.ts'
import { ending, runEvent } from './ending.ts'
import { cancelOpenRuns } from './execution-store.ts'
import { stepKind } from './kinds.ts'
import { LoopFailed, settle } from './loops.ts'
import { storeResult } from './results.ts'
import { type RunningExecution, TakenOver } from './running-execution.ts'
import type { RunError } from './schema.ts'
import { promoteWork } from './start.ts'
import type { Token } from './state.ts'
import { setStaticData } from './workflow-store.ts'

/**
 * Advances an execution until it has ended or waits.
 *
 * - Each token that can run starts its node, as many at once as the token's width allows (`attempt.ts`).
 * - When a node has ended, its result and what follows from it are stored together (`results.ts`; `loops.ts` for iterations
 *   and merges). Results of nodes without effects share a commit (`running-execution.ts`). A node that was interrupted before
 *   it runs again when the execution continues, unless it may have had an effect outside, or the daemon has died again and
 *   again: then a person is asked (`recover` in `runs.ts`).
 * - When no node runs and none can start, the execution has ended or waits. That is stored by the commit that ends this
 *   unit of work, with the work that continues it.
 */
export async function advance(execution: RunningExecution, { wasCut }: { wasCut: boolean }): Promise<WorkOutcome> {
  const { context, abort, stored } = execution
  const running = new Map<number, Promise<Ended>>()
  const stop = abortWhenNeeded(context, abort, stored.deadline_at)
  try {
    await execution.load({ wasCut })
    if ((execution.state.cuts ?? 0) > maxCuts) return end(execution, 'failed', { error: cutError(execution) })
    await settle(execution)
    for (;;) {
      startNodes(execution, running)
      if (running.size === 0) return await pause(execution)
      const ended = await Promise.race([...running.values(), ...execution.whenDue()])
      if (!ended) {
        await execution.flush()
        continue
      }
      running.delete(ended.token.id)
      const error = await storeResult(execution, ended)
      if (error) return await end(execution, 'failed', { error })
      if (isLate(execution)) return end(execution, 'timed_out', { error: lateError(execution) })
      if (context.signal.aborted && running.size === 0) {
        await execution.flush()
        throw context.signal.reason
      }
      await turnIfDue()
    }
  } catch (thrown) {
    if (thrown instanceof TakenOver) return { status: 'succeeded' }
    if (thrown instanceof LoopFailed) return end(execution, 'failed', { error: thrown.error })
    if (isLate(execution) && abort.signal.aborted && !context.signal.aborted)
      return end(execution, 'timed_out', { error: lateError(execution) })
    throw thrown
  } finally {
    stop()
    abort.abort(new Error('The execution has stopped'))
  }
}

function startNodes(execution: RunningExecution, running: Map<number, Promise<Ended>>): void {
  if (execution.context.signal.aborted) return
  for (const token of execution.state.tokens) {
    if (running.has(token.id) || running.size >= token.width || !canRun(execution, token)) continue
    running.set(token.id, attemptNode(execution, token))
  }
}

function canRun({ context, signals }: RunningExecution, { id, wait }: Token): boolean {
  if (!wait || signals.has(id)) return true
  return wait.until !== null && Date.parse(wait.until) <= context.clock.now()
}

/** Cuts without a node that has ended in between, after which an execution fails. A full disk may cause some. */
const maxCuts = 100

function cutError({ state }: RunningExecution): RunError {
  const next = state.tokens.find(({ wait }) => !wait)
  const message = `It was interrupted more than ${maxCuts} times in a row before a node had ended`
  return { node_id: next?.node ?? null, code: 'interrupted', message }
}

function isLate({ context, stored: { deadline_at } }: RunningExecution): boolean {
  return deadline_at !== null && Date.parse(deadline_at) <= context.clock.now()
}

function lateError({ definition }: RunningExecution): RunError {
  const seconds = definition.settings.timeout_seconds
  return { node_id: null, code: 'timeout', message: `The execution took longer than ${seconds} s` }
}

/** Nothing can run now: the execution has ended, or it waits. */
async function pause(execution: RunningExecution): Promise<WorkOutcome> {
  const { context, definition, id, state, stored, values } = execution
  if (context.signal.aborted) throw context.signal.reason
  const { tokens, result } = state
  if (tokens.length > 0 && isLate(execution)) return end(execution, 'timed_out', { error: lateError(execution) })
  if (tokens.length === 0)
    return end(execution, 'succeeded', { output: result ? execution.refer(values.of(result)) : 'null' })
  if (execution.beginning) await execution.commit()
  const until = [...tokens.map(({ wait }) => wait?.until), stored.deadline_at]
  const due = Math.min(...until.flatMap((time) => (time ? [Date.parse(time)] : [])))
  const again = { kind: stepKind, subject: id, lane: id, due }
  const isNew = stored.status !== 'waiting' || execution.revision !== stored.revision || !execution.pending.isEmpty
  const pending = execution.takePending()
  return {
    status: 'succeeded',
    statements: execution.complete([
      execution.row({ status: 'waiting', state }),
      ...pending.statements,
      ...(Number.isFinite(due) ? [insertWork(context, again).statement] : []),
      // What waits leaves its place to an execution that is queued.
      ...(isNew && definition.settings.mode === 'parallel' ? [promoteWork(context, stored.workflow_id)] : []),
    ]),
    events: isNew ? [waitingEvent(execution)] : [],
    announce: pending.announce,
  }
}

function waitingEvent({ name, state, stored }: RunningExecution): EventInput {
  const kinds = state.tokens.flatMap(({ wait }) => (wait ? [wait.kind] : []))
  return runEvent('workflow.run.waiting', { ...stored, name }, { kinds: [...new Set(kinds)] })
}

async function end(
  execution: RunningExecution,
  status: 'succeeded' | 'failed' | 'timed_out',
  { output = null, error = null }: { output?: string | null; error?: RunError | null },
): Promise<WorkOutcome> {
  const { abort, context, definition, name, state, stored, beginning } = execution
  abort.abort(new Error('The execution has ended'))
  const completed_at = iso(context.clock.now())
  const step = { status, state, output, error, completed_at }
  const { settings } = definition
  // As in n8n, a run by hand changes nothing that others keep.
  const { static_data } = state
  const kept = static_data && stored.trigger !== 'manual' ? [setStaticData(stored.workflow_id, static_data)] : []
  const isUnstored = beginning !== null
  const outcome = { status, error, settings, isUnstored }
  const { statements, events, announce } = await ending(context, { ...stored, name }, outcome)
  const mayHaveOpenRun = !isUnstored || execution.pending.hasOpenRun
  const pending = execution.takePending()
  return {
    status: 'succeeded',
    statements: execution.complete([
      execution.row(step),
      ...(beginning?.statements ?? []),
      ...kept,
      ...pending.statements,
      ...(mayHaveOpenRun ? [cancelOpenRuns(execution.id, completed_at)] : []),
      ...statements,
    ]),
    events: [...(beginning?.events ?? []), ...events],
    announce() {
      pending.announce()
      announce()
    },
  }
}

/** Time for running nodes to end when the daemon stops. */
const grace = 5 * second

/**
 * Aborts the nodes of an execution when it is cancelled or late; when the daemon stops, after a short time. Returns a
 * function that ends this.
 */
function abortWhenNeeded(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  abort: AbortController,
  deadline_at: string | null,
): () => void {
  const done = new AbortController()
  const abortAfter = (milliseconds: number, reason: Error) =>
    void clock.after(milliseconds, done.signal).then(
      () => abort.abort(reason),
      () => undefined,
    )
  const onAbort = () =>
    signal.reason instanceof Stopping ? abortAfter(grace, signal.reason) : abort.abort(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  if (deadline_at !== null)
    abortAfter(Math.max(0, Date.parse(deadline_at) - clock.now()), new Error('The execution took too long'))
  return () => {
    signal.removeEventListener('abort', onAbort)
    done.abort(new Error('The execution has stopped'))
  }
}
