import type { Host } from '../../host.ts'
import type { Graph, GraphQuery } from './schema.ts'
import { countMatches, listEdges, listNodes } from './view-store.ts'

/** Edges of one answer: more than anybody can draw. */
const mostEdges = 5_000

/** The entities mentioned most, and the facts between them. */
export async function showGraph(host: Pick<Host, 'sql'>, query: GraphQuery): Promise<Graph> {
  const nodes = await listNodes(host, query)
  const page = { nodes: nodes.map(({ rowid }) => rowid), limit: mostEdges }
  const [edges, totals] = await Promise.all([listEdges(host, query, page), countMatches(host, query)])
  return {
    nodes: nodes.map(({ rowid: _, ...node }) => node),
    edges,
    total_nodes: totals.nodes,
    total_edges: totals.edges,
    truncated: totals.nodes > nodes.length || totals.edges > edges.length,
  }
}
