import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { EntityEpisodes, EntityEpisodesQuery } from '../../runtime/memory/graph/schema.ts'
import { episodesOfEntity } from '../../runtime/memory/graph/view.ts'

export const episodes = endpoint({
  method: 'GET',
  path: '/api/memory/entities/{id}/episodes',
  summary: 'The episodes that mention an entity, the newest first',
  params: z.object({ id: z.string() }),
  query: EntityEpisodesQuery,
  returns: EntityEpisodes,
  async run({ params, query }, context) {
    return Response.json(await episodesOfEntity(context, params.id, query))
  },
})
