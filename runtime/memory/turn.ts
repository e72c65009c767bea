import {
  findAskedBefore,
  historyBefore,
  listMessages,
  type Message,
  type Recalled,
  type RecallPart,
  type Turn,
  type TurnStart,
  taintConversation,
  tell,
  textOf,
} from '../chat/index.ts'
import { passGates } from '../gate.ts'
import type { Statement } from '../ports/sql.ts'
import { errorStack } from '../thrown.ts'
import { iso } from '../time.ts'
import { queueCapture } from './capture/capture.ts'
import { recall, reloadRecalled, usageIn } from './recall/recall.ts'
import { addFeedback, insertTurnRecall } from './recall/store.ts'
import { countAccess } from './store.ts'

/** Messages before an answer that are searched for what the person said. */
const searchedMessages = 4

/**
 * The memories for the prompt of the whole turn. They are looked up once: a turn that continues after an approval has
 * the same ones. If memory fails, the answer is made without it.
 */
export async function remember(start: TurnStart): Promise<Recalled[]> {
  const { context, message } = start
  try {
    if (recallPartOf(message)) return (await reload(start, [message])).get(message.id) ?? []
    return await lookUp(start)
  } catch (thrown) {
    context.signal.throwIfAborted()
    logFailure(start, 'memory could not be recalled', thrown)
    return []
  }
}

/** The memories of answers as they are now, by answer. */
export async function reload(
  turn: Pick<Turn, 'context' | 'message'>,
  answers: readonly Message[],
): Promise<ReadonlyMap<string, Recalled[]>> {
  const parts = new Map(
    answers.flatMap((answer) => {
      const part = recallPartOf(answer)
      return part ? [[answer.id, part.episodes] as const] : []
    }),
  )
  try {
    return await reloadRecalled(turn.context, parts)
  } catch (thrown) {
    turn.context.signal.throwIfAborted()
    logFailure(turn, 'memories of earlier answers could not be read', thrown)
    return new Map()
  }
}

const recallPartOf = ({ parts }: Pick<Message, 'parts'>): RecallPart | undefined =>
  parts.find((part) => part.type === 'recall')

/**
 * Nothing is looked up for an answer that has begun, or for a turn that no message of a person started. What the prompt
 * shows with an earlier answer is not shown again.
 */
async function lookUp({ context, conversation, agent, message }: TurnStart): Promise<Recalled[]> {
  if (message.parts.length > 0 || !agent.memory.enabled) return []
  const page = { before: message.id, limit: searchedMessages }
  const earlier = (await listMessages(context, conversation.id, page)).reverse()
  if (earlier[0]?.role !== 'user') return []
  const [said, before] = earlier.filter(({ role }) => role === 'user').map(({ content }) => content)
  const data = { conversation_id: conversation.id }
  const { decision } = await passGates(context, { type: 'memory.recall', data, input: null })
  if (decision !== 'allow') return []
  const found = await recall(context, {
    agent,
    conversation_id: conversation.id,
    said: said ?? '',
    before: before ?? '',
  })
  const history = await historyBefore(context, conversation.id, message.id)
  const shown = new Set(history.flatMap((answer) => recallPartOf(answer)?.episodes ?? []).map(({ id }) => id))
  return found.filter(({ id }) => !shown.has(id))
}

/** A memory that came from outside taints the conversation, as reading a page does. */
export async function noteRecalled(turn: Turn, recalled: readonly Recalled[]): Promise<readonly Recalled[]> {
  const { context, conversation, message } = turn
  if (recalled.length === 0 || recallPartOf(message)) return recalled
  try {
    const episodes = recalled.map(({ id, score }) => ({ id, score: Math.round(score * 1_000) / 1_000, used: null }))
    tell(turn, { event: 'recall', data: { episodes } })
    if (conversation.tainted || recalled.every(({ trust }) => trust !== 'external')) return recalled
    await context.commit([taintConversation(conversation.id)])
    conversation.tainted = true
    return recalled
  } catch (thrown) {
    context.signal.throwIfAborted()
    logFailure(turn, 'memories could not be recorded', thrown)
    return []
  }
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
  const { context, message } = turn
  const part = recallPartOf(message)
  if (!part) return []
  const recalled = turn.recalled.get(message.id) ?? []
  const question = await findAskedBefore(context, message)
  const isUsed = usageIn({ text: textOf(message.parts), said: question?.content ?? '' })
  const now = iso(context.clock.now())
  const usedIds = new Set(recalled.filter(isUsed).map(({ id }) => id))
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

function logFailure({ context, message }: Pick<Turn, 'context' | 'message'>, what: string, thrown: unknown): void {
  const cause = errorStack(thrown)
  context.log.write('warn', what, { message: message.id, cause })
}
