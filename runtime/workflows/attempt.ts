import type { Context } from '../context.ts'
import { iso, second } from '../time.ts'
import { unlessAborted, within } from '../within.ts'
import { paramsOf } from './expressions.ts'
import { runItems } from './item-run.ts'
import { NodeError, type NodeResult, type NodeType, permanentError, type Signal } from './node-type.ts'
import { findNodeType } from './nodes/index.ts'
import { exitOf } from './reach.ts'
import { LostRace, type RunningExecution, TakenOver } from './running-execution.ts'
import { type Attempt, type Kept, newRun } from './runs.ts'
import { scopeOf, scriptsOf, subjectOf } from './scope.ts'
import { isStalled, roundOf, type Token } from './state.ts'

export type Ended = Attempt & ({ result: NodeResult } | { error: unknown })

/**
 * Runs the node of a token once, or continues it after its wait, within the node's time limit. Never retries; that is up
 * to `storeResult`. Commits nothing, with one exception: a node with an effect outside has the start of its run stored
 * durably first, so that it is not repeated unasked after a kill.
 */
export async function attemptNode(execution: RunningExecution, token: Token): Promise<Ended> {
  const node = execution.nodeOf(token)
  const input = execution.values.of(token.source)
  const now = iso(execution.context.clock.now())
  const run = newRun(execution.state, token, { execution_id: execution.id, input, now })
  const attempt: Attempt = { token, node, run, effect: false }
  try {
    const { result } = await call(execution, attempt)
    return { ...attempt, result }
  } catch (error) {
    if (error instanceof TakenOver || error instanceof LostRace) throw error
    return { ...attempt, error }
  }
}

async function call(execution: RunningExecution, attempt: Attempt): Promise<{ result: NodeResult }> {
  const { token, node, run } = attempt
  const { pin_data } = execution.definition
  const input = execution.values.of(token.source).value
  const type = findNodeType(node.type)
  const passOn = (output: unknown) => ({ result: { output, to: exitOf(execution.graph, node) } })
  if (node.disabled || type?.outputs?.length === 0) return passOn(input)
  if (execution.stored.use_pin_data && Object.hasOwn(pin_data, node.id)) {
    run.pinned = 1
    return passOn(pin_data[node.id])
  }
  if (node.list_input && Array.isArray(input) && input.length === 0) return { result: { output: input, to: 'empty' } }
  if (!type) throw permanentError('unknown_type', `There is no node type ${node.type}`)
  if (type.unavailable) throw permanentError('unavailable', type.unavailable)
  const items = itemsFor(execution, attempt, type)
  if (items?.length === 0) return { result: { output: [], to: type.outputs?.at(-1)?.name } }
  if (items && items.length > maxItems)
    throw permanentError(
      'too_large',
      `Its input has ${items.length} items; it runs for at most ${maxItems}. Filter or limit the list before, or take it whole`,
    )
  if (items && type.pure !== true) {
    const each = { batch_size: 1, collect: true, only_items: true, each: true }
    return { result: { loop: { items, ...each } } }
  }
  const start = (context: Context): Promise<NodeResult> =>
    items ? runItems(execution, attempt, { type, items, context }) : perform(execution, attempt, { type, context })
  // Expressions and code have limits of their own.
  if (type.pure && node.timeout_seconds === null) return { result: await start(execution.nodeContext) }
  // What was computed so far must not be computed again, with other results, after a node that others see.
  if (!type.pure) await execution.flush()
  const milliseconds = (node.timeout_seconds ?? 86_400) * second
  const late = new NodeError('timeout', `It took longer than ${node.timeout_seconds} s`)
  const { nodeContext } = execution
  const result = await within(nodeContext, { milliseconds, late }, (signal) =>
    unlessAborted(start({ ...nodeContext, signal }), signal),
  )
  return { result }
}

/** Items of a list for which a node runs. */
const maxItems = 100_000

/** The items for which the node runs, if it does not take its input whole. */
export function itemsFor(
  { graph, state, values }: RunningExecution,
  { token, node }: Attempt,
  { usual_input }: NodeType,
): unknown[] | null {
  const round = roundOf(state, token.iteration)
  // This run is for one item.
  if (round?.frame.each && round.frame.node === token.node) return null
  const { value } = values.of(token.source)
  if (graph.joins(node.id) || !Array.isArray(value)) return null
  const mode = node.input_mode === 'auto' ? usual_input : node.input_mode
  if (mode !== 'item') return null
  return node.first_item ? value.slice(0, 1) : value
}

/** Runs or continues the node. Before it has an effect, its start is stored. */
async function perform(
  execution: RunningExecution,
  attempt: Attempt,
  { type, context }: { type: NodeType; context: Context },
): Promise<NodeResult> {
  const { token, node, run } = attempt
  const { wait } = token
  const signal = execution.signals.get(token.id)
  const subject = subjectOf(execution, attempt)
  const scope = scopeOf(execution, attempt, { context, subject })
  if (wait?.kind === 'repeat') {
    if (signal?.type === 'answer' && signal.choice === 'Skip')
      return { output: scope.input, to: exitOf(execution.graph, node) }
    if (signal?.type === 'answer' && signal.choice === 'Fail')
      throw permanentError('interrupted', 'It was interrupted, and a person decided not to repeat it')
  }
  const evaluate = scriptsOf(execution, attempt, { context, count: 1 })
  const [resolved] = await paramsOf(type, node.params, [subject], evaluate)
  if (!resolved || 'error' in resolved) throw resolved?.error
  let { params } = resolved
  const isAnswered = wait !== undefined && wait.kind !== 'retry' && wait.kind !== 'repeat'
  if (isAnswered && type.resume) {
    // What it waited for has already been started.
    attempt.effect = type.side_effects === true
    const own = { ...wait, data: (wait.data as Kept).data }
    return type.resume(params, scope, own, signal ?? { type: 'due' })
  }
  if (isAnswered) params = approvedParams(type, wait, signal)
  else if (type.gate) {
    const gated = await type.gate(params, scope)
    if ('wait' in gated) return gated
    params = gated.params
  }
  scope.context.signal.throwIfAborted()
  attempt.effect = (await type.effect?.(params, scope.context)) ?? type.side_effects === true
  if (attempt.effect || isStalled(execution.state)) {
    // If it is interrupted again, a person is asked again.
    delete token.wait
    execution.takeSignal(token)
    execution.referInput(attempt)
    execution.save(run)
    await execution.commit({ durable: true })
  }
  execution.announce(run)
  scope.context.signal.throwIfAborted()
  return type.run(params, scope)
}

/** The parameters that a gate asked a person about. */
function approvedParams(
  type: NodeType,
  { data, options }: NonNullable<Token['wait']>,
  signal: Signal | undefined,
): unknown {
  if (!type.gate) throw new Error(`${type.type} cannot continue after a wait`)
  if (signal?.type === 'answer' && signal.choice === options[0]) return (data as Kept).data
  const comment = signal?.type === 'answer' && signal.comment !== '' ? `: ${signal.comment}` : ''
  throw permanentError('refused', `A person refused this call${comment}`)
}
