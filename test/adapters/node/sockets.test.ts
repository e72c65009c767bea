import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type TestDaemon, testDaemon } from '../../support/daemon.ts'
import { openRaw, parseRaw, readAll } from '../../support/raw.ts'

let daemon: TestDaemon
let key: string

beforeAll(async () => {
  daemon = await testDaemon()
  const body = JSON.stringify({ username: 'ada', password: 'correct horse battery' })
  const response = await fetch(`${daemon.url}/api/setup/admin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  key = ((await response.json()) as { api_key: { key: string } }).api_key.key
})
afterAll(() => daemon.close())

const events = (token = key) => `${daemon.url.replace('http', 'ws')}/ws/events?token=${token}`

/** How a handshake was refused. */
async function refused(url: string, options: object = {}): Promise<{ status: number; body: unknown }> {
  const socket = new WebSocket(url, options)
  const { promise, resolve } = Promise.withResolvers<{ status: number; body: unknown }>()
  socket.on('error', () => undefined)
  socket.on('unexpected-response', (_, response) => {
    let text = ''
    response.on('data', (chunk) => (text += chunk))
    response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
  })
  return promise
}

async function opened(): Promise<WebSocket> {
  const socket = new WebSocket(events())
  await once(socket, 'open')
  return socket
}

test('opens with a key, and transfers frames', async () => {
  const socket = await opened()
  const frame = once(socket, 'message') as Promise<[Buffer]>
  socket.send(JSON.stringify({ type: 'subscribe', types: ['agent.created'] }))
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  await fetch(`${daemon.url}/api/agents`, { method: 'POST', headers, body: JSON.stringify({ name: 'One' }) })

  expect(JSON.parse(String((await frame)[0]))).toMatchObject({ type: expect.any(String) })
  socket.close()
})

test('without a credential, or with a wrong one, it is a plain 401', async () => {
  expect(await refused(`${daemon.url.replace('http', 'ws')}/ws/events`)).toEqual({
    status: 401,
    body: { error: 'Missing Authorization header' },
  })
  expect(await refused(events(`svc_${'0'.repeat(64)}`))).toEqual({
    status: 401,
    body: { error: 'Invalid or revoked API key' },
  })
})

test.each(['http://evil.example', 'null', 'http://127.0.0.1.evil.example', 'https://localhost:5173'])(
  'a page from %s is refused',
  async (origin) => {
    expect(await refused(events(), { origin })).toMatchObject({
      status: 403,
      body: { error: 'forbidden', status: 403 },
    })
  },
)

test('a page from our own or a configured origin is accepted', async () => {
  for (const origin of [daemon.url, 'http://localhost:5173']) {
    const socket = new WebSocket(events(), { origin })
    await once(socket, 'open')
    socket.close()
  }
})

test('an unknown path and a foreign host are refused as for other requests', async () => {
  expect(await refused(`${daemon.url.replace('http', 'ws')}/ws/nothing?token=${key}`)).toMatchObject({
    status: 404,
  })
  expect(await refused(events(), { headers: { host: 'evil.example' } })).toMatchObject({ status: 421 })
})

test('a revoked key closes its sockets with 4401', async () => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const created = await fetch(`${daemon.url}/api/auth/keys`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'short' }),
  })
  const { id, key: short } = (await created.json()) as { id: string; key: string }
  const socket = new WebSocket(events(short))
  await once(socket, 'open')
  const closed = once(socket, 'close') as Promise<[number]>
  await fetch(`${daemon.url}/api/auth/keys/${id}`, { method: 'DELETE', headers })

  expect((await closed)[0]).toBe(4401)
})

test('a frame above the limit closes the socket with 1009', async () => {
  const socket = await opened()
  const closed = once(socket, 'close') as Promise<[number]>
  socket.on('error', () => undefined)
  socket.send(Buffer.alloc(1024 * 1024 + 1))

  expect((await closed)[0]).toBe(1009)
})

const handshake = () =>
  `GET /ws/events?token=${key} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`

test.each([
  ['an unmasked frame', Buffer.from([0x81, 0x01, 0x41])],
  ['reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
  ['an unknown opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
  ['a control frame that is too long', Buffer.from([0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0])],
  ['a length beyond all bounds', Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
  ['text that is no UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe])],
  ['a torn close', Buffer.from([0x88, 0x81, 0, 0, 0, 0, 0x03])],
  ['noise', randomBytes(4096)],
])('%s ends its own socket and nothing else', async (_, frame) => {
  const socket = await openRaw(daemon.port)
  socket.write(handshake())
  await once(socket, 'data')
  socket.write(frame)
  socket.write(randomBytes(64))
  await readAll(socket)

  expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
})

test.each([
  ['without a key', 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n', 400],
  [
    'of another version',
    `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`,
    400,
  ],
])('a handshake %s is refused', async (_, headers, status) => {
  const socket = await openRaw(daemon.port)
  socket.write(`GET /ws/events?token=${key} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`)

  expect(parseRaw(await readAll(socket))).toMatchObject({ status, body: { error: 'bad_request' } })
})

test('a connection that breaks during the handshake does no harm', async () => {
  for (let index = 0; index < 20; index += 1) {
    const socket = await openRaw(daemon.port)
    socket.write(handshake())
    socket.resetAndDestroy()
  }

  expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
})

test('a client that does not read is dropped', async () => {
  const socket = await openRaw(daemon.port)
  socket.write(handshake())
  await once(socket, 'data')
  socket.pause()
  const before = daemon.host.process.connections.size
  const data = { text: 'x'.repeat(256 * 1024) }
  const ts = new Date(daemon.host.clock.now()).toISOString()
  for (let index = 0; daemon.host.process.connections.size >= before && index < 2_000; index += 1) {
    daemon.host.bus.publish('events', { type: 'agent.updated', ts, data, seq: 1_000_000 + index })
    await new Promise((resolve) => setImmediate(resolve))
  }

  expect(daemon.host.process.connections.size).toBe(before - 1)
  socket.destroy()
})
