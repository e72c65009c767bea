import { expect, test } from 'vitest'
import { remove, rotate } from '../../handlers/auth/keys.ts'
import { ticket as issue } from '../../handlers/auth/session.ts'
import { authenticateSocket } from '../../runtime/auth/authenticate-socket.ts'
import { limiter } from '../../runtime/auth/limiter.ts'
import { createKeyLocally } from '../../runtime/auth/local.ts'
import { Ticket } from '../../runtime/auth/schema.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { socketEndpoint } from '../../runtime/http/socket.ts'
import { second } from '../../runtime/time.ts'
import { client } from '../support/client.ts'
import { peer, setUpAdmin, testHost } from '../support/host.ts'

const events = socketEndpoint({
  path: '/ws/test',
  summary: 'A socket that reads',
  access: 'read',
  max_frame_bytes: 1024,
  open: () => undefined,
})

async function ready() {
  const host = await testHost({}, { cors_origins: ['http://localhost:5173'] })
  const { api_key, session } = await setUpAdmin(host)
  const send = client(host)
  const upgrade = (
    token: string | null,
    { origin, access = events.access } = {} as { origin?: string; access?: typeof events.access },
  ) => {
    const query = token === null ? '' : `?token=${encodeURIComponent(token)}`
    const headers: Record<string, string> = origin === undefined ? {} : { origin }
    const request = new Request(`http://127.0.0.1:18781/ws/test${query}`, { headers })
    return authenticateSocket({ ...events, access }, request, contextOf(request, host, peer))
  }
  const newTicket = async (key = api_key.key) => Ticket.parse(await (await send(issue, { key })).json())
  return { host, admin: api_key, session, send, upgrade, newTicket }
}

test('an API key and a session open a socket', async () => {
  const { admin, session, upgrade } = await ready()
  expect(await upgrade(admin.key)).toMatchObject({ kind: 'api_key', id: admin.id })
  expect(await upgrade(session.token)).toMatchObject({ kind: 'session', scopes: ['admin'] })
})

test.each([
  [null, 'Missing Authorization header'],
  ['', 'Missing Authorization header'],
  ['nonsense', 'Invalid or revoked API key'],
  [`svc_${'0'.repeat(64)}`, 'Invalid or revoked API key'],
  [`tkt_${'0'.repeat(64)}`, 'Invalid or revoked API key'],
  [`dev_${'0'.repeat(64)}`, 'Invalid or revoked API key'],
])('the token %s is 401', async (token, message) => {
  const { upgrade } = await ready()
  await expect(upgrade(token)).rejects.toMatchObject({ status: 401, message })
})

test('a ticket opens one socket, as the credential that requested it', async () => {
  const { admin, upgrade, newTicket } = await ready()
  const { ticket, expires_at } = await newTicket()
  expect(expires_at).toBe('2026-01-05T12:00:30.000Z')
  expect(await upgrade(ticket)).toMatchObject({ kind: 'api_key', id: admin.id, scopes: ['admin'] })
  await expect(upgrade(ticket)).rejects.toMatchObject({ status: 401 })
})

test('of 50 concurrent uses of one ticket exactly one succeeds', async () => {
  const { host, upgrade, newTicket } = await ready()
  const { ticket } = await newTicket()
  limiter(host).fail = () => undefined
  const uses = await Promise.allSettled(Array.from({ length: 50 }, () => upgrade(ticket)))
  expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a ticket is valid for 30 seconds, and no longer than its credential', async () => {
  const { host, admin, send, upgrade, newTicket } = await ready()
  const late = await newTicket()
  await host.clock.advance(30 * second)
  await expect(upgrade(late.ticket)).rejects.toMatchObject({ status: 401 })

  const { id, key } = await createKeyLocally(host, { name: 'short' })
  const orphan = await newTicket(key)
  await send(remove, { key: admin.key, params: { id } })
  await expect(upgrade(orphan.ticket)).rejects.toMatchObject({ status: 401 })
})

test('a rotated key has no valid tickets', async () => {
  const { host, admin, send, upgrade, newTicket } = await ready()
  const { id, key } = await createKeyLocally(host, { name: 'leaked' })
  const { ticket } = await newTicket(key)
  await send(rotate, { key: admin.key, params: { id } })
  await expect(upgrade(ticket)).rejects.toMatchObject({ status: 401 })
})

test('a ticket is not a credential for a request', async () => {
  const { send, newTicket } = await ready()
  expect((await send(issue, { key: (await newTicket()).ticket })).status).toBe(401)
})

test('a credential without the scope is 403', async () => {
  const { host, upgrade } = await ready()
  const { key } = await createKeyLocally(host, { name: 'narrow', scopes: ['write'] })
  await expect(upgrade(key)).rejects.toMatchObject({ status: 403 })
})

test.each(['http://127.0.0.1:18781', 'http://localhost:5173'])('the origin %s is allowed', async (origin) => {
  const { admin, upgrade } = await ready()
  expect(await upgrade(admin.key, { origin })).toMatchObject({ id: admin.id })
})

test.each([
  'http://evil.example',
  'null',
  '',
  'http://127.0.0.1:18782',
  'https://127.0.0.1:18781',
  'http://127.0.0.1:18781.evil.example',
  'http://localhost:51730',
  'http://localhost:5173.evil.example',
  'http://localhost:5173@evil.example',
  'HTTP://LOCALHOST:5173',
])('the origin "%s" may not, whatever its token', async (origin) => {
  const { admin, upgrade } = await ready()
  await expect(upgrade(admin.key, { origin })).rejects.toMatchObject({ status: 403 })
  await expect(upgrade(null, { origin, access: 'public' })).rejects.toMatchObject({ status: 403 })
})

test('guessing tokens blocks the address everywhere', async () => {
  const { admin, send, upgrade } = await ready()
  for (let guess = 0; guess < 10; guess += 1) {
    await expect(upgrade(`svc_${String(guess).repeat(64)}`)).rejects.toMatchObject({ status: 401 })
  }
  await expect(upgrade(`svc_${'b'.repeat(64)}`)).rejects.toMatchObject({ status: 429 })
  expect((await send(issue, { key: `svc_${'b'.repeat(64)}` })).status).toBe(429)
  expect((await send(issue, { key: admin.key })).status).toBe(200)
})
