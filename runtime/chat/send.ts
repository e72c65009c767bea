import { requireAnsweringAgent } from '../agents/index.ts'
import { isShared } from '../auth/sharing.ts'
import type { Context } from '../context.ts'
import { forbidden, notFound, payloadTooLarge } from '../fault.ts'
import { requireAttachments } from '../files/index.ts'
import { passGates } from '../gate.ts'
import type { TurnSpender } from '../ledger/spender.ts'
import type { Statement } from '../ports/sql.ts'
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
import { changesForOthers, createdEvent, draftConversation, requireConversation } from './conversations.ts'
import { cutAt, draft, findMessage, insertMessage, insertTyped, withFiles } from './message-store.ts'
import {
  type DelegatedBy,
  type Message,
  messageLimit,
  NewConversation,
  type StreamRequest,
  turnKind,
} from './schema.ts'
import { titleFrom, untitled } from './title.ts'
import { chatTurn, stopTurns } from './turns.ts'

/**
 * Stores a person's message, the empty answer to it, and the turn that will fill it, in one commit. Returns the answer.
 * `by_person: false` is for the message of another program.
 */
export async function sendMessage(context: Context, input: StreamRequest, { by_person = true } = {}): Promise<Message> {
  refuseLong(input.message)
  const request = await gated(context, input)
  const files = await requireAttachments(context, request.attachments)
  const { conversation, isNew } = await conversationFor(context, request)
  if (!isNew && request.when_busy === 'interrupt') await stopTurns(context, conversation.id)
  const old = await replacedBy(context, conversation.id, request)
  const question = draft(context, conversation.id, {
    role: 'user',
    content: request.message,
    ...withFiles(request.message, files),
  })
  // A hook may have put anything into it.
  const isTyped = by_person && request.message === input.message && !isShared(context, conversation)
  const created = isNew ? [insertConversation(conversation)] : []
  const titled =
    conversation.title === (old ? titleFrom(old.content) : untitled)
      ? [updateConversation(conversation.id, { title: titleFrom(request.message) })]
      : []
  const turn = newTurn(context, conversation.id, {
    model: request.model,
    steer: request.when_busy === 'steer',
  })
  const written = await context.commit(
    [
      ...created,
      ...guardsOf(conversation.id, request),
      ...(old ? cutAt(conversation.id, old.id) : []),
      ...titled,
      // The content of a file is as untrusted as that of a web page, and so is what another person writes to the owner's agent.
      ...(files.length > 0 || isShared(context, conversation) ? [taintConversation(conversation.id)] : []),
      isTyped ? insertTyped(question) : insertMessage(question),
      forgetArmed(conversation.id),
      ...turn.statements,
    ],
    [
      ...(isNew ? [createdEvent(conversation)] : []),
      { type: 'message.received', data: { conversation_id: conversation.id, message_id: question.id } },
      { type: 'agent.run.started', data: { conversation_id: conversation.id, message_id: turn.answer.id } },
      ...changesForOthers(context, conversation),
    ],
    { answer: turn.answer.id },
  )
  turn.begin(written)
  return turn.answer
}

/** The request with its text as the hooks changed it. Throws a 403 if one refuses it. */
export async function gated<Request extends Pick<StreamRequest, 'message' | 'conversation_id'>>(
  context: Context,
  request: Request,
): Promise<Request> {
  const { message, conversation_id = null } = request
  const passed = await passMessage(context, message, { conversation_id })
  if (!passed.ok) throw forbidden(passed.reason)
  return { ...request, message: passed.message }
}

/**
 * Lets hooks refuse a message or change its text; `data` says where it comes from. `ask` also refuses it, because only
 * its sender could be asked.
 */
export async function passMessage(
  context: Context,
  message: string,
  data: Record<string, unknown>,
): Promise<{ ok: true; message: string } | { ok: false; reason: string }> {
  const intent = { type: 'message.received' as const, data, input: { message } }
  const { decision, reason, input } = await passGates(context, intent)
  if (decision !== 'allow') return { ok: false, reason: `A hook refused the message${reason ? `: ${reason}` : ''}` }
  const changed = (input as { message?: unknown } | null)?.message
  if (typeof changed !== 'string' || changed.trim() === '') return { ok: true, message }
  refuseLong(changed)
  return { ok: true, message: changed }
}

function refuseLong(text: string): void {
  if (new TextEncoder().encode(text).byteLength > messageLimit) throw payloadTooLarge(messageLimit)
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
const guardsOf = (conversation: string, { when_busy, replaces }: StreamRequest): Statement[] => [
  guardPresent(conversation),
  ...(when_busy === 'reject' || replaces !== undefined ? [guardIdle(conversation)] : []),
]

interface TurnOptions {
  model?: string | undefined
  /** A running turn may take the message in instead. */
  steer?: boolean
  /** Who pays, if not only the conversation. */
  spender?: TurnSpender
  delegated_by?: DelegatedBy
  /** Replaces the agent's own system prompt. */
  instructions?: string
  /** What the model is told about this turn, such as who writes where. */
  about?: string
  /** As of `CallRequest`. Default: by the kind of the conversation. */
  max_wait?: number
  /** Names of tools that it does not get. */
  without_tools?: readonly string[]
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
    ...(options.delegated_by ? { delegated_by: { ...options.delegated_by } } : {}),
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
    ...(options.about ? { about: options.about } : {}),
    ...(options.max_wait === undefined ? {} : { max_wait: options.max_wait }),
    ...(options.without_tools ? { without_tools: [...options.without_tools] } : {}),
    ...(options.followed_by ? { followed_by: options.followed_by } : {}),
  }
  const work = { subject: answer.id, lane: conversation, payload }
  const unit = options.queued
    ? { ...insertWork(context, { ...work, kind: turnKind }), begin: context.process.wake }
    : newUnit(context, chatTurn, work)
  const statements: Statement[] = [
    insertMessage(answer),
    unit.statement,
    recountMessages(conversation),
    refreshStatus(conversation, iso(context.clock.now())),
  ]
  return { answer, statements, begin: unit.begin }
}
