import { namedEnabledAgent, requireDefaultAgent } from '../agents/index.ts'
import { ownerOf } from '../auth/owner.ts'
import { otherReaders, readersOf, requireOwner } from '../auth/sharing.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { newId } from '../id.ts'
import { forgetRequests } from '../ledger/request-store.ts'
import { required } from '../required.ts'
import { iso } from '../time.ts'
import type { ExecutionMode, Mode } from '../tools/modes.ts'
import {
  deleteConversation,
  findShownConversation,
  insertConversation,
  type StoredConversation,
  updateConversation,
} from './conversation-store.ts'
import type { Conversation, ConversationChanges, NewConversation } from './schema.ts'
import { untitled } from './title.ts'
import { stopTurns } from './turns.ts'

/** The conversation if the caller may read and write in it, else a 404. */
export const requireConversation = required('conversation', findShownConversation)

/** The conversation if it belongs to the caller; a 404, or a 403 if it is only shared with them. */
export const requireOwnConversation = async (context: Context, id: string) =>
  requireOwner(context, 'conversation', await requireConversation(context, id))

/** The event that notifies others who read a conversation of a change. */
export const changesForOthers = (context: Pick<Context, 'caller'>, conversation: StoredConversation): EventInput[] =>
  otherReaders(context, conversation).map((user) =>
    event('conversation.updated', { conversation_id: conversation.id }, user),
  )

/** The conversation without the fields that only the runtime needs. */
export const publicConversation = ({ tainted: _, ...conversation }: StoredConversation): Conversation => conversation

export async function draftConversation(context: Context, input: NewConversation): Promise<StoredConversation> {
  const agent =
    input.agent_id === undefined
      ? await requireDefaultAgent(context)
      : await namedEnabledAgent(context, input.agent_id, 'agent_id')
  const now = context.clock.now()
  return {
    id: newId('conv', now),
    owner_id: ownerOf(context),
    shared_with: [],
    title: input.title ?? untitled,
    agent_id: agent.id,
    project_id: input.project_id,
    kind: 'user',
    mode: input.mode,
    execution_mode: input.execution_mode ?? agent.execution_mode,
    model: input.model,
    pinned: false,
    archived: false,
    status: 'idle',
    waiting: null,
    message_count: 0,
    last_message_at: null,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
    tainted: false,
    created_at: iso(now),
    updated_at: iso(now),
  }
}

export const createdEvent = ({ id, title, agent_id }: Conversation) =>
  event('conversation.created', { conversation_id: id, title, agent_id })

export async function addConversation(context: Context, input: NewConversation): Promise<Conversation> {
  const conversation = await draftConversation(context, input)
  const answer = publicConversation(conversation)
  await context.commit([insertConversation(conversation)], [createdEvent(conversation)], { answer })
  return answer
}

type Changes = ConversationChanges & { mode?: Mode; execution_mode?: ExecutionMode }

export async function changeConversation(context: Context, id: string, changes: Changes): Promise<Conversation> {
  const conversation = await requireOwnConversation(context, id)
  const shared_with = changes.shared_with && readersOf(conversation, changes.shared_with)
  const updated_at = iso(context.clock.now())
  const change = updateConversation(id, { ...changes, shared_with, updated_at })
  await context.commit([change], [{ type: 'conversation.updated', data: { conversation_id: id } }])
  return publicConversation(await requireConversation(context, id))
}

/** Deletes a conversation with its messages; its turns are stopped first. */
export async function removeConversation(context: Context, id: string): Promise<void> {
  await requireOwnConversation(context, id)
  await stopTurns(context, id)
  await context.commit(
    [deleteConversation(id), forgetRequests(id)],
    [{ type: 'conversation.deleted', data: { conversation_id: id } }],
  )
  // Again, in case a message arrived in between.
  await stopTurns(context, id)
}
