import { endpoint } from '../../runtime/http/endpoint.ts'
import { memoryClusters } from '../../runtime/memory/clusters/clusters.ts'
import { episodesOfEntity, showGraph } from '../../runtime/memory/graph/view-store.ts'
import {
  ClusterQuery,
  ClusterResponse,
  EntityEpisodes,
  EntityEpisodesQuery,
  Graph,
  GraphQuery,
} from '../../runtime/memory/schema.ts'

export const graph = endpoint('GET /api/memory/graph', {
  summary: 'Get the knowledge graph: entities, most mentioned first, and the facts between them',
  query: GraphQuery,
  returns: Graph,
  run: ({ query }, context) => showGraph(context, query),
})

export const entityEpisodes = endpoint('GET /api/memory/entities/{id}/episodes', {
  summary: 'List the episodes that mention an entity, newest first',
  query: EntityEpisodesQuery,
  returns: EntityEpisodes,
  run: ({ params, query }, context) => episodesOfEntity(context, params.id, query),
})

export const clusters = endpoint('GET /api/memory/clusters', {
  summary: 'Get the map of memory: points and clusters, or the reason why there is none',
  query: ClusterQuery,
  returns: ClusterResponse,
  run: ({ query }, context) => memoryClusters(context, query),
})
