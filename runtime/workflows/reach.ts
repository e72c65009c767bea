import type { Context } from '../context.ts'
import { allEntries, Graph } from './graph.ts'
import { findNodeType } from './nodes/index.ts'
import type { Definition, WorkflowEdge, WorkflowNode } from './schema.ts'
import { findShownWorkflow } from './workflow-store.ts'

/** The output at which the execution continues if the node itself does not run: `main`, else its first one. */
export function exitOf(graph: Graph, { id, type }: Pick<WorkflowNode, 'id' | 'type'>): string {
  const names = findNodeType(type)?.outputs?.map(({ name }) => name) ?? ['main']
  if (names.includes('main') || graph.edgesOf(id, 'main').length > 0) return 'main'
  return names.find((name) => name !== 'loop') ?? 'main'
}

/** Whether a node continues at its output `error` after an error. */
export const hasErrorOutput = ({ on_error }: Pick<WorkflowNode, 'on_error'>): boolean => on_error.endsWith('_output')

/** The edges that an execution may take from a node. */
function exitsOf(graph: Graph, node: WorkflowNode): readonly WorkflowEdge[] {
  if (node.disabled) return graph.edgesOf(node.id, exitOf(graph, node))
  const edges = graph.edgesFrom(node.id)
  return hasErrorOutput(node) ? edges : edges.filter(({ source_output }) => source_output !== 'error')
}

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
