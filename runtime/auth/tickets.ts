import type { Context } from '../context.ts'
import { conflict } from '../fault.ts'
import { iso, second } from '../time.ts'
import { newCredential } from './credential.ts'
import { expired, type Identity, keyIdentity, sessionIdentity } from './identify.ts'
import type { Ticket } from './schema.ts'
import { deleteExpiredTickets, insertTicket, keyById, sessionById, takeTicket } from './store.ts'

const lifetime = 30 * second

/** Creates a single-use secret for a WebSocket, so that the credential itself is not in a URL. */
export async function issueTicket(context: Context): Promise<Ticket> {
  const { id } = context.caller
  if (id === null) throw conflict('A ticket requires an API key or a session')
  const now = context.clock.now()
  const ticket = newCredential('tkt', context.secrets)
  const expires_at = iso(now + lifetime)
  await context.commit([deleteExpiredTickets(iso(now)), insertTicket(context.secrets.sha256(ticket), id, expires_at)])
  return { ticket, expires_at }
}

/** Consumes a ticket and returns its caller; null if it is unknown, used or expired, or its credential is invalid. */
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
