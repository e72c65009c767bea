import { Graph, layout } from '@dagrejs/dagre'
import { cell, type Flow, type Position } from './editor-state.ts'

/** Positions from left to right in which no nodes overlap and few edges cross. */
export function arranged({ nodes, edges }: Flow): Map<string, Position> {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 40, ranksep: 70 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { width: cell.x - 60, height: cell.y - 40 })
  for (const { source, target } of edges) graph.setEdge(source, target)
  layout(graph)
  return new Map(
    nodes.map(({ id }) => {
      const { x, y } = graph.node(id) as Position
      return [id, { x, y }]
    }),
  )
}
