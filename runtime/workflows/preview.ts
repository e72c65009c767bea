import type { Context } from '../context.ts'
import { resolveText } from '../expressions.ts'
import { errorMessage } from '../thrown.ts'
import { iso } from '../time.ts'
import type { StoredExecution } from './execution-store.ts'
import { requireExecution } from './executions.ts'
import { evaluator } from './expressions.ts'
import { Graph } from './graph.ts'
import { findRun, itemOf, type LoopItem, latestOutputs } from './node-run-store.ts'
import { Definition } from './schema.ts'
import { parsedValue } from './values.ts'
import { findVersion } from './workflow-store.ts'

interface Preview {
  node_id: string
  /** The previous node and its output, for a node that has not run. */
  after?: string | undefined
  after_output?: string | undefined
  text: string
}

/** The value that a text with expressions would have at a node, over the data of an execution. */
export async function previewText(context: Context, id: string, { text, ...at }: Preview) {
  const execution = await requireExecution(context, id)
  const { workflow_id, version, trigger } = execution
  const definition = (await findVersion(context, workflow_id, version)) ?? emptyDefinition
  const nodes = await outputsOf(context, execution, definition.nodes)
  const data = {
    ...(await inputAt(context, { execution, definition, nodes }, at)),
    nodes,
    vars: definition.variables,
    now: iso(context.clock.now()),
    execution: { id, workflow_id, trigger },
  }
  try {
    return { value: (await resolveText(text, evaluator(data))) ?? null, error: null }
  } catch (thrown) {
    return { value: null, error: errorMessage(thrown) }
  }
}

const emptyDefinition = Definition.parse({})

interface Ran {
  execution: StoredExecution
  definition: Definition
  nodes: Record<string, { output: unknown }>
}

/** The input of a node and the item of its loop: from its latest run, or from the output of the previous node. */
async function inputAt(
  context: Context,
  { execution, definition, nodes }: Ran,
  { node_id, after, after_output }: Omit<Preview, 'text'>,
): Promise<{ input: unknown } & LoopItem> {
  const { id } = execution
  const run = await findRun(context, id, { node_id })
  if (run) return { input: run.input, ...(await itemOf(context, id, [node_id])) }
  if (after === undefined) return { input: execution.input, item: null, index: null }
  if (after_output !== 'loop') return { input: nodes[after]?.output ?? null, ...(await itemOf(context, id, [after])) }
  const body = new Graph(definition).edgesOf(after, 'loop').map(({ target }) => target)
  const place = await itemOf(context, id, body)
  return { input: place.item, ...place }
}

/** The latest outputs by node id, and by name where no node has that id. */
async function outputsOf(
  context: Context,
  { id }: StoredExecution,
  nodes: readonly { id: string; name: string }[],
): Promise<Record<string, { output: unknown }>> {
  const names = new Map(nodes.map((node) => [node.id, node.name]))
  const outputs: Record<string, { output: unknown }> = Object.create(null)
  for (const { node_id, output } of await latestOutputs(context, id)) {
    const entry = { output: parsedValue(output).value }
    outputs[node_id] = entry
    const name = names.get(node_id)
    if (name !== undefined && !names.has(name)) outputs[name] = entry
  }
  return outputs
}
