import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { authenticateSocket } from '../../runtime/auth/authenticate-socket.ts'
import type { Scope } from '../../runtime/auth/caller.ts'
import { createKey, revokeKey, rotateKey } from '../../runtime/auth/keys.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { NewKey } from '../../runtime/auth/schema.ts'
import { login } from '../../runtime/auth/sessions.ts'
import { type Endpoint, endpoint } from '../../runtime/http/endpoint.ts'
import type { Access } from '../../runtime/http/endpoint-info.ts'
import { answerFaults } from '../../runtime/http/errors.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { contextOf, serve } from '../../runtime/http/serve.ts'
import type { SocketEndpoint } from '../../runtime/http/socket.ts'
import { minute } from '../../runtime/time.ts'
import { requestFor } from '../support/call.ts'
import { endpoints, sockets } from '../support/endpoints.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const missing = { error: 'Missing Authorization header' }
const wrong = { error: 'Invalid or revoked API key' }

type Key =
  | 'admin'
  | 'session'
  | 'revoked'
  | 'rotated'
  | 'expired'
  | 'expired_session'
  | Scope
  | 'all_but_admin'
  | 'all_but_approve'

let host: MemoryHost
let keys: Record<Key, string>

beforeAll(async () => {
  host = await testHost()
  const old = await setUpAdmin(host)
  const context = localContext(host)
  const make = (scopes: Scope[], more: { expires_at?: string } = {}) =>
    createKey(context, NewKey.parse({ name: scopes.join(), scopes, ...more }))
  const revoked = await make(['admin'])
  await revokeKey(context, revoked.id)
  const rotated = await make(['admin'])
  await rotateKey(context, rotated.id)
  const expired = await make(['admin'], { expires_at: new Date(host.clock.now() + minute).toISOString() })
  await host.clock.advance(25 * 60 * minute)
  const session = await login(context, { username: old.user.username, password: 'correct horse battery' })
  keys = {
    admin: old.api_key.key,
    session: session.token,
    revoked: revoked.key,
    rotated: rotated.key,
    expired: expired.key,
    expired_session: old.session.token,
    read: (await make(['read'])).key,
    write: (await make(['write'])).key,
    approve: (await make(['approve'])).key,
    all_but_admin: (await make(['read', 'write', 'approve'])).key,
    all_but_approve: (await make(['read', 'write'])).key,
  }
})

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const unknown = `svc_${'a'.repeat(64)}`

/** Everything that is no credential, or a wrong one. */
const refusals: [string, () => Record<string, string>, object][] = [
  ['no', () => ({}), missing],
  ['an empty', () => ({ authorization: '' }), missing],
  ['an empty bearer', () => ({ authorization: 'Bearer ' }), missing],
  ['an empty X-API-Key', () => ({ 'x-api-key': '' }), missing],
  ['a malformed', () => bearer('svc_0123'), wrong],
  ['a basic', () => ({ authorization: `Basic ${btoa(`ada:${keys.admin}`)}` }), wrong],
  ['a twofold', () => ({ authorization: `Bearer ${keys.admin}, Bearer ${keys.admin}` }), wrong],
  ['a padded', () => bearer(`${keys.admin}0`), wrong],
  ['an upper-case', () => bearer(keys.admin.toUpperCase()), wrong],
  ['an injected', () => bearer(`svc_' OR '1'='1`), wrong],
  ['an unknown', () => bearer(unknown), wrong],
  ['an unknown session', () => bearer(unknown.replace('svc_', 'sess_')), wrong],
  ['a revoked', () => bearer(keys.revoked), wrong],
  ['a revoked X-API-Key', () => ({ 'x-api-key': keys.revoked }), wrong],
  ['a rotated', () => bearer(keys.rotated), wrong],
  ['an expired', () => bearer(keys.expired), wrong],
  ['an expired session', () => bearer(keys.expired_session), wrong],
  ['a device-like', () => bearer(unknown.replace('svc_', 'dev_')), wrong],
  ['a ticket-like', () => bearer(unknown.replace('svc_', 'tkt_')), wrong],
]

const acceptances: [string, () => Record<string, string>][] = [
  ['an admin key', () => bearer(keys.admin)],
  ['an admin session', () => bearer(keys.session)],
  ['X-API-Key', () => ({ 'x-api-key': keys.admin })],
  ['a lower-case scheme', () => ({ authorization: `bearer ${keys.admin}` })],
  ['two equal', () => ({ ...bearer(keys.admin), 'x-api-key': keys.admin })],
  ["a proxy's basic beside X-API-Key", () => ({ authorization: 'Basic abc', 'x-api-key': keys.admin })],
]

