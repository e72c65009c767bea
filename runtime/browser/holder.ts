import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { ToolScope } from '../tools/tool.ts'
import type { TabHolder } from './schema.ts'

/** Who leases tabs: a person, the conversation of an agent, or an API client. */
export interface TabUser extends TabHolder {
  /** The user whose tabs these are, in whose profile they open. */
  owner_id: string
}

/** The name of a lease. */
export const leaseOf = ({ kind, id }: TabHolder): string => `${kind} ${id}`

/**
 * Whether a tab may be seen and used. Agents and API clients have their own tabs only; a person also has those of their
 * agents and clients.
 */
export const mayUse = (user: TabUser, holder: TabUser | null): boolean =>
  holder?.owner_id === user.owner_id && (user.kind === 'person' || leaseOf(holder) === leaseOf(user))

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
