import { requireAnsweringAgent } from '../agents/agents.ts'
import type { Context } from '../context.ts'
import { Fault, notFound, payloadTooLarge } from '../fault.ts'
import { requireAttachments } from '../files/attachments.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { newUnit } from '../work/begin.ts'
import { insertWork } from '../work/store.ts'
import { forgetArmed } from './check-in-store.ts'
import {
  guardIdle,
  guardPresent,
  insertConversation,
  recountMessages,
  refreshStatus,
  taintConversation,
  updateConversation,
} from './conversation-store.ts'
import { createdEvent, draftConversation, requireConversation } from './conversations.ts'
import {
  cutAt,
  draft,
  findMessage,
  findMessageByRequest,
  guardNewRequest,
  insertMessage,
  withFiles,
} from './message-store.ts'
import {
  type Message,
  messageLimit,
  NewConversation,
  type StreamRequest,
  type TurnSpender,
  turnKind,
} from './schema.ts'
import { titleFrom, untitled } from './title.ts'
import { chatTurn, stopTurns } from './turns.ts'

/**
 * Stores a person's message, the empty answer to it, and the turn that will fill it, in one commit. Returns the answer.
 * The same idempotency key returns the same answer.
 */
export const sendMessage = (
  context: Context,
  request: StreamRequest,
  key: RequestKey | null,
): Promise<Message> =>
  answerOnce(context, key, () => {
    refuseLong(request.message)
    return storeMessage(context, request, key)
  })

function refuseLong(text: string): void {
  if (new TextEncoder().encode(text).byteLength > messageLimit) throw payloadTooLarge(messageLimit)
}

async function storeMessage(
  context: Context,
  request: StreamRequest,
  key: RequestKey | null,
): Promise<Message> {
  const files = await requireAttachments(context, request.attachments)
  const { conversation, isNew } = await conversationFor(context, request)
  if (!isNew && request.when_busy === 'interrupt') await stopTurns(context, conversation.id)
  const old = await replacedBy(context, conversation.id, request)
  const asked = draft(context, conversation.id, {
    role: 'user',
    content: request.message,
    ...withFiles(request.message, files),
  })
  const created = isNew ? [insertConversation(conversation)] : []
  const titled =
    conversation.title === (old ? titleFrom(old.content) : untitled)
      ? [updateConversation(conversation.id, { title: titleFrom(request.message) })]
      : []
  const turn = newTurn(context, conversation.id, {
    model: request.model,
    key,
    steer: request.when_busy === 'steer',
  })
  const written = await context.commit(
    [
      ...created,
      ...guardsOf(conversation.id, request, key),
      ...(old ? cutAt(conversation.id, old.id) : []),
      ...titled,
      // The content of a file is as untrusted as that of a web page.
      ...(files.length > 0 ? [taintConversation(conversation.id)] : []),
      insertMessage(asked),
      forgetArmed(conversation.id),
      ...turn.statements,
    ],
    [
      ...(isNew ? [createdEvent(conversation)] : []),
      { type: 'message.received', data: { conversation_id: conversation.id, message_id: asked.id } },
      { type: 'agent.run.started', data: { conversation_id: conversation.id, message_id: turn.answer.id } },
    ],
  )
  turn.begin(written)
  return turn.answer
}

async function conversationFor(context: Context, request: StreamRequest) {
  if (request.conversation_id !== undefined) {
    const conversation = await requireConversation(context, request.conversation_id)
    await requireAnsweringAgent(context, conversation)
    return { conversation, isNew: false }
  }
  const agent = request.agent_id === undefined ? {} : { agent_id: request.agent_id }
  return { conversation: await draftConversation(context, NewConversation.parse(agent)), isNew: true }
}

/** The message that this one replaces. */
async function replacedBy(
  context: Context,
  conversation: string,
  { replaces }: StreamRequest,
): Promise<Message | null> {
  if (replaces === undefined) return null
  const message = await findMessage(context, replaces)
  if (message?.conversation_id === conversation && message.role === 'user') return message
  throw notFound(`The message ${replaces}`)
}

/** The conditions that must still hold when the message is stored. */
const guardsOf = (
  conversation: string,
  { when_busy, replaces }: StreamRequest,
  key: RequestKey | null,
): Statement[] => [
  guardPresent(conversation),
  ...(key ? [guardNewRequest(conversation, key.slot)] : []),
  ...(when_busy === 'reject' || replaces !== undefined ? [guardIdle(conversation)] : []),
]

interface TurnOptions {
  model?: string | undefined
  key?: RequestKey | null
  /** A running turn may take the message in instead. */
  steer?: boolean
  /** Who pays, if not only the conversation. */
  spender?: TurnSpender
  /** The unit of work that is queued in the commit that ends the turn, however it ends. */
  followed_by?: { kind: string; subject: string }
  /** Starts with the next tick, so that many can be started together. */
  queued?: boolean
}

/**
 * A new answer: the statements for its empty message, its work and the conversation's status. After their commit, call
 * `begin` with what it has written.
 */
export function newTurn(context: Context, conversation: string, options: TurnOptions = {}) {
  const answer = draft(context, conversation, { role: 'assistant', content: '', status: 'streaming' })
  const payload = {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.steer ? { steer: true } : {}),
    ...(options.spender ? { spender: options.spender } : {}),
    ...(options.followed_by ? { followed_by: options.followed_by } : {}),
  }
  const work = { subject: answer.id, lane: conversation, payload }
  const unit = options.queued
    ? { ...insertWork(context, { ...work, kind: turnKind }), begin: context.process.wake }
    : newUnit(context, chatTurn, work)
  const statements: Statement[] = [
    insertMessage(answer, options.key ? requestKeyText(options.key) : null),
    unit.statement,
    recountMessages(conversation),
    refreshStatus(conversation, iso(context.clock.now())),
  ]
  return { answer, statements, begin: unit.begin }
}

/** Identifies a repeated request: the caller with the `Idempotency-Key`, and a fingerprint of the body. */
export interface RequestKey {
  slot: string
  fingerprint: string
}

/** The key of a request; null without an `Idempotency-Key`. */
export function requestKey(context: Context, request: Request, body: unknown): RequestKey | null {
  const key = request.headers.get('idempotency-key')
  if (!key) return null
  const slot = context.secrets.sha256(`${context.caller.id ?? context.caller.address}\n${key}`)
  return { slot, fingerprint: context.secrets.sha256(JSON.stringify(body)) }
}

export const requestKeyText = (key: RequestKey) => `${key.slot}.${key.fingerprint}`

/**
 * Starts an answer once per key; a repeated request gets the answer that the first one started, even if both come at
 * the same time. `begin` must store the key with the answer, after `guardNewRequest`.
 */
export async function answerOnce(
  context: Context,
  key: RequestKey | null,
  begin: () => Promise<Message>,
): Promise<Message> {
  const earlier = key && (await findMessageByRequest(context, key.slot))
  if (earlier) return repeated(earlier, key)
  try {
    return await begin()
  } catch (thrown) {
    const first = key && thrown instanceof GuardFailed && (await findMessageByRequest(context, key.slot))
    if (first) return repeated(first, key)
    throw thrown
  }
}

function repeated(earlier: { message: Message; request_key: string }, key: RequestKey): Message {
  if (earlier.request_key === requestKeyText(key)) return earlier.message
  throw new Fault(422, 'validation_error', 'This Idempotency-Key was used with another body', {
    extra: { issues: [{ path: 'Idempotency-Key', message: 'already used with another body' }] },
  })
}
