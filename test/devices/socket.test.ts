import { expect, test } from 'vitest'
import { health } from '../../handlers/devices/devices.ts'
import { second } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { approved, connect, desktop, quiet, send, sent, shown, work } from './kit.ts'

const notify = { command: 'notify', params: { title: 'Tea' } }

test.each([
  ['no token', null],
  ['an empty token', ''],
  ['a token of the wrong form', 'svc_123'],
  ['an unknown token', `dev_${'0'.repeat(64)}`],
])('%s closes with 4401', async (_, token) => {
  const host = await testHost()
  expect((await connect(host, token)).closed).toBe(4401)
})

test('a newer connection replaces the older one with 4409, and the device stays online', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const first = await connect(host, device_token)
  const second = await connect(host, device_token)
  expect([first.closed, second.closed]).toEqual([4409, null])
  expect((await shown(host, device_id)).status).toBe('online')
  second.leave()
  await quiet(host)
  expect((await shown(host, device_id)).status).toBe('offline')
  expect(host.events.filter((type) => /connected$/.test(type))).toEqual([
    'device.connected',
    'device.connected',
    'device.disconnected',
  ])
})

test.each([
  ['text that is no JSON', 'hello'],
  ['an unknown type', { type: 'shutdown' }],
  ['a second hello', { type: 'hello', capabilities: [] }],
  ['a field of the wrong type', { type: 'ack', id: 7 }],
])('%s closes with 4400', async (_, frame) => {
  const host = await testHost()
  const { device_token } = await approved(host)
  const socket = await connect(host, device_token)
  socket.say(frame)
  await quiet(host)
  expect(socket.closed).toBe(4400)
})

test('a frame before hello closes with 4400, and so does no hello within 10 s', async () => {
  const host = await testHost()
  const { device_token } = await approved(host)
  const early = await connect(host, device_token, null)
  early.say({ type: 'ping' })
  await quiet(host)
  expect(early.closed).toBe(4400)
  const silent = await connect(host, device_token, null)
  await host.clock.advance(10 * second)
  expect(silent.closed).toBe(4400)
})

test('a device that floods is disconnected', async () => {
  const host = await testHost()
  const { device_token } = await approved(host)
  const socket = await connect(host, device_token)
  for (let count = 0; count < 1_100; count += 1) socket.say({ type: 'ping' })
  expect(socket.closed).toBe(4400)
})

test('ping is answered, and silence for 90 s makes a device stale until it speaks', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const socket = await connect(host, device_token)
  socket.say({ type: 'ping', health: { battery_pct: 80 } })
  await quiet(host)
  expect(socket.of('pong')).toHaveLength(1)
  const seen = await (await call(health, host, { params: { id: device_id } })).json()
  expect(seen).toMatchObject({
    status: 'online',
    health: { battery_pct: 80, cpu_pct: null },
    queued_commands: 0,
  })

  await host.clock.advance(100 * second)
  await quiet(host)
  expect((await shown(host, device_id)).status).toBe('stale')
  expect((await send(host, device_id, notify)).status).toBe(409)
  const command = await sent(host, device_id, { ...notify, queue_if_offline: true })
  await quiet(host)
  expect(socket.of('command')).toEqual([])
  socket.say({ type: 'pong' })
  await quiet(host)
  expect((await shown(host, device_id)).status).toBe('online')
  expect(await work(host, socket)).toEqual([command.id])
})

test('a connection that stays silent is closed', async () => {
  const host = await testHost()
  const { device_token } = await approved(host)
  const socket = await connect(host, device_token)
  await host.clock.advance(220 * second)
  await quiet(host)
  expect(socket.closed).toBe(4408)
})

test('what a device reports is an event of its owner', async () => {
  const host = await testHost()
  const { device_token } = await approved(host)
  const socket = await connect(host, device_token)
  socket.say({ type: 'event', event: 'door.opened', data: { door: 'front' } })
  await quiet(host)
  const [row] = await host.sql.read<{ data: string }>(`SELECT data FROM events WHERE type = 'device.event'`)
  expect(JSON.parse(row?.data ?? '')).toMatchObject({
    name: 'Laptop',
    event: 'door.opened',
    data: { door: 'front' },
  })
})

test('a result for a command that was never sent is refused and audited; many of them end the connection', async () => {
  const host = await testHost()
  const { device_token } = await approved(host)
  const other = await approved(host)
  const foreign = await sent(host, other.device_id, { ...notify, queue_if_offline: true })
  const socket = await connect(host, device_token)
  socket.say({ type: 'result', id: foreign.id, ok: true })
  await quiet(host)
  expect(socket.of('refused')).toMatchObject([{ id: foreign.id }])
  for (let count = 0; count < 30; count += 1) socket.say({ type: 'result', id: `cmd_${count}`, ok: true })
  await quiet(host)
  await quiet(host)
  expect(socket.closed).toBe(4400)
  const rows = await host.sql.read<{ outcome: string; actor: string }>(
    `SELECT outcome, actor FROM audit WHERE action = 'device.frame_refused'`,
  )
  expect(rows).toHaveLength(20)
  expect(rows[0]).toEqual({ outcome: 'denied', actor: 'device Laptop' })
})

test('a daemon that starts has no device connected', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  await connect(host, device_token, { capabilities: desktop })
  const { startUp } = await import('../../runtime/assemble.ts')
  await startUp(host, { alone: true })
  expect((await shown(host, device_id)).status).toBe('offline')
})

test('an event with more data than 64 KiB is refused and not stored', async () => {
  const host = await testHost()
  const { device_token } = await approved(host)
  const socket = await connect(host, device_token)
  socket.say({ type: 'event', event: 'door.opened', data: 'x'.repeat(70_000) })
  socket.say({ type: 'event', event: 'door.closed', data: 'x'.repeat(10_000) })
  await quiet(host)
  expect(socket.of('refused')).toMatchObject([{ event: 'door.opened' }])
  expect(host.events.filter((type) => type === 'device.event')).toHaveLength(1)
})

test('at most 600 frames of progress a minute are stored', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const socket = await connect(host, device_token)
  const { id } = await sent(host, device_id, notify)
  await quiet(host)
  for (let pct = 0; pct < 700; pct += 1) socket.say({ type: 'progress', id, pct: pct / 7 })
  for (let turn = 0; turn < 40; turn += 1) await quiet(host)
  expect(host.events.filter((type) => type === 'device.command.progress')).toHaveLength(600)
  expect(socket.closed).toBeNull()
})
