import { findConversation } from '../chat/conversation-store.ts'
import type { Context } from '../context.ts'
import type { Intent, Verdict } from '../gate.ts'
import { sessionOf } from './channel-store.ts'

/** Tools that read nothing of the owner. */
const harmless = ['ask_user', 'run_code', 'time', 'todo', 'web_fetch']

/**
 * In a conversation with others, the owner approves every tool that could read something private, and no memories are
 * recalled: what the agent knows, it can be talked into telling.
 */
export async function guardOwner(context: Context, { type, data, input }: Intent): Promise<Verdict> {
  const isFree =
    type === 'message.received' || (type === 'tool.before' && harmless.includes(String(data.tool)))
  if (isFree || !(await isWithOthers(context, String(data.conversation_id))))
    return { decision: 'allow', reason: null, input }
  return { decision: 'ask', reason: 'Others take part in this conversation', input }
}

/** Without a session, as after `/new`, a conversation counts as the owner's only if nothing came from outside. */
async function isWithOthers(context: Context, id: string): Promise<boolean> {
  const conversation = await findConversation(context, id)
  if (conversation?.kind !== 'channel') return false
  const session = await sessionOf(context, id)
  return session ? !session.is_owner : conversation.tainted
}
