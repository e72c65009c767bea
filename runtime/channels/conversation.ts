import { answeringAgent, namedEnabledAgent, requireDefaultAgent } from '../agents/index.ts'
import { draftConversation, findConversation, NewConversation, type StoredConversation } from '../chat/index.ts'
import type { Context } from '../context.ts'
import type { Agent } from '../tools/agent.ts'
import { bindingsOf, type StoredChannel } from './channel-store.ts'
import type { InboundText, StoredInbound } from './message-store.ts'
import { bestBinding, sessionKey } from './policy.ts'
import type { Binding } from './schema.ts'
import { findSession, findSessionOf, type Session } from './session-store.ts'

/** A message that the policy has accepted. */
export interface Accepted {
  channel: StoredChannel
  received: StoredInbound
  binding: Binding | null
  from_owner: boolean
}

/** Whether only the paired owner writes in the chat of a message. */
export const isPrivate = ({ received, from_owner }: Pick<Accepted, 'received' | 'from_owner'>): boolean =>
  from_owner && received.message.peer.kind === 'dm'

export const bindingFor = async (
  context: Context,
  channel: StoredChannel,
  { message }: { message: Pick<InboundText, 'peer'> },
): Promise<Binding | null> => bestBinding(await bindingsOf(context, channel.id), message)

export const keyOf = ({ received, binding, from_owner }: Omit<Accepted, 'channel'>): string =>
  sessionKey(received.message, binding?.session_scope ?? 'per_peer', from_owner)

/** The session of the message's chat; null before its first message. */
export async function currentSession(context: Context, accepted: Accepted): Promise<Session | null> {
  const { channel } = accepted
  const key = keyOf(accepted)
  const session = await findSession(context, channel.id, key)
  return session ?? (key === 'main' ? findSessionOf(context, channel.owner_id, key) : null)
}

/** The conversation of the message's session, or a new one that is not stored yet. */
export async function conversationFor(
  context: Context,
  accepted: Accepted,
): Promise<{ conversation: StoredConversation; isNew: boolean; key: string; agent: Agent }> {
  const { channel, binding } = accepted
  const key = keyOf(accepted)
  const session = await currentSession(context, accepted)
  const agent = await agentFor(context, channel, binding)
  const conversation = session && (await findConversation(context, session.conversation_id))
  const isSame =
    conversation?.agent_id === agent.id &&
    conversation.project_id === (binding?.project_id ?? null) &&
    // A sender whose role changed between owner and guest starts a new conversation.
    session?.is_owner === isPrivate(accepted)
  if (conversation && isSame && (await answeringAgent(context, conversation)).ok)
    return { conversation, isNew: false, key, agent }
  return { conversation: await newConversation(context, accepted, agent), isNew: true, key, agent }
}

async function agentFor(
  context: Context,
  { default_agent_id }: StoredChannel,
  binding: Binding | null,
): Promise<Agent> {
  const id = binding?.agent_id ?? default_agent_id
  return id === null ? requireDefaultAgent(context) : namedEnabledAgent(context, id, 'agent_id')
}

async function newConversation(context: Context, accepted: Accepted, agent: Agent): Promise<StoredConversation> {
  const { channel, received, binding } = accepted
  const { peer, sender } = received.message
  const title = `${peer.name ?? sender.name ?? peer.id} · ${channel.name}`.slice(0, 200)
  const project_id = binding?.project_id ?? null
  const wish = NewConversation.parse({ title, agent_id: agent.id, project_id })
  const drafted = await draftConversation(context, wish)
  // An agent never acts autonomously where other people can write.
  const execution_mode =
    !isPrivate(accepted) && drafted.execution_mode === 'autonomous' ? 'approval_required' : drafted.execution_mode
  return { ...drafted, kind: 'channel', execution_mode }
}
