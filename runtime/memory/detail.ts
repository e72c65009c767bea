import type { Host } from '../host.ts'
import { requireEpisode } from './episodes.ts'
import { entitiesOf } from './graph/mention-store.ts'
import { feedbackOfOne } from './recall/store.ts'
import type { EpisodeDetail } from './schema.ts'
import { replyOf } from './store.ts'

/** One episode with its answer, what it mentions and how it fared in recalls; or a 404. */
export async function episodeDetail(host: Pick<Host, 'sql'>, id: string): Promise<EpisodeDetail> {
  const [episode, reply, entities, feedback] = await Promise.all([
    requireEpisode(host, id),
    replyOf(host, id),
    entitiesOf(host, [id]),
    feedbackOfOne(host, id),
  ])
  return { ...episode, reply, entities: entities.get(id) ?? [], feedback }
}
