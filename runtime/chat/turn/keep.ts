import { captureLater } from '../../memory/capture/capture.ts'
import { addFeedback, insertTurnRecall } from '../../memory/recall/store.ts'
import { restsOn } from '../../memory/recall/used.ts'
import { countAccess } from '../../memory/store.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import type { WorkEnding } from '../../work/kind.ts'
import { findAskedBefore } from '../message-store.ts'
import { recallPartOf } from './remember.ts'
import { type Turn, textOf } from './state.ts'

/**
 * What an answer that has ended leaves to memory, for the commit of its end: which of the memories in its prompt it
 * rests on, and the work that keeps the exchange. It marks the message, so it comes before that is stored.
 */
export async function keepInMemory(turn: Turn): Promise<Statement[]> {
  try {
    return [...(await settleRecall(turn)), ...(await captureLater(turn))]
  } catch (thrown) {
    const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    turn.context.log.write('warn', 'memory could not take in an answer', { message: turn.message.id, cause })
    return []
  }
}

async function settleRecall({ context, message, recalled, log }: Turn): Promise<Statement[]> {
  const part = recallPartOf(message)
  if (!part) return []
  const asked = await findAskedBefore(context, message)
  const answer = { text: textOf(message.parts), said: asked?.content ?? '' }
  const now = iso(context.clock.now())
  const rested = new Map(recalled.map((memory) => [memory.id, restsOn(answer, memory)]))
  part.episodes = part.episodes.map((episode) => ({ ...episode, used: rested.get(episode.id) ?? false }))
  log.emit('recall', { episodes: part.episodes })
  const ids = part.episodes.map(({ id }) => id)
  return [countAccess(ids), ...part.episodes.flatMap((episode) => settled(message.id, episode, now))]
}

function settled(message: string, episode: { id: string; score: number; used: boolean | null }, now: string) {
  const used = episode.used === true
  return [
    addFeedback(episode.id, { recalled: 1, used: Number(used), ignored: Number(!used) }, now),
    insertTurnRecall({ message_id: message, episode_id: episode.id, score: episode.score, used }, now),
  ]
}

export const withMemory = (ending: WorkEnding, kept: readonly Statement[]): WorkEnding =>
  kept.length === 0 ? ending : { ...ending, statements: [...(ending.statements ?? []), ...kept] }
