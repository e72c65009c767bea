import { z } from 'zod'
import { requireAnsweringAgent } from '../agents/index.ts'
import { isShared } from '../auth/sharing.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { badRequest, conflict, notFound } from '../fault.ts'
import { requireAttachments } from '../files/index.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { guardIdle, guardPresent, recountMessages, refreshStatus, taintConversation } from './conversation-store.ts'
import { changesForOthers, publicConversation, requireConversation, requireOwnConversation } from './conversations.ts'
import {
  allMessages,
  beyondPage,
  countMessagesUpTo,
  cutAfter,
  cutAnswersTo,
  cutBefore,
  draft,
  findLatestMessage,
  findMessage,
  insertMessage,
  listMessages,
  listMessagesFrom,
  withFiles,
} from './message-store.ts'
import { Conversation, Message, type Part } from './schema.ts'
import { newTurn } from './send.ts'

interface Place {
  before?: string | undefined
  after?: string | undefined
  around?: string | undefined
  limit: number
}

export interface MessagePage {
  messages: Message[]
  has_older: boolean
  has_newer: boolean
}

export async function readPage(context: Context, conversation: string, place: Place): Promise<MessagePage> {
  const messages = await messagesAt(context, conversation, place)
  return { messages, ...(await beyondPage(context, conversation, messages)) }
}

async function messagesAt(context: Context, conversation: string, place: Place): Promise<Message[]> {
  const { before, after, around, limit } = place
  await requirePlace(context, conversation, before ?? after)
  if (after !== undefined) return listMessagesFrom(context, conversation, { from: idAfter(after), limit })
  if (around === undefined) return listMessages(context, conversation, { before, limit })
  const message = await findMessage(context, around)
  if (message?.conversation_id !== conversation) throw notFound(`The message ${around}`)
  const older = Math.floor((limit - 1) / 2)
  return [
    ...(older > 0 ? await listMessages(context, conversation, { before: around, limit: older }) : []),
    ...(await listMessagesFrom(context, conversation, { from: around, limit: limit - older })),
  ]
}

async function requirePlace(context: Context, conversation: string, id: string | undefined): Promise<void> {
  if (id === undefined) return
  const message = await findMessage(context, id)
  if (message?.conversation_id !== conversation)
    throw badRequest(`before and after must be the id of a message of this conversation, not ${id}`)
}

/** The smallest id that sorts after another. */
const idAfter = (id: string) => `${id}\u0001`

interface Injection extends Pick<Message, 'conversation_id' | 'role' | 'content'> {
  /** Ids of uploaded files. */
  attachments?: string[]
  /** What wrote the content; null for a person or a fixed text. */
  model?: string | null
  provider?: string | null
}

/** Adds a message without starting an answer. */
export async function injectMessage(
  context: Context,
  injection: Injection,
  answerWith: (message: Message) => unknown = (message) => message,
): Promise<Message> {
  const { conversation_id, attachments = [], ...own } = injection
  const conversation = await requireConversation(context, conversation_id)
  const files = await requireAttachments(context, attachments)
  const message = draft(context, conversation_id, { ...own, ...withFiles(own.content, files) })
  const isForeign = files.length > 0 || isShared(context, conversation)
  const taints = isForeign ? [taintConversation(conversation_id)] : []
  const now = refreshStatus(conversation_id, iso(context.clock.now()))
  const data = { conversation_id, message_id: message.id }
  await context.commit(
    [guardPresent(conversation_id), insertMessage(message), recountMessages(conversation_id), now, ...taints],
    [event('message.injected', data), ...changesForOthers(context, conversation)],
    { answer: answerWith(message) },
  )
  return message
}

interface Truncation {
  conversation_id: string
  after_message_id?: string | undefined
  keep_last?: number | undefined
}

/** Removes the messages after a given one, or all but the latest few. */
export async function truncateMessages(
  context: Context,
  cut: Truncation,
): Promise<{ removed: number; remaining: number }> {
  const { conversation_id } = cut
  const { message_count: before } = await requireOwnConversation(context, conversation_id)
  const statements = await cutStatements(context, cut)
  const remaining =
    cut.after_message_id === undefined
      ? Math.min(before, cut.keep_last ?? 0)
      : await countMessagesUpTo(context, conversation_id, cut.after_message_id)
  const [, removed] = await context.commit(
    [guardIdle(conversation_id), ...statements, recountMessages(conversation_id)],
    [event('conversation.updated', { conversation_id })],
    { answer: { removed: before - remaining, remaining } },
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

/** Answers the latest message of a person again; the old answer and everything after it are removed. */
export async function regenerate(context: Context, conversation: string): Promise<Message> {
  await requireAnsweringAgent(context, await requireConversation(context, conversation))
  const question = await findLatestMessage(context, conversation, 'user')
  if (!question) throw conflict('There is no message to answer')
  const turn = newTurn(context, conversation)
  const data = { conversation_id: conversation, message_id: turn.answer.id }
  const written = await context.commit(
    [guardIdle(conversation), ...cutAnswersTo(conversation, question.id), ...turn.statements],
    [{ type: 'agent.run.started', data }],
    { answer: turn.answer.id },
  )
  turn.begin(written)
  return turn.answer
}

/**
 * A conversation as an exported file. It keeps what people wrote, but not the credentials that the daemon stores or
 * issues.
 */
export const ConversationFile = z.object({
  format: z.literal('hearthd.conversation'),
  version: z.literal(1),
  conversation: Conversation,
  messages: z.array(Message),
})
export type ConversationFile = z.output<typeof ConversationFile>

export async function exportConversation(context: Context, id: string): Promise<ConversationFile> {
  const conversation = publicConversation(await requireConversation(context, id))
  return context.process.redaction.ownValue({
    format: 'hearthd.conversation' as const,
    version: 1 as const,
    conversation,
    messages: await allMessages(context, id),
  })
}

/** The conversation as Markdown, including tool calls and results. */
export function toMarkdown({ conversation, messages }: ConversationFile): string {
  const body = messages.map((message) => `## ${message.role} · ${message.created_at}\n\n${partsText(message)}\n`)
  return `# ${conversation.title}\n\n${body.join('\n')}`
}

function partsText(message: Message): string {
  const text = message.parts
    .map(partText)
    .filter((part) => part !== '')
    .join('\n\n')
  return message.error ? `${text}\n\n*${message.error.code}: ${message.error.message}*`.trim() : text
}

function partText(part: Part): string {
  if (part.type === 'text') return part.text
  if (part.type === 'tool_use') return `**${part.tool}** ${part.summary}\n\n${fenced(part.input)}`
  return part.type === 'tool_result' ? fenced(part.output) : ''
}

/** The fence is longer than any in the text, so that the text cannot close it. */
function fenced(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
