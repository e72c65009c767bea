import { z } from 'zod'
import { verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, listOf } from '../../runtime/http/page.ts'
import {
  addEpisode,
  changeEpisode,
  episodeDetail,
  giveFeedback,
  historyOf,
  listPage,
  removeEpisode,
  requireEpisode,
  restoreEpisode,
} from '../../runtime/memory/episodes.ts'
import {
  Episode,
  EpisodeChanges,
  EpisodeDetail,
  EpisodeHistory,
  EpisodeQuery,
  Feedback,
  NewEpisode,
  Related,
  RestoreRequest,
} from '../../runtime/memory/schema.ts'
import { relatedTo } from '../../runtime/memory/search/related.ts'

const episodes = { path: '/api/memory/episodes' } as const

export const list = endpoint('GET /api/memory/episodes', {
  summary: 'List episodes, newest first',
  query: EpisodeQuery,
  returns: listOf('episodes', Episode),
  run: ({ query }, context) => listPage(context, query),
})

export const create = endpoint('POST /api/memory/episodes', {
  summary: 'Create an episode',
  body: NewEpisode,
  returns: Episode,
  status: 201,
  run: ({ body }, context) => addEpisode(context, body),
})

export const show = endpoint('GET /api/memory/episodes/{id}', {
  summary: 'Get an episode with its reply, entities and recall counts',
  returns: EpisodeDetail,
  run: ({ params }, context) => episodeDetail(context, params.id),
})

export const update = endpoint('PUT /api/memory/episodes/{id}', {
  summary: 'Update an episode',
  body: EpisodeChanges,
  before: ({ params }, context) => requireEpisode(context, params.id),
  returns: Episode,
  run: ({ params, body }, context) => changeEpisode(context, params.id, body),
})

export const remove = endpoint('DELETE /api/memory/episodes/{id}', {
  summary: 'Delete an episode; it can be restored for 30 days unless `forever` is set',
  query: z.object({ forever: z.stringbool().default(false) }),
  returns: Deleted,
  async run({ params, query }, context) {
    await removeEpisode(context, params.id, query.forever)
    return { deleted: true, id: params.id }
  },
})

export const related = endpoint('GET /api/memory/episodes/{id}/related', {
  summary: 'List related episodes, each with the reason',
  query: z.object({ limit: z.coerce.number().int().min(1).max(50).default(10) }),
  returns: Related,
  run: ({ params, query }, context) => relatedTo(context, params.id, query.limit),
})

export const feedback = verbOf(episodes, 'feedback', {
  summary: 'Report whether an episode was useful',
  body: z.object({ used: z.boolean() }),
  returns: Feedback,
  run: (context, id, { used }) => giveFeedback(context, id, used),
})

export const history = endpoint('GET /api/memory/episodes/{id}/history', {
  summary: 'List the versions of an episode, even a deleted one, from the last 30 days',
  returns: EpisodeHistory,
  run: ({ params }, context) => historyOf(context, params.id),
})

export const restore = verbOf(episodes, 'restore', {
  summary: 'Undo the last change of an episode, or restore one version',
  body: RestoreRequest,
  body_optional: true,
  returns: Episode,
  run: (context, id, { version }) => restoreEpisode(context, id, version),
})
