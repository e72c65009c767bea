import { z } from 'zod'
import { Login, LoginResult, Me, Ticket, Validity } from '../../runtime/auth/schema.ts'
import { login, logout } from '../../runtime/auth/sessions.ts'
import { issueTicket } from '../../runtime/auth/tickets.ts'
import { userById } from '../../runtime/auth/user-store.ts'
import { validity } from '../../runtime/auth/validity.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const create = endpoint({
  method: 'POST',
  path: '/api/auth/login',
  summary: 'Exchange a username and password for a session of 24 hours',
  access: 'public',
  idempotent: false,
  body: Login,
  returns: LoginResult,
  async run({ body }, context) {
    return login(context, body)
  },
})

export const remove = endpoint({
  method: 'POST',
  path: '/api/auth/logout',
  owner: 'none',
  summary: 'Log out: end the current session',
  idempotent: false,
  returns: z.object({ logged_out: z.literal(true) }),
  async run(_, context) {
    await logout(context)
    return { logged_out: true }
  },
})

export const me = endpoint({
  method: 'GET',
  path: '/api/auth/me',
  owner: 'none',
  summary: 'Get the current credential with its scopes and user',
  returns: Me,
  async run(_, context) {
    const { kind, id, name, scopes, user_id } = context.caller
    const user = user_id === null ? null : await userById(context, user_id)
    return { kind, id, name, scopes: scopes.slice(), user }
  },
})

export const validate = endpoint({
  method: 'POST',
  path: '/api/auth/validate',
  summary: 'Check whether a credential is valid',
  access: 'public',
  idempotent: false,
  returns: Validity,
  async run({ request }, context) {
    return validity(request, context)
  },
})

export const ticket = endpoint({
  method: 'POST',
  path: '/api/auth/ws-ticket',
  owner: 'none',
  summary: 'Create a single-use WebSocket ticket, valid for 30 seconds',
  access: 'read',
  idempotent: false,
  returns: Ticket,
  async run(_, context) {
    return issueTicket(context)
  },
})
