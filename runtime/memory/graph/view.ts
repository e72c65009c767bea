import { notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import { countEpisodes, listEpisodes } from '../store.ts'
import type { EntityEpisodes, Graph, GraphQuery } from './schema.ts'
import { countMatches, findEntity, listEdges, listNodes, reachOf } from './view-store.ts'

/** Edges of one answer: more than anybody can draw. */
const mostEdges = 5_000

/** The entities mentioned most, and the facts between them. */
export async function showGraph(host: Pick<Host, 'sql'>, query: GraphQuery): Promise<Graph> {
  const nodes = await listNodes(host, query)
  const page = { nodes: nodes.map(({ rowid }) => rowid), limit: mostEdges }
  const [edges, totals, reach] = await Promise.all([
    listEdges(host, query, page),
    countMatches(host, query),
    reachOf(host, query),
  ])
  return {
    nodes: nodes.map(({ rowid: _, ...node }) => node),
    edges,
    total_nodes: totals.nodes,
    total_edges: totals.edges,
    truncated: totals.nodes > nodes.length || totals.edges > edges.length,
    first_valid_at: reach.first,
    last_valid_at: reach.last,
  }
}

/** One page of the episodes that mention an entity, the newest first; a 404 when the graph does not know it. */
export async function episodesOfEntity(
  host: Pick<Host, 'sql'>,
  id: string,
  page: Page,
): Promise<EntityEpisodes> {
  const entity = await findEntity(host, id)
  if (!entity) throw notFound(`The entity ${id}`)
  const filter = { entity_id: id }
  const [episodes, total] = await Promise.all([listEpisodes(host, filter, page), countEpisodes(host, filter)])
  return { entity, episodes, total, ...page }
}