/** A key with every scope but the ones that open `scope`, and one with just that scope. */
const narrow: Record<Scope, Key> = {
  read: 'write',
  write: 'read',
  approve: 'all_but_approve',
  admin: 'all_but_admin',
}

/** The same routes and access without what they do, so that being let in changes nothing. */
const probes = endpoints.map((real) => {
  const { method, path, summary, access } = real
  return endpoint(`${method} ${path}`, {
    summary,
    access,
    idempotent: false,
    returns: z.object({ reached: z.literal(true) }),
    run: () => ({ reached: true }),
  })
})

const handleReal = serve(routesOf(endpoints))
const handleProbe = serve(routesOf(probes))

let addresses = 0
/** Every request comes from another address, so that the limiter does not answer for the rule under test. */
const stranger = () => {
  addresses += 1
  return {
    address: `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`,
    local: false,
  }
}

const knock = (handle: typeof handleReal, route: Endpoint, headers: Record<string, string>, on = host) =>
  handle(requestFor(route, { headers }), on, stranger())

const title = (route: Endpoint) => `${route.method} ${route.path}`
const isScope = (access: Access): access is Scope => !['public', 'setup', 'monitor'].includes(access)
const guarded = endpoints.filter((route) => isScope(route.access))
const guardedAndSetup = endpoints.filter((route) => isScope(route.access) || route.access === 'setup')

const each = (routes: readonly Endpoint[]) => routes.map((route) => [title(route), route] as const)

test.each(each(guardedAndSetup))('%s refuses every credential that is missing or wrong', async (_, route) => {
  for (const [credential, headers, body] of refusals) {
    const response = await knock(handleReal, route, headers())
    const challenge = response.headers.get('www-authenticate')
    expect({ credential, status: response.status, challenge, body: await response.json() }).toEqual({
      credential,
      status: 401,
      challenge: 'Bearer',
      body,
    })
  }
  const response = await knock(handleReal, route, { ...bearer(keys.admin), 'x-api-key': unknown })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: 'bad_request', status: 400 })
})

test.each(each(guarded))('%s accepts its scope in every form, and no other', async (_, route) => {
  const scope = route.access as Scope
  const refused = await knock(handleReal, route, bearer(keys[narrow[scope]]))
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({ error: 'forbidden', status: 403 })

  expect((await knock(handleProbe, route, bearer(keys[scope]))).status).toBe(200)
  for (const [credential, headers] of acceptances) {
    const { status } = await knock(handleProbe, route, headers())
    expect({ credential, status }).toEqual({ credential, status: 200 })
  }
})

test.each(each(guarded))('%s refuses anonymous callers, also when called directly', async (_, route) => {
  const request = requestFor(route)
  const response = await route(request, contextOf(request, host, stranger()), { id: 'x' })
  expect(response.status).toBe(401)
})

test.each(each(guarded))('%s is 401 in bootstrap mode, whatever the credential', async (_, route) => {
  const fresh = await bootstrapHost()
  for (const headers of [{}, bearer(keys.admin), bearer(unknown)])
    expect((await knock(handleReal, route, headers, fresh)).status).toBe(401)
})

let freshHost: Promise<MemoryHost> | undefined
const bootstrapHost = () => {
  freshHost ??= testHost()
  return freshHost
}

const open = endpoints.filter((route) => route.access === 'public')

test.each(each(open))('%s is public whatever is sent', async (_, route) => {
  for (const headers of [{}, bearer('nonsense'), bearer(unknown), bearer(keys.revoked), bearer(keys.read)]) {
    expect((await knock(handleProbe, route, headers)).status).toBe(200)
  }
})

const monitored = endpoints.filter((route) => route.access === 'monitor')

test.each(each(monitored))('%s is public until the operator disables anonymous access', async (_, route) => {
  expect((await knock(handleProbe, route, bearer(unknown))).status).toBe(200)
  const closed = { ...host, config: { ...host.config, api_key_required: true } }
  expect((await knock(handleReal, route, {}, closed)).status).toBe(401)
  expect((await knock(handleReal, route, bearer(unknown), closed)).status).toBe(401)
  expect((await knock(handleReal, route, bearer(keys.write), closed)).status).toBe(403)
  expect((await knock(handleProbe, route, bearer(keys.read), closed)).status).toBe(200)
})

