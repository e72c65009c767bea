import { maxBreaks } from '../providers/index.ts'
import { iso, second } from '../time.ts'
import { Postponed } from '../work/postponed.ts'
import type { Ended } from './attempt.ts'
import type { Value } from './blob-store.ts'
import { afterError } from './item-run.ts'
import { type Lineage, storedLineage } from './items.ts'
import { continueAfter, enterLoop, settle } from './loops.ts'
import { saveRun } from './node-run-store.ts'
import { NodeError, type NodeResult, toRunError } from './node-type.ts'
import { routed } from './routes.ts'
import { LostRace, type RunningExecution } from './running-execution.ts'
import { askToRepeat } from './runs.ts'
import type { RunError, WorkflowNode } from './schema.ts'
import { type Passed, sourcesOf, type Token } from './state.ts'
import type { Values } from './values.ts'

/**
 * Stores how a node ended, together with what follows: the tokens of the next nodes, its wait, its loop, or its next
 * attempt. At once and durably if another run could repeat an effect, or if it used up a person's answer. Returns the error
 * that fails the execution.
 */
export async function storeResult(execution: RunningExecution, ended: Ended): Promise<RunError | null> {
  const { token, run, static_data } = ended
  if (static_data) execution.state.static_data = static_data
  const isAnswer = execution.takeSignal(token)
  const durable = ended.effect || isAnswer
  execution.referInput(ended)
  if ('error' in ended) {
    const { signal } = execution.context
    if (execution.abort.signal.aborted) throw signal.aborted ? signal.reason : ended.error
    return fail(execution, ended, { thrown: ended.error, durable: isAnswer })
  }
  const { result } = ended
  try {
    if ('wait' in result) await suspend(execution, ended, result)
    else if ('loop' in result) await enterLoop(execution, ended, { loop: result.loop, durable: isAnswer })
    else {
      const { value, lineage, passed } = outputOf(execution, ended, result)
      execution.values.refuseTooMuch(value)
      if ('page' in result && result.page) execution.state.page = result.page
      if ('announce' in result && result.announce) execution.pending.announcements.push(result.announce)
      delete token.wait
      run.output = execution.refer(value)
      run.output_name = passed.length === 1 ? (passed[0]?.output ?? null) : null
      run.items = storedLineage(lineage)
      execution.finishRun(run, 'succeeded', { value, lineage })
      const next = { passed, width: 'width' in result ? result.width : undefined }
      execution.save(run)
      continueAfter(execution, token, next)
      await settle(execution, { durable })
    }
    execution.announce(run)
    return null
  } catch (thrown) {
    if (!(thrown instanceof NodeError)) throw thrown
    return fail(execution, ended, { thrown, durable: isAnswer })
  }
}

interface Output {
  value: Value
  lineage: Lineage
  passed: Passed[]
}

/** What a node has returned, as it is stored and passed on. */
function outputOf(
  execution: RunningExecution,
  ended: Ended,
  result: Extract<NodeResult, { output: unknown } | { outputs: unknown }>,
): Output {
  const { values, graph } = execution
  const { token, node, run } = ended
  const from = sourcesOf(token, graph)
  const source = { run: run.seq }
  if ('outputs' in result) {
    const lists = Object.entries(result.outputs)
    const items = lists.flatMap(([, list]) => list)
    const positions = new Map<string, number[]>()
    let at = 0
    for (const [name, list] of lists) {
      positions.set(
        name,
        list.map((_, index) => at + index),
      )
      at += list.length
    }
    // The end of a flow still runs with an empty list.
    if (items.length === 0 && (node.always_output || lists.every(([name]) => name === 'main')))
      return outputOf(execution, ended, { output: [], to: lists[0]?.[0] })
    const all = items.map(({ item }) => item)
    const value = values.storable(all, from)
    const { routes, passed } = items.length > 0 ? routed(run.seq, positions) : { passed: [] }
    const parents = items.map((item) => item.from)
    return { value, lineage: { node_id: node.id, from, parents, ...(routes && { routes }) }, passed }
  }
  const isEmpty = Array.isArray(result.output) && result.output.length === 0
  const value = values.storable(isEmpty && node.always_output ? [{}] : result.output, from)
  const usual = values.usualLineage(node.id, from, value)
  const lineage = result.parents === undefined ? usual : { ...usual, parents: result.parents }
  const outputs = [result.to ?? 'main'].flat()
  return { value, lineage, passed: outputs.map((output) => ({ output, source })) }
}

