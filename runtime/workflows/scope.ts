import type { Context } from '../context.ts'
import { type EvaluateScripts, evaluateField, type Subject } from './expressions.ts'
import { fieldLabel } from './field-label.ts'
import type { Arrived, NodeScope } from './node-type.ts'
import { findNodeType } from './nodes/index.ts'
import type { RunningExecution } from './running-execution.ts'
import type { Attempt } from './runs.ts'
import { runCode, runItemCode } from './script/code.ts'
import { evaluateScripts } from './script/evaluate.ts'
import { isScript } from './script/template.ts'
import type { Token } from './state.ts'

/** What a node runs with: its input, or the item at this position of it. */
export function subjectOf(
  { context, values }: RunningExecution,
  { token, node }: Attempt,
  one?: { item: unknown; index: number },
): Subject {
  const data = values.data(token, context.clock.now())
  if (node.first_item && Array.isArray(data.input)) data.input = data.input.slice(0, 1)
  if (one) Object.assign(data, { input: one.item, ...one })
  return { data, ownData: () => values.ownData(data), ready: new Map() }
}

export function scopeOf(
  execution: RunningExecution,
  attempt: Attempt,
  { context, subject }: { context: Context; subject: Subject },
): NodeScope {
  const { definition } = execution
  const { token, node } = attempt
  const { id, workflow_id } = execution.stored
  return {
    context,
    node,
    definition,
    execution: { id, workflow_id, name: execution.name },
    input: subject.data.input,
    inputs: arrivedAt(execution, token),
    token: token.id,
    async evaluate(field, expression, variables) {
      const label = () => fieldLabel(findNodeType(node.type)?.params, field.split('.'))
      if (!variables) return evaluateField(subject, label, expression)
      const text = expression.trim()
      const templates = [{ text, apart: false }]
      const [[value] = []] = isScript(text)
        ? await evaluateScripts(execution, attempt, { context, count: 1, templates, variables })
        : []
      const own = { ...subject, data: { ...subject.data, ...variables }, ready: new Map(value ? [[text, value]] : []) }
      return evaluateField(own, label, expression)
    },
    runScript: (call) => runCode(attempt, { context, call }),
    runItems: (call) => runItemCode(execution, attempt, { context, call }),
  }
}

function arrivedAt({ graph, values }: RunningExecution, { inputs = [] }: Token): Arrived[] {
  if (inputs.length === 0) return []
  const order = graph.inOrder(inputs)
  return inputs.map((input) => ({
    edge: input.edge,
    source: graph.edge(input.edge)?.source ?? '',
    target_input: graph.edge(input.edge)?.target_input ?? 0,
    input: order.indexOf(input),
    value: values.of(input.source).value,
  }))
}

/** Evaluates script templates of the node, for its first `count` subjects in one call of the engine. */
export const scriptsOf =
  (
    execution: RunningExecution,
    attempt: Attempt,
    { context, count }: { context: Context; count: number },
  ): EvaluateScripts =>
  (templates) =>
    evaluateScripts(execution, attempt, { context, count, templates })
