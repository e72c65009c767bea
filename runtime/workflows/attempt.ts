import type { Context } from '../context.ts'
import { errorMessage } from '../thrown.ts'
import { iso, second } from '../time.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { isSameJson } from '../values.ts'
import { unlessAborted, within } from '../within.ts'
import { exitOf } from './exit.ts'
import { evaluator } from './expressions.ts'
import { type StoredRun, saveRun } from './node-run-store.ts'
import { NodeError, type NodeResult, type NodeScope, type NodeType } from './node-type.ts'
import { findNodeType } from './nodes/index.ts'
import { approvedParams, paramsOf } from './params.ts'
import { LostRace, type RunningExecution, TakenOver } from './running-execution.ts'
import { type Kept, newRun } from './runs.ts'
import type { WorkflowNode } from './schema.ts'
import { isStalled, type Token } from './state.ts'

interface Attempt {
  token: Token
  node: WorkflowNode
  run: StoredRun
  /** Another attempt could repeat an effect. */
  effect: boolean
}

export type Ended = Attempt & ({ result: NodeResult } | { error: unknown })

/**
 * Runs the node of a token once, or continues it after its wait, within the node's time limit. Never retries; that is up
 * to `storeResult`. Commits nothing, with one exception: a node with an effect outside has the start of its run stored
 * durably first, so that it is not repeated unasked after a kill.
 */
export async function attemptNode(execution: RunningExecution, token: Token): Promise<Ended> {
  const node = execution.nodeOf(token)
  const run = newRun(execution.state, token, {
    execution_id: execution.id,
    input: execution.values.of(token.source),
    now: iso(execution.context.clock.now()),
  })
  const attempt: Attempt = { token, node, run, effect: false }
  try {
    return { ...attempt, ...(await call(execution, attempt)), effect: attempt.effect }
  } catch (error) {
    if (error instanceof TakenOver || error instanceof LostRace) throw error
    return { ...attempt, error, effect: attempt.effect }
  }
}

async function call(execution: RunningExecution, attempt: Attempt): Promise<{ result: NodeResult }> {
  const { token, node, run } = attempt
  const { pin_data } = execution.definition
  const input = execution.values.of(token.source).value
  const type = findNodeType(node.type)
  const to = exitOf(execution.graph, node)
  if (node.disabled || type?.outputs?.length === 0) return { result: { output: input, to } }
  if (execution.stored.use_pin_data && Object.hasOwn(pin_data, node.id)) {
    run.pinned = 1
    return { result: { output: pin_data[node.id], to } }
  }
  if (node.list_input && Array.isArray(input)) {
    if (input.length === 0) return { result: { output: input, to: 'empty' } }
    if (node.list_input === 'one_item' && input.length > 1)
      throw new NodeError('list', `Its input has ${input.length} items; put a loop before it`, {
        permanent: true,
      })
  }
  if (!type) throw new NodeError('unknown_type', `There is no node type ${node.type}`, { permanent: true })
  if (type.unavailable) throw new NodeError('unavailable', type.unavailable, { permanent: true })
  const milliseconds = (node.timeout_seconds ?? 86_400) * second
  const late = new NodeError('timeout', `It took longer than ${node.timeout_seconds} s`)
  const context = { ...execution.context, signal: execution.abort.signal }
  const result = await within(context, { milliseconds, late }, async (signal) => {
    const scope = scopeOf(execution, { ...context, signal }, attempt)
    return unlessAborted(perform(execution, attempt, { type, scope }), signal)
  })
  return { result }
}

function scopeOf(execution: RunningExecution, context: Context, { token, node }: Attempt): NodeScope {
  const data = execution.values.data(token, context.clock.now())
  if (node.list_input === 'one_item' && Array.isArray(data.input)) [data.input] = data.input
  const evaluateHere = evaluator(data)
  const evaluate: NodeScope['evaluate'] = async (field, expression) => {
    try {
      return await evaluateHere(expression)
    } catch (thrown) {
      const reason = errorMessage(thrown)
      throw new NodeError('expression', `${field} cannot be evaluated: ${reason}`, { permanent: true })
    }
  }
  const evaluateOwn = evaluator(execution.values.ownData(data))
  const { id, workflow_id } = execution.stored
  return {
    context,
    node,
    definition: execution.definition,
    execution: { id, workflow_id, name: execution.name },
    input: data.input,
    inputs: (token.inputs ?? []).map(({ edge, source }) => ({
      edge,
      value: execution.values.of(source).value,
    })),
    token: token.id,
    evaluate,
    async evaluateForModel(field, expression) {
      const value = await evaluate(field, expression)
      if (value === undefined || value === null) return value
      // A value that the owner's own texts alone lead to came from nowhere else.
      const own = await evaluateOwn(expression).catch(() => undefined)
      return isSameJson(own, value) ? value : wrapUntrusted(value)
    },
  }
}

/** Runs or continues the node. Before it has an effect, its start is stored. */
async function perform(
  execution: RunningExecution,
  attempt: Attempt,
  { type, scope }: { type: NodeType; scope: NodeScope },
): Promise<NodeResult> {
  const { token, run } = attempt
  const { wait } = token
  const signal = execution.signals.get(token.id)
  if (wait?.kind === 'repeat') {
    if (signal?.type === 'answer' && signal.choice === 'Skip')
      return { output: scope.input, to: exitOf(execution.graph, attempt.node) }
    if (signal?.type === 'answer' && signal.choice === 'Fail')
      throw new NodeError('interrupted', 'It was interrupted, and a person decided not to repeat it', {
        permanent: true,
      })
  }
  let params = await paramsOf(type, scope)
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
    await execution.commit({ statements: [saveRun(run), ...execution.takeSignal(token)], durable: true })
  }
  execution.announce(run)
  scope.context.signal.throwIfAborted()
  return type.run(params, scope)
}
