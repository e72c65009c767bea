import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { TabUser } from '../tabs/holder.ts'
import type { ToolScope } from '../tools/tool.ts'

/** A person has the same tabs in all of their sessions. */
export function holderOf(context: Pick<Context, 'caller'>): TabUser {
  const { kind, id, user_id, name } = context.caller
  const owner_id = ownerOf(context)
  if (kind === 'session') return { kind: 'person', id: user_id ?? id ?? '', name, owner_id }
  return { kind: 'client', id: id ?? kind, name, owner_id }
}

export const conversationHolder = ({ context, agent, conversation_id }: ToolScope): TabUser => ({
  kind: 'conversation',
  id: conversation_id,
  name: agent.name,
  owner_id: ownerOf(context),
})
