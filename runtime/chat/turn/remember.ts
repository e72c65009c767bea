import type { Recalled } from '../../memory/recall/notes.ts'
import { recall, recallAgain } from '../../memory/recall/recall.ts'
import { taintConversation } from '../conversation-store.ts'
import { listMessages } from '../message-store.ts'
import type { Message, RecallPart } from '../schema.ts'
import type { Turn } from './state.ts'

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
