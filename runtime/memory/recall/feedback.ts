import type { Context } from '../../context.ts'
import { requireEpisode } from '../episodes.ts'
import { addFeedback, feedbackOfOne } from './store.ts'

/** A person, or another program, says whether an episode was of use. */
export async function giveFeedback(context: Context, id: string, used: boolean) {
  const episode = await requireEpisode(context, id)
  const counts = { recalled: 0, used: Number(used), ignored: Number(!used) }
  const data = { episode_id: id, agent_id: episode.agent_id, used }
  await context.commit([addFeedback(id, counts)], [{ type: 'memory.episode.feedback', data }])
  return { episode_id: id, ...(await feedbackOfOne(context, id)) }
}
