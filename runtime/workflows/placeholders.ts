import type { Context } from '../context.ts'
import { allEntries } from './entries.ts'
import { exitsOf } from './exit.ts'
import { Graph } from './graph.ts'
import type { Definition, WorkflowNode } from './schema.ts'
import { findShownWorkflow } from './workflow-store.ts'

const isPlaceholder = ({ type }: Pick<WorkflowNode, 'type'>): boolean => type === 'placeholder'

/** The enabled nodes that executions may reach. What follows a placeholder is not reached. */
function reachableNodes(definition: Definition): WorkflowNode[] {
  const graph = new Graph(definition)
  const reached = new Set<string>()
  const open = allEntries(definition)
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = graph.nodes.get(id)
    if (!node || reached.has(id)) continue
    reached.add(id)
    if (!isPlaceholder(node) || node.disabled) open.push(...exitsOf(graph, node).map(({ target }) => target))
  }
  return definition.nodes.filter(({ id, disabled }) => reached.has(id) && !disabled)
}

/** A node that leads to a placeholder: the placeholder itself, or a sub-workflow that contains one. */
export interface Blocked {
  node: WorkflowNode
  /** The workflow that the node runs and the placeholder in it; null if the node is the placeholder. */
  within: { workflow: string; placeholder: string } | null
}

/** The nodes of a definition at which an execution would fail, because it would reach a placeholder. */
export async function blockedNodes(
  context: Context,
  definition: Definition,
  seen = new Set<string>(),
): Promise<Blocked[]> {
  const blocked: Blocked[] = []
  for (const node of reachableNodes(definition)) {
    if (isPlaceholder(node)) blocked.push({ node, within: null })
    const id = node.type === 'sub_workflow' ? node.params.workflow_id : null
    const within = typeof id === 'string' ? await placeholderIn(context, id, seen) : null
    if (within) blocked.push({ node, within })
  }
  return blocked
}

/** The first placeholder that executions of a workflow may reach, also in its sub-workflows. */
export async function placeholderIn(
  context: Context,
  id: string,
  seen = new Set<string>(),
): Promise<Blocked['within']> {
  if (seen.has(id)) return null
  seen.add(id)
  const workflow = await findShownWorkflow(context, id)
  const [first] = workflow ? await blockedNodes(context, workflow, seen) : []
  if (!workflow || !first) return null
  return first.within ?? { workflow: workflow.name, placeholder: first.node.name }
}
