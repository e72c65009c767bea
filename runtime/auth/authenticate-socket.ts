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
 * Authenticates a WebSocket before the upgrade. The query parameter `token` is an API key, a session or a ticket.
 * Browsers send no CORS preflight for WebSockets, so `Origin` is checked here. Other clients send no `Origin`.
 */
export async function authenticateSocket(
  endpoint: SocketEndpoint,
  request: Request,
  context: Context,
): Promise<Caller> {
  requireOwnOrigin(request, context)
  if (endpoint.access === 'public') return context.caller
  const token = tokenOf(request)
  if (!token) throw missingCredential()
  const caller = await identifyToken(token, context)
  requireAccess(endpoint.access === 'setup' ? 'admin' : endpoint.access, { ...context, caller })
  return caller
}

export const tokenOf = ({ url }: { url: string }): string | null => new URL(url).searchParams.get('token')

function requireOwnOrigin(request: Request, context: Context): void {
  const origin = request.headers.get('origin')
  if (origin === null || originAllowed(origin, request.url, context.config)) return
  throw forbidden('Pages from this origin are not allowed to open a WebSocket')
}

async function identifyToken(token: string, context: Context): Promise<Caller> {
  const ticket = credentialPrefix(token) === 'tkt'
  const identity = await (ticket ? redeemTicket(token, context) : findIdentity(token, context))
  if (identity) return identity.caller
  refuseLimited(context)
  countFailure(context)
  throw invalidCredential()
}
