import type { Context } from '../context.ts'
import { conflict } from '../fault.ts'
import { iso, second } from '../time.ts'
import { newCredential } from './credential.ts'
import { expired, type Identity, keyIdentity, sessionIdentity } from './identify.ts'
import type { Ticket } from './schema.ts'
import { deleteExpiredTickets, insertTicket, keyById, sessionById, takeTicket } from './store.ts'

const lifetime = 30 * second

/** A secret for one WebSocket, so that the credential itself need not stand in a URL. */
export async function issueTicket(context: Context): Promise<Ticket> {
  const { id } = context.caller
  if (id === null) throw conflict('Only a key or a session gets a ticket')
  const now = context.clock.now()
  const ticket = newCredential('tkt', context.secrets)
  const expires_at = iso(now + lifetime)
  await context.commit([
    deleteExpiredTickets(iso(now)),
    insertTicket(context.secrets.sha256(ticket), id, expires_at),
  ])
  return { ticket, expires_at }
}

/** The holder of a ticket, which is used up; null when it is unknown, used, too old, or its credential has ended. */
export async function redeemTicket(ticket: string, context: Context): Promise<Identity | null> {
  const id = await takeTicket(context, context.secrets.sha256(ticket), iso(context.clock.now()))
  const identity = id && (await identityById(id, context))
  return identity && !expired(identity.expires_at, context) ? identity : null
}

async function identityById(id: string, context: Context): Promise<Identity | null> {
  const key = await keyById(context, id)
  if (key) return keyIdentity(key, context)
  const session = await sessionById(context, id)
  return session && sessionIdentity(session, context)
}
