import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { type TestDaemon, testDaemon } from '../support/daemon.ts'

let daemon: TestDaemon
let headers: Record<string, string>
beforeAll(async () => {
  daemon = await testDaemon()
  const admin = { username: 'ada', password: 'correct horse battery' }
  const { api_key } = await post('/api/setup/admin', admin)
  headers = { authorization: `Bearer ${api_key.key}` }
})
afterAll(() => daemon.close())

async function post(path: string, body: object) {
  const response = await fetch(daemon.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.json()
}

async function token(): Promise<string> {
  const { code } = await post('/api/devices/pairing-codes', {})
  const about = { code, name: 'Phone', platform: 'android', capabilities: ['notify'] }
  return (await post('/api/auth/device/pair', about)).device_token
}

const open = (path: string, options: WebSocket.ClientOptions = {}) => {
  const socket = new WebSocket(daemon.url.replace('http', 'ws') + path, options)
  const closed = once(socket, 'close').then(([code]) => code as number)
  // Of one that is refused before it opens.
  closed.catch(() => undefined)
  return { socket, closed }
}

async function welcomed(path: string) {
  const { socket, closed } = open(path)
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'hello', capabilities: ['notify'] }))
  const [data] = await once(socket, 'message')
  return { socket, closed, frame: JSON.parse(String(data)) }
}

test('both paths take a device token, and a newer connection closes the older one with 4409', async () => {
  const own = await token()
  const first = await welcomed(`/api/devices/ws?token=${own}`)
  expect(first.frame).toMatchObject({ type: 'welcome', heartbeat_seconds: 30 })
  const second = await welcomed(`/device/ws?token=${own}`)
  expect(await first.closed).toBe(4409)
  second.socket.close()
})

test.each(['/api/devices/ws', '/device/ws?token=', `/device/ws?token=dev_${'0'.repeat(64)}`])(
  '%s closes with 4401',
  async (path) => {
    expect(await open(path).closed).toBe(4401)
  },
)

test('an API key opens no device socket, and a device token no other socket', async () => {
  expect(await open(`/device/ws?token=${headers.authorization?.slice(7)}`).closed).toBe(4401)
  const own = await token()
  const { socket } = open(`/ws/events?token=${own}`)
  const [error] = await once(socket, 'error')
  expect(String(error)).toContain('401')
})

test('a malformed frame closes with 4400, one over 1 MiB with 1009, and the daemon goes on', async () => {
  const own = await token()
  const malformed = await welcomed(`/device/ws?token=${own}`)
  malformed.socket.send('{')
  expect(await malformed.closed).toBe(4400)
  const oversized = await welcomed(`/device/ws?token=${own}`)
  oversized.socket.send(`"${'x'.repeat(1024 * 1024)}"`)
  expect(await oversized.closed).toBe(1009)
  const binary = await welcomed(`/device/ws?token=${own}`)
  binary.socket.send(new Uint8Array([1, 2, 3]))
  expect(await binary.closed).toBe(4400)
  const again = await welcomed(`/device/ws?token=${own}`)
  again.socket.close()
})

test('a page of a foreign origin opens no device socket', async () => {
  const { socket } = open(`/device/ws?token=${await token()}`, { origin: 'https://evil.example' })
  const [error] = await once(socket, 'error')
  expect(String(error)).toContain('403')
})
