import { endpoint } from '../../runtime/http/endpoint.ts'
import { EntityEpisodes, EntityEpisodesQuery } from '../../runtime/memory/graph/schema.ts'
import { episodesOfEntity } from '../../runtime/memory/graph/view.ts'

export const episodes = endpoint({
  method: 'GET',
  path: '/api/memory/entities/{id}/episodes',
  summary: 'The episodes that mention an entity, the newest first',
  query: EntityEpisodesQuery,
  returns: EntityEpisodes,
  async run({ params, query }, context) {
    return episodesOfEntity(context, params.id, query)
  },
})
