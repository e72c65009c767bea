import type { Context } from '../context.ts'
import { turnIfDue } from '../turn.ts'
import { type EvaluateScripts, paramsOf } from './expressions.ts'
import { itemsOf } from './items.ts'
import { NodeError, type NodeResult, type NodeType, type OutputItem, toRunError } from './node-type.ts'
import type { RunningExecution } from './running-execution.ts'
import type { Attempt } from './runs.ts'
import type { RunError, WorkflowNode } from './schema.ts'
import { scopeOf, scriptsOf, subjectOf } from './scope.ts'

/** Items whose parameters are evaluated before they run: what they need in memory at once. */
const perPass = 1_000

/** The expressions are the same in each pass. */
function once(evaluate: EvaluateScripts): EvaluateScripts {
  let values: ReturnType<EvaluateScripts> | undefined
  return (templates) => {
    values ??= evaluate(templates)
    return values
  }
}

/**
 * Runs a node that only computes for each item of a list, in order, in one attempt. Its expressions are evaluated for all
 * items together. After an error, `on_error` decides for that item; `stop` fails the whole node.
 */
export async function runItems(
  execution: RunningExecution,
  attempt: Attempt,
  { type, items, context }: { type: NodeType; items: readonly unknown[]; context: Context },
): Promise<NodeResult> {
  const { node, run } = attempt
  execution.announce(run)
  // In one call of the engine, which gets the input once.
  const evaluateAll = once(scriptsOf(execution, attempt, { context, count: items.length }))
  const outputs = new Map<string, OutputItem[]>()
  const add = (to: string, output: unknown, from: number) => {
    const list = outputs.get(to) ?? []
    outputs.set(to, list)
    for (const item of itemsOf(output)) list.push({ item, from })
  }
  for (let first = 0; first < items.length; first += perPass) {
    const pass = items.slice(first, first + perPass)
    const subjects = pass.map((item, at) => subjectOf(execution, attempt, { item, index: first + at }))
    const resolved = await paramsOf(type, node.params, subjects, async (templates) =>
      (await evaluateAll(templates)).slice(first, first + perPass),
    )
    for (const [at, subject] of subjects.entries()) {
      const index = first + at
      try {
        const own = resolved[at]
        if (!own || 'error' in own) throw own?.error
        const result = await type.run(own.params, scopeOf(execution, attempt, { context, subject }))
        if ('outputs' in result)
          for (const [to, list] of Object.entries(result.outputs)) for (const { item } of list) add(to, item, index)
        else if ('output' in result) for (const to of [result.to ?? 'main'].flat()) add(to, result.output, index)
        else throw new Error(`${type.type} has to wait, which an item of it cannot`)
      } catch (thrown) {
        if (node.on_error === 'stop' || (thrown instanceof NodeError && thrown.stops)) throw inItem(thrown, index)
        const error = toRunError(node.id, thrown)
        const { to, output } = afterError(node, error, items[index])
        add(to, output, index)
      }
      await turnIfDue()
      context.signal.throwIfAborted()
    }
  }
  if (outputs.size === 0) return { output: [] }
  return { outputs: Object.fromEntries(outputs) }
}

/** In an item, an error is its message; of a request that failed, an object. Imported workflows read both. */
function messageOf({ code, message }: Pick<RunError, 'code' | 'message'>): unknown {
  const status = /^http_(\d{3})$/.exec(code)?.[1]
  if (code === 'pages') {
    const [text, description] = message.split('\n')
    return { message: text, name: 'NodeOperationError', description, context: {} }
  }
  if (status !== undefined || code === 'no_answer')
    return { message, code, ...(status === undefined ? {} : { status: Number(status) }) }
  return message.replace(/^.*? cannot be evaluated: /, '')
}

/** What a node whose `on_error` is not `stop` passes on after an error, and at which output. */
export function afterError(
  { on_error }: Pick<WorkflowNode, 'on_error'>,
  { code, message, node_id }: RunError,
  input: unknown,
): { to: 'main' | 'error'; output: unknown } {
  if (on_error === 'continue') return { to: 'main', output: input }
  const text = messageOf({ code, message })
  if (on_error === 'error_item') return { to: 'main', output: { error: text } }
  if (on_error === 'error_output') return { to: 'error', output: { error: { code, message, node_id }, input } }
  const fields = typeof input === 'object' && !Array.isArray(input) ? input : {}
  return { to: 'error', output: { ...fields, error: text } }
}

/** The error of a node that failed for one of its items. */
function inItem(thrown: unknown, index: number): unknown {
  if (!(thrown instanceof NodeError)) return thrown
  const { code, permanent, definite, stops } = thrown
  return new NodeError(code, `Item ${index}: ${thrown.message}`, { permanent, definite, stops })
}
