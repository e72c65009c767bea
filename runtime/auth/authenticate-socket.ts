import type { Context } from '../context.ts'
import { forbidden } from '../fault.ts'
import { originAllowed } from '../http/headers.ts'
import type { SocketEndpoint } from '../http/socket.ts'
import { requireAccess } from './authorise.ts'
import type { Caller } from './caller.ts'
import { credentialPrefix } from './credential.ts'
import { findIdentity, invalidCredential, missingCredential } from './identify.ts'
import { countFailure, refuseLimited } from './throttle.ts'
import { redeemTicket } from './tickets.ts'

/**
 * Who opens a WebSocket, before the upgrade. The query parameter `token` is an API key, a session or a ticket.
 * Browsers send `Origin` and do not ask first, so the check of it stands here; other clients send none.
 */
export async function authenticateSocket(
  endpoint: SocketEndpoint,
  request: Request,
  context: Context,
): Promise<Caller> {
  requireOwnOrigin(request, context)
  if (endpoint.access === 'public') return context.caller
  const token = new URL(request.url).searchParams.get('token')
  if (!token) throw missingCredential()
  const caller = await identifyToken(token, context)
  requireAccess(endpoint.access === 'setup' ? 'admin' : endpoint.access, { ...context, caller })
  return caller
}

function requireOwnOrigin(request: Request, context: Context): void {
  const origin = request.headers.get('origin')
  if (origin === null || originAllowed(origin, request.url, context.config)) return
  throw forbidden('A page of this origin may not open a socket here')
}

async function identifyToken(token: string, context: Context): Promise<Caller> {
  refuseLimited(context)
  const ticket = credentialPrefix(token) === 'tkt'
  const identity = await (ticket ? redeemTicket(token, context) : findIdentity(token, context))
  if (identity) return identity.caller
  countFailure(context)
  throw invalidCredential()
}
