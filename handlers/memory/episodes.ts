import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, listOf } from '../../runtime/http/page.ts'
import { episodeDetail } from '../../runtime/memory/detail.ts'
import { addEpisode, changeEpisode, listPage, removeEpisode } from '../../runtime/memory/episodes.ts'
import {
  Episode,
  EpisodeChanges,
  EpisodeDetail,
  EpisodeQuery,
  NewEpisode,
} from '../../runtime/memory/schema.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/memory/episodes',
  summary: 'List episodes, the newest first',
  query: EpisodeQuery,
  returns: listOf('episodes', Episode),
  async run({ query }, context) {
    return listPage(context, query)
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/memory/episodes',
  summary: 'Store one episode',
  body: NewEpisode,
  returns: Episode,
  status: 201,
  async run({ body }, context) {
    return addEpisode(context, body)
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/memory/episodes/{id}',
  summary: 'Read one episode, with what it mentions and how it fared in recalls',
  returns: EpisodeDetail,
  async run({ params }, context) {
    return episodeDetail(context, params.id)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/memory/episodes/{id}',
  summary: 'Change an episode',
  body: EpisodeChanges,
  returns: Episode,
  async run({ params, body }, context) {
    return changeEpisode(context, params.id, body)
  },
})

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/memory/episodes/{id}',
  summary: 'Delete an episode, for 30 days so that it can be undone, or forever',
  query: z.object({ forever: z.stringbool().default(false) }),
  returns: Deleted,
  async run({ params, query }, context) {
    await removeEpisode(context, params.id, query.forever)
    return { deleted: true, id: params.id }
  },
})
