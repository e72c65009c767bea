import type { Context } from '../context.ts'
import type { Condition } from '../ports/sql.ts'
import { type Caller, systemCaller } from './caller.ts'

/** Owner of what was made before there was an administrator. The first administrator takes it over. */
export const nobody = ''

/** Owner of events that only administrators see. */
export const administrators = '*administrators'

/** The value of `?owner=` with which an administrator sees the data of all users. */
export const everyone = 'all'

/** In `shared_with`: all users. */
export const everyUser = 'everyone'

type Called = Pick<Context, 'caller'>

/** The owner of what the caller makes: a user id, or `nobody`. */
export const ownerOf = ({ caller }: Called): string =>
  caller.owner_id === undefined || caller.owner_id === everyone ? (caller.user_id ?? nobody) : caller.owner_id

/** The owner whose rows the caller sees; undefined if the caller sees the rows of all owners. */
export const visibleOwner = (context: Called): string | undefined =>
  context.caller.owner_id === everyone ? undefined : ownerOf(context)

/** The condition of statements that serve the daemon and not a person. */
export const anyone: Condition = { sql: 'true', args: [] }

/** A condition for the rows that the caller may see. Every statement that serves a person includes it. */
export function owned(context: Called, column = 'owner_id'): Condition {
  const owner = visibleOwner(context)
  return owner === undefined ? anyone : { sql: `${column} = ?`, args: [owner] }
}

/** The daemon as caller when it works on what belongs to a user. */
export const daemonFor = (owner_id: string): Caller => ({ ...systemCaller, owner_id })

/** The context of the daemon that works on what belongs to a user. */
export const actingFor = <Calling extends Context>(context: Calling, owner_id: string): Calling =>
  ownerOf(context) === owner_id ? context : { ...context, caller: { ...context.caller, owner_id } }
