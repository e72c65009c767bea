import type { Context } from '../context.ts'
import { resolveText } from '../expressions.ts'
import { notFound } from '../fault.ts'
import { errorMessage } from '../thrown.ts'
import { iso } from '../time.ts'
import { itemsFor } from './attempt.ts'
import { beginningOf } from './blob-store.ts'
import type { StoredExecution } from './execution-store.ts'
import { requireExecution } from './executions.ts'
import { evaluateField } from './expressions.ts'
import { Graph } from './graph.ts'
import { itemOf, type LoopItem } from './node-run-store.ts'
import { findNodeType } from './nodes/index.ts'
import { RunningExecution } from './running-execution.ts'
import { type Attempt, newRun } from './runs.ts'
import type { Preview, Workflow } from './schema.ts'
import { scriptsOf, subjectOf } from './scope.ts'
import { isScript } from './script/template.ts'
import { newExecution } from './start.ts'
import { addToken, emptyState, type Source } from './state.ts'
import { requireWorkflow, withChanges } from './workflows.ts'

/** The value that a text with expressions would have at a node, over the data of an execution, pin data and samples. */
export async function previewText(context: Context, id: string, { text, index, changes, ...at }: Preview) {
  const workflow = withChanges(await requireWorkflow(context, id), changes)
  const node = workflow.nodes.find((one) => one.id === at.node_id)
  if (!node) throw notFound(`The node ${at.node_id}`)
  const execution = await dataOf(context, workflow, at.execution_id)
  const { source, loop } = await inputAt(context, execution, node.id)
  const token = addToken(execution.state, { node: node.id, source, iteration: null, width: 1 })
  const input = execution.values.of(source)
  const now = iso(context.clock.now())
  const run = newRun(execution.state, token, { execution_id: execution.id, input, now })
  const attempt: Attempt = { token, node, run, effect: false }
  const type = findNodeType(node.type)
  const items = type && itemsFor(execution, attempt, type)
  const place = Math.max(0, Math.min(index, (items?.length ?? 1) - 1))
  const subjects = (items ?? [null])
    .slice(0, place + 1)
    .map((item, position) => subjectOf(execution, attempt, items ? { item, index: position } : undefined))
  const subject = subjects[place]
  if (!subject) return { value: null, error: 'The list that arrives at this node is empty' }
  if (loop && !items) Object.assign(subject.data, loop)
  try {
    if (!isScript(text)) {
      const value = await resolveText(text, (code) => evaluateField(subject, () => '', code))
      return { value: beginningOf(value ?? null).value, error: null }
    }
    const values = await scriptsOf(execution, attempt, { context, count: subjects.length })([{ text, apart: false }])
    const result = { value: null, error: null, ...values[place]?.[0] }
    return { ...result, value: beginningOf(result.value).value }
  } catch (thrown) {
    return { value: null, error: errorMessage(thrown) }
  }
}

/** An execution that is only read, with the workflow as it is drawn. Pin data comes first, and samples of triggers last. */
async function dataOf(context: Context, workflow: Workflow, id: string | null): Promise<RunningExecution> {
  const stored: StoredExecution =
    id === null
      ? newExecution(context, workflow, {
          trigger: 'manual',
          input: null,
          isQueued: false,
          from: { state: emptyState(), statements: () => [] },
        })
      : await requireExecution(context, id)
  if (stored.workflow_id !== workflow.id) throw notFound(`The execution ${id} of this workflow`)
  const { until: _, ...state } = stored.state
  const execution = new RunningExecution(
    context,
    { ...stored, state },
    { name: workflow.name, definition: workflow, graph: new Graph(workflow) },
  )
  await execution.values.load(context)
  for (const { id: node_id, type } of workflow.nodes) {
    const pin = Object.hasOwn(workflow.pin_data, node_id) ? { output: workflow.pin_data[node_id] } : null
    const sample = findNodeType(type)?.sample
    const example = pin ?? (sample && !execution.values.latestRun(node_id) ? { output: sample } : null)
    if (!example) continue
    const seq = execution.state.next_seq++
    execution.values.publish({ node_id, seq, one_item: 0 }, execution.values.storable(example.output), {
      node_id,
      from: [],
      parents: null,
    })
  }
  return execution
}

/** Where the input of a node is found, and the item of the loop around it. */
async function inputAt(
  context: Context,
  { id, graph, values, definition, state }: RunningExecution,
  node: string,
): Promise<{ source: Source; loop: LoopItem | null }> {
  for (const edge of definition.edges.toReversed()) {
    if (edge.target !== node) continue
    const { source: from, source_output: output } = edge
    if (output === 'loop') {
      const loop = await itemOf(
        context,
        id,
        graph.edgesOf(from, 'loop').map(({ target }) => target),
      )
      const seq = state.next_seq++
      values.publish({ node_id: '', seq, one_item: 1 }, values.storable(loop.item), {
        node_id: from,
        from: [],
        parents: null,
      })
      return { source: { run: seq }, loop }
    }
    const latest = values.latestRun(from)
    const routes = latest?.lineage?.routes
    if (!latest || (routes && !routes[output])) continue
    const loop = await itemOf(context, id, [node])
    const place = loop.index === null ? await itemOf(context, id, [from]) : loop
    return { source: { run: latest.run, ...(routes && { output }) }, loop: place.index === null ? null : place }
  }
  return { source: 'input', loop: null }
}
