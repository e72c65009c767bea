import { captureLater } from '../../memory/capture/capture.ts'
import type { Recalled } from '../../memory/recall/notes.ts'
import { recall, recallAgain } from '../../memory/recall/recall.ts'
import { addFeedback, insertTurnRecall } from '../../memory/recall/store.ts'
import { restsOn } from '../../memory/recall/used.ts'
import { countAccess } from '../../memory/store.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import type { WorkEnding } from '../../work/kind.ts'
import { taintConversation } from '../conversation-store.ts'
import { findAskedBefore, listMessages } from '../message-store.ts'
import type { Message, RecallPart } from '../schema.ts'
import { type Turn, textOf } from './state.ts'

type Beginning = Pick<Turn, 'context' | 'conversation' | 'agent' | 'message' | 'log'>

/** Messages before an answer that are looked through for what the person said. */
const lookedBack = 4

/**
 * What memory knows of what the person says, for the prompt of the whole turn. It is looked up once: a turn that goes
 * on after an approval has the same again. Without a memory that works, the answer is made without one.
 */
export async function remember(turn: Beginning): Promise<Recalled[]> {
  const { context, message } = turn
  try {
    const known = recallPartOf(message)
    if (known) return await recallAgain(context, known.episodes)
    const recalled = await lookUp(turn)
    if (recalled.length > 0) await note(turn, recalled)
    return recalled
  } catch (thrown) {
    context.signal.throwIfAborted()
    const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    context.log.write('warn', 'memory could not be recalled', { message: message.id, cause })
    return []
  }
}

export const recallPartOf = ({ parts }: Pick<Message, 'parts'>): RecallPart | undefined =>
  parts.find((part) => part.type === 'recall')

/** An answer that was begun before has no place for a memory any more. A turn that no person asked for has no question. */
async function lookUp({ context, conversation, agent, message }: Beginning): Promise<Recalled[]> {
  if (message.parts.length > 0 || !agent.memory.enabled) return []
  const page = { before: message.id, limit: lookedBack }
  const earlier = (await listMessages(context, conversation.id, page)).reverse()
  if (earlier[0]?.role !== 'user') return []
  const [said, before] = earlier.filter(({ role }) => role === 'user').map(({ content }) => content)
  return recall(context, { agent, conversation_id: conversation.id, said: said ?? '', before: before ?? '' })
}

/** What strangers said makes of the conversation one that holds text from outside, as a page that was read does. */
async function note({ context, conversation, message, log }: Beginning, recalled: Recalled[]): Promise<void> {
  const episodes = recalled.map(({ id, score }) => ({
    id,
    score: Math.round(score * 1_000) / 1_000,
    used: null,
  }))
  message.parts.push({ type: 'recall', episodes })
  log.emit('recall', { episodes })
  if (conversation.tainted || recalled.every(({ trust }) => trust !== 'external')) return
  await context.commit([taintConversation(conversation.id)])
  conversation.tainted = true
}

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
