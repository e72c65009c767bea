import { passGates } from '../../gate.ts'
import { queueCapture } from '../../memory/capture/capture.ts'
import { type Recalled, usesMemory } from '../../memory/recall/notes.ts'
import { recall, reloadRecalled } from '../../memory/recall/recall.ts'
import { addFeedback, insertTurnRecall } from '../../memory/recall/store.ts'
import { countAccess } from '../../memory/store.ts'
import type { Statement } from '../../ports/sql.ts'
import { errorStack } from '../../thrown.ts'
import { iso } from '../../time.ts'
import { textOf } from '../answer.ts'
import { taintConversation } from '../conversation-store.ts'
import { findAskedBefore, listMessages } from '../message-store.ts'
import type { Message, RecallPart } from '../schema.ts'
import { type Turn, tell } from './state.ts'

/** Messages before an answer that are searched for what the person said. */
const searchedMessages = 4

/**
 * The memories for the prompt of the whole turn. They are looked up once: a turn that continues after an approval has
 * the same ones. If memory fails, the answer is made without it.
 */
export async function remember(turn: Turn): Promise<Recalled[]> {
  const { context, message } = turn
  try {
    const known = recallPartOf(message)
    if (known) return await reloadRecalled(context, known.episodes)
    const recalled = await lookUp(turn)
    if (recalled.length > 0) await noteRecalled(turn, recalled)
    return recalled
  } catch (thrown) {
    context.signal.throwIfAborted()
    logFailure(turn, 'memory could not be recalled', thrown)
    return []
  }
}

const recallPartOf = ({ parts }: Pick<Message, 'parts'>): RecallPart | undefined =>
  parts.find((part) => part.type === 'recall')

/** Nothing is looked up for an answer that has begun, or for a turn that no message of a person started. */
async function lookUp({ context, conversation, agent, message }: Turn): Promise<Recalled[]> {
  if (message.parts.length > 0 || !agent.memory.enabled) return []
  const page = { before: message.id, limit: searchedMessages }
  const earlier = (await listMessages(context, conversation.id, page)).reverse()
  if (earlier[0]?.role !== 'user') return []
  const [said, before] = earlier.filter(({ role }) => role === 'user').map(({ content }) => content)
  const data = { conversation_id: conversation.id }
  const { decision } = await passGates(context, { type: 'memory.recall', data, input: null })
  if (decision !== 'allow') return []
  return recall(context, { agent, conversation_id: conversation.id, said: said ?? '', before: before ?? '' })
}

/** A memory that came from outside taints the conversation, as reading a page does. */
async function noteRecalled(turn: Turn, recalled: Recalled[]): Promise<void> {
  const { context, conversation } = turn
  const episodes = recalled.map(({ id, score }) => ({
    id,
    score: Math.round(score * 1_000) / 1_000,
    used: null,
  }))
  tell(turn, { event: 'recall', data: { episodes } })
  if (conversation.tainted || recalled.every(({ trust }) => trust !== 'external')) return
  await context.commit([taintConversation(conversation.id)])
  conversation.tainted = true
}

/**
 * The statements that an ended answer adds to its last commit for memory: which recalled memories it used, and the work
 * that captures the exchange. Call it before the message is stored, because it marks the used memories there.
 */
export async function keepInMemory(turn: Turn): Promise<Statement[]> {
  try {
    return [...(await settleRecall(turn)), ...(await queueCapture(turn))]
  } catch (thrown) {
    logFailure(turn, 'memory could not take in an answer', thrown)
    return []
  }
}

async function settleRecall(turn: Turn): Promise<Statement[]> {
  const { context, message, recalled } = turn
  const part = recallPartOf(message)
  if (!part) return []
  const asked = await findAskedBefore(context, message)
  const answer = { text: textOf(message.parts), said: asked?.content ?? '' }
  const now = iso(context.clock.now())
  const usedIds = new Set(recalled.filter((memory) => usesMemory(answer, memory)).map(({ id }) => id))
  const episodes = part.episodes.map((episode) => ({ ...episode, used: usedIds.has(episode.id) }))
  tell(turn, { event: 'recall', data: { episodes } })
  return [
    countAccess(episodes.map(({ id }) => id)),
    ...episodes.flatMap(({ id, score, used }) => [
      addFeedback(id, { recalled: 1, used: Number(used), ignored: Number(!used) }, now),
      insertTurnRecall({ message_id: message.id, episode_id: id, score, used }, now),
    ]),
  ]
}

function logFailure({ context, message }: Turn, what: string, thrown: unknown): void {
  const cause = errorStack(thrown)
  context.log.write('warn', what, { message: message.id, cause })
}
