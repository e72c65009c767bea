import { z } from 'zod'
import { Login, LoginResult, Me, Ticket, Validity } from '../../runtime/auth/schema.ts'
import { login, logout } from '../../runtime/auth/sessions.ts'
import { issueTicket } from '../../runtime/auth/tickets.ts'
import { userById } from '../../runtime/auth/user-store.ts'
import { validity } from '../../runtime/auth/validity.ts'
import { DeviceToken, PairRequest, pairDevice } from '../../runtime/devices/index.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const create = endpoint('POST /api/auth/login', {
  summary: 'Exchange a username and password for a session',
  access: 'public',
  idempotent: false,
  body: Login,
  returns: LoginResult,
  run: ({ body }, context) => login(context, body),
})

export const remove = endpoint('POST /api/auth/logout', {
  owner: 'none',
  summary: 'Log out: end the current session',
  idempotent: false,
  returns: z.object({ logged_out: z.literal(true) }),
  async run(_, context) {
    await logout(context)
    return { logged_out: true }
  },
})

export const me = endpoint('GET /api/auth/me', {
  owner: 'none',
  summary: 'Get the current credential with its scopes and user',
  returns: Me,
  async run(_, context) {
    const { kind, id, name, scopes, user_id } = context.caller
    const user = user_id === null ? null : await userById(context, user_id)
    return { kind, id, name, scopes: scopes.slice(), user }
  },
})

export const validate = endpoint('POST /api/auth/validate', {
  summary: 'Check whether a credential is valid',
  access: 'public',
  idempotent: false,
  returns: Validity,
  run: ({ request }, context) => validity(request, context),
})

export const ticket = endpoint('POST /api/auth/ws-ticket', {
  owner: 'none',
  summary: 'Create a single-use WebSocket ticket, valid for 30 seconds',
  access: 'read',
  idempotent: false,
  returns: Ticket,
  run: (_, context) => issueTicket(context),
})

export const pair = endpoint('POST /api/auth/device/pair', {
  summary: 'Exchange a pairing code for the token of a new device',
  access: 'public',
  body: PairRequest,
  returns: DeviceToken,
  status: 201,
  run: ({ body, request }, context) => pairDevice(context, body, request.url),
})
