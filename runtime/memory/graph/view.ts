import type { Host } from '../../host.ts'
import type { Graph, GraphQuery } from './schema.ts'
import { countEdges, countNodes, listEdges, listNodes } from './view-store.ts'

/** Edges of one answer: more than anybody can draw. */
const mostEdges = 5_000

/** The entities mentioned most, and the facts between them. */
export async function showGraph(host: Pick<Host, 'sql'>, query: GraphQuery): Promise<Graph> {
  const nodes = await listNodes(host, query)
  const few = nodes.length < query.limit
  const page = { nodes: nodes.map(({ rowid }) => rowid), limit: mostEdges }
  const [total_nodes, edges, total_edges] = await Promise.all([
    few ? nodes.length : countNodes(host, query),
    listEdges(host, query, page),
    countEdges(host, query),
  ])
  return {
    nodes: nodes.map(({ rowid: _, ...node }) => node),
    edges,
    total_nodes,
    total_edges,
    truncated: total_nodes > nodes.length || total_edges > edges.length,
  }
}
