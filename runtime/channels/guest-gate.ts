import { findConversation } from '../chat/index.ts'
import type { Context } from '../context.ts'
import type { Intent, Verdict } from '../gate.ts'
import { sessionOf } from './session-store.ts'

/** Tools that read none of the owner's data. */
const harmless = ['ask_user', 'run_code', 'time', 'todo', 'web_fetch']

/**
 * In a conversation with other people, the owner approves every tool that could read private data, and no memories are
 * recalled, because an agent can be talked into revealing what it knows.
 */
export async function guardOwner(context: Context, { type, data, input }: Intent): Promise<Verdict> {
  const isFree = type === 'message.received' || (type === 'tool.before' && harmless.includes(String(data.tool)))
  if (isFree || !(await isWithOthers(context, String(data.conversation_id))))
    return { decision: 'allow', reason: null, input }
  return { decision: 'ask', reason: 'Other people take part in this conversation', input }
}

/** Without a session, for example after `/new`, a conversation counts as the owner's only if it is not tainted. */
async function isWithOthers(context: Context, id: string): Promise<boolean> {
  const conversation = await findConversation(context, id)
  if (conversation?.kind !== 'channel') return false
  const session = await sessionOf(context, id)
  return session ? !session.is_owner : conversation.tainted
}
