import type { Context } from '../../context.ts'
import { requireEpisode } from '../episodes.ts'
import { addFeedback, type Feedback, feedbackOfOne } from './store.ts'

/** Most that use and disuse together move a score, either way: as much as age and importance. */
const sway = 0.1
/** So many recalls without an answer are assumed beforehand, so that one alone says little. */
const doubt = 4

/** What a score is multiplied by: above 1 for what answers rest on, below for what they pass over. */
export function feedbackFactor(feedback: Feedback | undefined): number {
  if (!feedback) return 1
  const { used, ignored } = feedback
  return 1 + (sway * (used - ignored)) / (used + ignored + doubt)
}

/** A person, or another program, says whether an episode was of use. */
export async function giveFeedback(context: Context, id: string, used: boolean) {
  const episode = await requireEpisode(context, id)
  const counts = { recalled: 0, used: Number(used), ignored: Number(!used) }
  const data = { episode_id: id, agent_id: episode.agent_id, used }
  await context.commit([addFeedback(id, counts)], [{ type: 'memory.episode.feedback', data }])
  return { episode_id: id, ...(await feedbackOfOne(context, id)) }
}
