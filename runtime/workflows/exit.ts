import type { Graph } from './graph.ts'
import { findNodeType } from './nodes/index.ts'
import type { WorkflowEdge, WorkflowNode } from './schema.ts'

/** The output at which the execution continues if the node itself does not run: `main`, else its first one. */
export function exitOf(graph: Graph, { id, type }: Pick<WorkflowNode, 'id' | 'type'>): string {
  const names = findNodeType(type)?.outputs?.map(({ name }) => name) ?? ['main']
  if (names.includes('main') || graph.edgesOf(id, 'main').length > 0) return 'main'
  return names.find((name) => name !== 'loop') ?? 'main'
}

/** The edges that an execution may take from a node. */
export function exitsOf(graph: Graph, node: WorkflowNode): readonly WorkflowEdge[] {
  if (node.disabled) return graph.edgesOf(node.id, exitOf(graph, node))
  const edges = graph.edgesFrom(node.id)
  return node.on_error === 'error_output'
    ? edges
    : edges.filter(({ source_output }) => source_output !== 'error')
}
