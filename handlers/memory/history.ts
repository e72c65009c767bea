import { endpoint } from '../../runtime/http/endpoint.ts'
import { historyOf, restoreEpisode } from '../../runtime/memory/care/history.ts'
import { EpisodeHistory, RestoreRequest } from '../../runtime/memory/care/schema.ts'
import { Episode } from '../../runtime/memory/schema.ts'

export const history = endpoint({
  method: 'GET',
  path: '/api/memory/episodes/{id}/history',
  summary: 'What an episode was before its changes of the last 30 days, also of one that was deleted',
  returns: EpisodeHistory,
  async run({ params }, context) {
    return historyOf(context, params.id)
  },
})

export const restore = endpoint({
  method: 'POST',
  path: '/api/memory/episodes/{id}/restore',
  summary: 'Undo the last change of an episode, or go back to one version',
  body: RestoreRequest,
  body_optional: true,
  returns: Episode,
  async run({ params, body }, context) {
    return restoreEpisode(context, params.id, body.version)
  },
})
