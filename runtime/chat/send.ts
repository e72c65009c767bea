import type { Context } from '../context.ts'
import { Fault, invalidField } from '../fault.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { newUnit } from '../work/begin.ts'
import { forgetArmed } from './check-ins/store.ts'
import {
  guardPresent,
  guardQuiet,
  insertConversation,
  recountMessages,
  refreshStatus,
  updateConversation,
} from './conversation-store.ts'
import { createdEvent, draftConversation, requireConversation, untitled } from './conversations.ts'
import { draft } from './draft.ts'
import { findMessageByRequest, guardNewRequest, insertMessage } from './message-store.ts'
import { type Message, NewConversation, type StreamRequest } from './schema.ts'
import { stopTurns } from './stop.ts'
import { chatTurn } from './turn/turn.ts'

/** What repeats a send: the same caller's `Idempotency-Key`, and a mark of the body it came with. */
export interface RequestKey {
  slot: string
  fingerprint: string
}

/**
 * Stores what a person said, the empty answer to it, and the turn that will fill it, in one commit.
 * Returns the answer's message. The same key again returns the same answer.
 */
export async function sendMessage(
  context: Context,
  request: StreamRequest,
  key: RequestKey | null,
): Promise<Message> {
  const earlier = key && (await findMessageByRequest(context, key.slot))
  if (earlier) return repeated(earlier, key)
  try {
    return await storeMessage(context, request, key)
  } catch (thrown) {
    const quicker = key && thrown instanceof GuardFailed && (await findMessageByRequest(context, key.slot))
    if (quicker) return repeated(quicker, key)
    throw thrown
  }
}

async function storeMessage(
  context: Context,
  request: StreamRequest,
  key: RequestKey | null,
): Promise<Message> {
  const { conversation, isNew } = await conversationFor(context, request)
  if (!isNew && request.when_busy === 'interrupt') await stopTurns(context, conversation.id)
  const asked = draft(context, conversation.id, { role: 'user', content: request.message })
  const created = isNew ? [insertConversation(conversation)] : []
  const titled =
    conversation.title === untitled
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
      ...titled,
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

function repeated(earlier: { message: Message; request_key: string }, key: RequestKey): Message {
  if (earlier.request_key === requestKeyText(key)) return earlier.message
  throw new Fault(422, 'validation_error', 'This Idempotency-Key was used with another body', {
    extra: { issues: [{ path: 'Idempotency-Key', message: 'already used with another body' }] },
  })
}

export const requestKeyText = (key: RequestKey) => `${key.slot}.${key.fingerprint}`

async function conversationFor(context: Context, request: StreamRequest) {
  if (request.attachments.length > 0)
    throw invalidField('attachments', 'files cannot be attached on this host')
  if (request.conversation_id !== undefined) {
    return { conversation: await requireConversation(context, request.conversation_id), isNew: false }
  }
  const agent = request.agent_id === undefined ? {} : { agent_id: request.agent_id }
  return { conversation: await draftConversation(context, NewConversation.parse(agent)), isNew: true }
}

/** What must still hold when the message is stored, whoever else writes at the same time. */
const guardsOf = (
  conversation: string,
  { when_busy }: StreamRequest,
  key: RequestKey | null,
): Statement[] => [
  guardPresent(conversation),
  ...(key ? [guardNewRequest(conversation, key.slot)] : []),
  ...(when_busy === 'reject' ? [guardQuiet(conversation)] : []),
]

/** The first words of the first message, cut at a word. */
export function titleFrom(text: string): string {
  const line = text.trim().split('\n')[0]?.replace(/\s+/g, ' ') ?? ''
  if (line.length <= 60) return line || untitled
  const cut = line.slice(0, 60)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 30))}…`
}

interface TurnOptions {
  model?: string | undefined
  key?: RequestKey | null
  /** A turn that runs already may take the message in instead. */
  steer?: boolean
}

/**
 * An answer to come: the statements of its empty message, its work and the conversation's new state; `begin` is called
 * with what their commit has written.
 */
export function newTurn(context: Context, conversation: string, options: TurnOptions = {}) {
  const answer = draft(context, conversation, { role: 'assistant', content: '', status: 'streaming' })
  const payload = {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.steer ? { steer: true } : {}),
  }
  const unit = newUnit(context, chatTurn, { subject: answer.id, lane: conversation, payload })
  const statements: Statement[] = [
    insertMessage(answer, options.key ? requestKeyText(options.key) : null),
    unit.statement,
    recountMessages(conversation),
    refreshStatus(conversation, iso(context.clock.now())),
  ]
  return { answer, statements, begin: unit.begin }
}
