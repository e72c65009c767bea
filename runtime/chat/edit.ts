import type { Context } from '../context.ts'
import { conflict, notFound } from '../fault.ts'
import { requireAttachments } from '../files/attachments.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { requireAnsweringAgent } from './answering-agent.ts'
import {
  guardPresent,
  guardQuiet,
  recountMessages,
  refreshStatus,
  taintConversation,
} from './conversation-store.ts'
import { requireConversation } from './conversations.ts'
import { cutAfter, cutAnswersTo, cutBefore } from './cut-store.ts'
import { draft, withFiles } from './draft.ts'
import { findLatestMessage, findMessage, guardNewRequest, insertMessage } from './message-store.ts'
import { answerOnce, type RequestKey } from './request-key.ts'
import type { Message } from './schema.ts'
import { newTurn } from './send.ts'

interface Injection {
  conversation_id: string
  role: 'user' | 'assistant' | 'system'
  content: string
  /** Ids of uploaded files. */
  attachments?: string[]
}

/** Adds a message that nobody answers. */
export async function injectMessage(context: Context, injection: Injection): Promise<Message> {
  const { conversation_id, role, content, attachments = [] } = injection
  await requireConversation(context, conversation_id)
  const files = await requireAttachments(context, attachments)
  const message = draft(context, conversation_id, { role, content, ...withFiles(content, files) })
  const taints = files.length > 0 ? [taintConversation(conversation_id)] : []
  const now = refreshStatus(conversation_id, iso(context.clock.now()))
  const data = { conversation_id, message_id: message.id }
  await context.commit(
    [guardPresent(conversation_id), insertMessage(message), recountMessages(conversation_id), now, ...taints],
    [{ type: 'message.injected', data }],
  )
  return message
}

interface Truncation {
  conversation_id: string
  after_message_id?: string | undefined
  keep_last?: number | undefined
}

/** Removes the messages behind one, or all but the latest few. */
export async function truncateMessages(
  context: Context,
  cut: Truncation,
): Promise<{ removed: number; remaining: number }> {
  const { conversation_id } = cut
  await requireConversation(context, conversation_id)
  const [, removed] = await context.commit(
    [guardQuiet(conversation_id), ...(await cutStatements(context, cut)), recountMessages(conversation_id)],
    [{ type: 'conversation.updated', data: { conversation_id } }],
  )
  const { message_count } = await requireConversation(context, conversation_id)
  return { removed: removed?.changes ?? 0, remaining: message_count }
}

async function cutStatements(context: Context, cut: Truncation): Promise<Statement[]> {
  if (cut.after_message_id === undefined) return cutBefore(cut.conversation_id, cut.keep_last ?? 0)
  const message = await findMessage(context, cut.after_message_id)
  if (message?.conversation_id !== cut.conversation_id) throw notFound(`The message ${cut.after_message_id}`)
  return cutAfter(cut.conversation_id, message.id)
}

/**
 * Answers the latest message of a person anew; the old answer and what followed it are removed. The same key again
 * returns the same answer, as with `sendMessage`.
 */
export const regenerate = (
  context: Context,
  conversation: string,
  key: RequestKey | null = null,
): Promise<Message> => answerOnce(context, key, () => answerAnew(context, conversation, key))

async function answerAnew(context: Context, conversation: string, key: RequestKey | null): Promise<Message> {
  await requireAnsweringAgent(context, await requireConversation(context, conversation))
  const asked = await findLatestMessage(context, conversation, 'user')
  if (!asked) throw conflict('There is no message to answer')
  const turn = newTurn(context, conversation, { key })
  const data = { conversation_id: conversation, message_id: turn.answer.id }
  const guards = [guardQuiet(conversation), ...(key ? [guardNewRequest(conversation, key.slot)] : [])]
  const written = await context.commit(
    [...guards, ...cutAnswersTo(conversation, asked.id), ...turn.statements],
    [{ type: 'agent.run.started', data }],
  )
  turn.begin(written)
  return turn.answer
}