/**
 * Schedules the next attempt of a node, which does not count as an attempt after a vendor's limit or outage. If its effect may
 * have happened, a person decides about that attempt, as after a crash. Without another attempt, the node's `on_error`
 * decides what follows.
 */
async function fail(
  execution: RunningExecution,
  { token, node, run, effect }: Ended,
  { thrown: cause, durable }: { thrown: unknown; durable: boolean },
): Promise<RunError | null> {
  const thrown = limitBreaks(token, cause)
  const { permanent, definite, stops } = thrown instanceof NodeError ? thrown : unknownError
  const uncertain = effect && !definite && !(thrown instanceof Postponed)
  const error: RunError = { ...toRunError(node.id, thrown), ...(uncertain ? { uncertain } : {}) }
  if (!(thrown instanceof Postponed)) token.attempts += 1
  run.error = error
  const { retry, on_error } = node
  const now = execution.context.clock.now()
  const next = thrown instanceof Postponed ? thrown.until : permanent ? null : nextAttempt(token, retry, now)
  if (next !== null && uncertain && !node.retry_safe) {
    askToRepeat(token, run, `"${node.name}" ended without a result: ${error.message}.`)
    execution.save(run)
    await settle(execution, { durable: true })
    execution.announce(run)
    return null
  }
  if (next !== null) {
    token.wait = {
      kind: 'retry',
      message: error.message,
      options: [],
      until: iso(next),
      ref: null,
      data: { seq: run.seq, started_at: run.started_at },
    }
    run.status = 'waiting'
    execution.save(run)
    await settle(execution, { durable })
    execution.announce(run)
    return null
  }
  delete token.wait
  execution.finishRun(run, 'failed')
  if (on_error === 'stop' || stops) {
    // The token stays in the state, where a retry continues.
    token.attempts = 0
    execution.save(run)
    execution.announce(run)
    return error
  }
  const input = execution.values.of(sourcesOf(token, execution.graph)[0] ?? token.source)
  const { to: output, value } = valueAfterError(execution.values, { node, error, input })
  run.output = execution.refer(value)
  run.output_name = output
  const lineage = execution.values.usualLineage(node.id, [token.source], value)
  run.items = storedLineage(lineage)
  execution.values.publish(run, value, lineage)
  const passed = [{ output, source: { run: run.seq } }]
  execution.save(run)
  continueAfter(execution, token, { passed })
  await settle(execution, { durable })
  execution.announce(run)
  return null
}

/** After `maxBreaks` broken answers, a node has failed. */
function limitBreaks(token: Token, thrown: unknown): unknown {
  if (!(thrown instanceof Postponed) || !thrown.broken) return thrown
  token.breaks = (token.breaks ?? 0) + 1
  return token.breaks > maxBreaks ? new NodeError(thrown.code, thrown.message) : thrown
}

/** When a node that failed runs again, in milliseconds since the epoch; null if it does not. */
function nextAttempt({ attempts }: Token, retry: WorkflowNode['retry'], now: number): number | null {
  if (!retry || attempts >= retry.max_attempts) return null
  const factor = retry.backoff === 'exponential' ? 2 ** (attempts - 1) : 1
  return now + Math.min(3_600, retry.delay_seconds * factor) * second
}

const unknownError = { permanent: false, definite: false, stops: false }

/** Without the input if both are too large together. */
function valueAfterError(
  values: Values,
  { node, error, input }: { node: WorkflowNode; error: RunError; input: Value },
): { to: string; value: Value } {
  const { to, output } = afterError(node, error, input.value)
  if (node.on_error === 'continue') return { to, value: input }
  try {
    return { to, value: values.storable(output) }
  } catch {
    return { to, value: values.storable(afterError(node, error, undefined).output) }
  }
}

/** Stores what a node waits for, with what it starts, for example an agent's turn. */
async function suspend(
  execution: RunningExecution,
  { token, run }: Ended,
  { wait, statements: own = [], events = [], announce }: Extract<NodeResult, { wait: unknown }>,
): Promise<void> {
  const { data, ...rest } = wait
  token.wait = {
    options: [],
    until: null,
    ref: null,
    ...rest,
    data: { seq: run.seq, started_at: run.started_at, data },
  }
  run.status = 'waiting'
  try {
    await settle(execution, { statements: [saveRun(run), ...own], events, durable: true })
  } catch (thrown) {
    if (!(thrown instanceof LostRace)) throw thrown
    // What it starts depends on what is there now: the node runs again.
    delete token.wait
    return
  }
  announce?.()
  if (own.length > 0) execution.context.process.wake()
}
