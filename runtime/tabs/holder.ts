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