/** The specified public list. A route joins it by a decision, not by a default. */
const mayBePublic = [
  /^GET \/health(\/live)?$/,
  /^GET \/api\/health$/,
  /^GET \/api\/auth\/bootstrap$/,
  /^POST \/api\/auth\/(login|validate|device\/pair)$/,
  // Whoever has the token of a link.
  /^POST \/api\/auth\/invitations\/(open|accept)$/,
  /^POST \/api\/chat\/shared$/,
  // Whoever has the secret address of a form or of an execution that waits for a call.
  /^(GET|POST) \/api\/workflows\/(forms|resume)\/\{token\}$/,
  // The page that asks for the key with which the documentation is read.
  /^GET \/api\/docs$/,
  // Inbound platform webhooks verify their own signature.
  /^(GET|POST) \/api\/channels\/[^ ]*webhook[^ ]*$/,
  /^POST \/api\/webhooks\/in\/[^ ]*$/,
  // The address of a workflow's webhook is its secret.
  /^(GET|POST|PUT|PATCH|DELETE) \/api\/workflows\/hooks\/[^ ]*$/,
]

test('only the endpoints that the specification names are public', () => {
  const strangers = open.map(title).filter((name) => !mayBePublic.some((pattern) => pattern.test(name)))
  expect(strangers).toEqual([])
})

test('setup is open to anyone at the machine until the first key exists', async () => {
  const fresh = await bootstrapHost()
  const setup = endpoints.filter((route) => route.access === 'setup')
  expect(setup.map(title)).toContain('POST /api/setup/admin')
  for (const route of setup) {
    const near = await handleProbe(requestFor(route), fresh, { address: '127.0.0.1', local: true })
    expect(near.status).toBe(200)
    expect((await knock(handleReal, route, {}, fresh)).status).toBe(401)
    expect((await knock(handleReal, route, bearer(keys.admin))).status).toBe(409)
  }
})

test('before the setup, paths and methods that do not exist are refused like all others', async () => {
  const fresh = await bootstrapHost()
  for (const [method, path] of [
    ['GET', '/api/nothing/here'],
    ['GET', '/nothing'],
    ['DELETE', '/api/chat/conversations'],
  ] as const)
    for (const headers of [{}, bearer(unknown)]) {
      const request = new Request(`http://localhost${path}`, { method, headers })
      expect((await handleReal(request, fresh, stranger())).status).toBe(401)
    }
  const setup = new Request('http://localhost/api/setup/nothing', { method: 'POST' })
  expect((await handleReal(setup, fresh, stranger())).status).toBe(404)
})

const disguises = (path: string) => [
  `/${path}`,
  `${path}/`,
  path.replace('/api/', '/api//'),
  path.replace('/api/', '/api/auth/bootstrap/../../'),
  path.replace('/api/', '/api/health/..%2f..%2f'),
  path.replace('/api/', '/api/health/%2e%2e/'),
  path.replace('/api', '/%61pi'),
  path.replace('/api', '/API'),
  `${path};.json`,
  `${path}?access=public`,
  `${path}#/health`,
]

test.each(guarded.map((route) => [title(route), route] as const))(
  '%s is protected under every spelling',
  async (_, route) => {
    const path = route.path.replace(/\{\w+\}/g, 'x')
    for (const disguise of disguises(path)) {
      for (const method of [route.method, 'HEAD']) {
        const request = new Request(`http://127.0.0.1:18781${disguise}`, { method })
        const response = await handleProbe(request, host, stranger())
        expect([400, 401, 404, 405], `${method} ${disguise}`).toContain(response.status)
      }
    }
  },
)

const upgrade = (route: SocketEndpoint, query: string, headers: Record<string, string> = {}) => {
  const request = new Request(`http://127.0.0.1:18781${route.path}${query}`, { headers })
  const context = contextOf(request, host, stranger())
  return answerFaults(context, async () => {
    await authenticateSocket(route, request, context)
    return new Response('in')
  })
}

test.each(sockets.map((route) => [route.path, route] as const))(
  'the socket %s refuses foreign pages',
  async (_, route) => {
    const foreign = ['http://evil.example', 'null', 'http://127.0.0.1:18781.evil.example', 'https://127.0.0.1:18781']
    for (const origin of foreign) {
      expect((await upgrade(route, `?token=${keys.admin}`, { origin })).status).toBe(403)
    }
  },
)

const guardedSockets = sockets.filter((route) => isScope(route.access))

test.each(guardedSockets.map((route) => [route.path, route] as const))(
  'the socket %s requires its scope',
  async (_, route) => {
    for (const token of ['', '?token=', `?token=${unknown}`, `?token=${keys.revoked}`, `?token=${keys.expired}`]) {
      expect((await upgrade(route, token)).status).toBe(401)
    }
    expect((await upgrade(route, `?token=${keys[narrow[route.access as Scope]]}`)).status).toBe(403)
    expect((await upgrade(route, `?token=${keys.admin}`)).status).toBe(200)
  },
)
