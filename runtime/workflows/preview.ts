import type { Context } from '../context.ts'
import { iso } from '../time.ts'
import { findRun, latestOutputs, type StoredExecution } from './execution-store.ts'
import { requireExecution } from './executions.ts'
import { evaluator, resolveText } from './expressions.ts'
import { parsedValue } from './values.ts'
import { findVersion } from './workflow-store.ts'

interface Preview {
  node_id: string
  /** The node whose output is the input if `node_id` did not run. */
  after: string | undefined
  text: string
}

/** The value that a text with expressions would have at a node, over the data of an execution. */
export async function previewText(context: Context, id: string, { node_id, after, text }: Preview) {
  const execution = await requireExecution(context, id)
  const definition = await findVersion(context, execution.workflow_id, execution.version)
  const nodes = await outputsOf(context, execution, definition?.nodes ?? [])
  const run = await findRun(context, id, { node_id })
  const data = {
    input: run ? run.input : after === undefined ? execution.input : (nodes[after]?.output ?? null),
    nodes,
    vars: definition?.variables ?? {},
    item: null,
    now: iso(context.clock.now()),
  }
  try {
    return { value: (await resolveText(text, evaluator(data))) ?? null, error: null }
  } catch (thrown) {
    return { value: null, error: thrown instanceof Error ? thrown.message : String(thrown) }
  }
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
