import { expect, test } from 'vitest'
import * as commands from '../../handlers/devices/commands.ts'
import * as devices from '../../handlers/devices/devices.ts'
import * as groups from '../../handlers/devices/groups.ts'
import { pruneExpired } from '../../runtime/prune.ts'
import { day, second } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { approved, commandOf, connect, desktop, paired, quiet, send, sent, shown, work } from './kit.ts'

const notify = { command: 'notify', params: { title: 'Tea' } }

test('a command reaches the device, which reports progress and the result', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const socket = await connect(host, device_token)
  expect(socket.of('welcome')).toMatchObject([{ heartbeat_seconds: 30, device_id, allowed_commands: desktop }])
  const command = await sent(host, device_id, notify)
  expect(command).toMatchObject({ status: 'queued', params: { title: 'Tea', body: '' } })
  await quiet(host)
  const [frame] = socket.of('command')
  expect(frame).toMatchObject({
    id: command.id,
    command: 'notify',
    params: { title: 'Tea' },
    timeout_seconds: 60,
  })
  expect((await commandOf(host, device_id, command.id)).status).toBe('sent')

  socket.say({ type: 'ack', id: command.id })
  socket.say({ type: 'progress', id: command.id, pct: 50, message: 'half' })
  await quiet(host)
  expect(await commandOf(host, device_id, command.id)).toMatchObject({
    status: 'running',
    progress: { pct: 50, message: 'half' },
  })
  socket.say({ type: 'result', id: command.id, ok: true, output: { shown: true } })
  await quiet(host)
  expect(await commandOf(host, device_id, command.id)).toMatchObject({
    status: 'succeeded',
    output: { shown: true },
  })
  expect(host.events.filter((type) => type.startsWith('device.command'))).toEqual([
    'device.command.updated',
    'device.command.updated',
    'device.command.updated',
    'device.command.progress',
    'device.command.updated',
  ])
})

test('commands are delivered one at a time and in order', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const socket = await connect(host, device_token)
  const all = await Promise.all([1, 2, 3, 4].map(() => sent(host, device_id, notify)))
  await quiet(host)
  expect(socket.of('command')).toHaveLength(1)
  const done = await work(host, socket)
  expect(done).toHaveLength(4)
  expect(socket.of('command').map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  expect([...done].sort()).toEqual(all.map(({ id }) => id).sort())
})

test('a command for a device that is offline is refused, or queued until it comes back', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  expect((await send(host, device_id, notify)).status).toBe(409)
  const command = await sent(host, device_id, { ...notify, queue_if_offline: true })
  const socket = await connect(host, device_token)
  expect(await work(host, socket)).toEqual([command.id])
  expect((await commandOf(host, device_id, command.id)).status).toBe('succeeded')
})

test('a queued command expires, and a delivered one times out', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const queued = await sent(host, device_id, { ...notify, queue_if_offline: true, queue_seconds: 30 })
  await host.clock.advance(31 * second)
  await workOff(host)
  expect((await commandOf(host, device_id, queued.id)).status).toBe('expired')

  const socket = await connect(host, device_token)
  expect(socket.of('command')).toEqual([])
  const command = await sent(host, device_id, { ...notify, timeout_seconds: 5 })
  await quiet(host)
  await host.clock.advance(6 * second)
  await workOff(host)
  await quiet(host)
  expect(await commandOf(host, device_id, command.id)).toMatchObject({
    status: 'timed_out',
    error: 'The device returned no result within 5 s',
  })
  expect(socket.of('cancel')).toEqual([{ type: 'cancel', id: command.id }])
  // A late result changes nothing.
  socket.say({ type: 'result', id: command.id, ok: true })
  await quiet(host)
  expect((await commandOf(host, device_id, command.id)).status).toBe('timed_out')
})

test('a command is cancelled, on the device too, and the next one is delivered', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const socket = await connect(host, device_token)
  const first = await sent(host, device_id, notify)
  const second = await sent(host, device_id, notify)
  await quiet(host)
  const params = { id: device_id, command_id: first.id }
  expect((await (await call(commands.cancel, host, { params })).json()).status).toBe('cancelled')
  await quiet(host)
  expect(socket.of('cancel')).toEqual([{ type: 'cancel', id: first.id }])
  expect(socket.of('command').map(({ id }) => id)).toEqual([first.id, second.id])
  expect((await call(commands.cancel, host, { params })).status).toBe(409)
})

test('what the device has not received is sent again, and what it lost has failed', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const first = await connect(host, device_token)
  const lost = await sent(host, device_id, notify)
  await quiet(host)
  expect(first.of('command')).toHaveLength(1)
  // The connection broke before the frame arrived.
  first.leave()
  const second = await connect(host, device_token, { capabilities: desktop, received: 0, running: [] })
  expect(second.of('command').map(({ id }) => id)).toEqual([lost.id])
  second.leave()
  // It arrived, and the device was restarted while it worked on it.
  const third = await connect(host, device_token, { capabilities: desktop, received: 1, running: [] })
  expect(third.of('command')).toEqual([])
  expect((await commandOf(host, device_id, lost.id)).status).toBe('failed')
})

test('a command that may have been received is never sent again', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const first = await connect(host, device_token)
  const command = await sent(host, device_id, notify)
  await quiet(host)
  first.leave()
  const again = await connect(host, device_token)
  expect(again.of('command')).toEqual([])
  again.say({ type: 'result', id: command.id, ok: true })
  await quiet(host)
  expect((await commandOf(host, device_id, command.id)).status).toBe('succeeded')
})

test.each([
  ['a command that the device does not offer', { command: 'screenshot' }, 422],
  ['a capability without approval', { command: 'clipboard.read' }, 403],
  ['parameters that do not fit', { command: 'notify', params: {} }, 422],
  ['a name that is none', { command: '../x' }, 422],
  ['a timeout out of range', { ...notify, timeout_seconds: 0 }, 422],
])('%s is refused', async (_, body, status) => {
  const host = await testHost()
  const { device_id, device_token } = await paired(host)
  await connect(host, device_token)
  expect((await send(host, device_id, body)).status).toBe(status)
})

test('a new capability needs approval before use', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  await connect(host, device_token, { capabilities: [...desktop, 'camera'] })
  expect(await shown(host, device_id)).toMatchObject({
    new_capabilities: ['camera'],
    allowed_commands: desktop,
  })
  expect((await send(host, device_id, { command: 'camera' })).status).toBe(403)
  const body = { allowed_commands: [...desktop, 'camera'] }
  await call(devices.update, host, { params: { id: device_id }, body })
  expect((await send(host, device_id, { command: 'camera' })).status).toBe(202)
  const unknown = { allowed_commands: ['system.run'] }
  expect((await call(devices.update, host, { params: { id: device_id }, body: unknown })).status).toBe(422)
})

test('a result of a capability that is not approved any more is refused and audited', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const socket = await connect(host, device_token)
  const command = await sent(host, device_id, { command: 'clipboard.read' })
  await quiet(host)
  await call(devices.update, host, { params: { id: device_id }, body: { allowed_commands: ['notify'] } })
  socket.say({ type: 'result', id: command.id, ok: true, output: 'secret' })
  await quiet(host)
  expect(socket.of('refused')).toHaveLength(1)
  expect(await commandOf(host, device_id, command.id)).toMatchObject({ status: 'failed', output: null })
})

test('a group command has a result for each device', async () => {
  const host = await testHost()
  const one = await approved(host, { name: 'One' })
  const two = await approved(host, { name: 'Two', capabilities: ['health'] })
  const three = await approved(host, { name: 'Three' })
  const device_ids = [one, two, three].map(({ device_id }) => device_id)
  const group = await (await call(groups.createGroup, host, { body: { name: 'All', device_ids } })).json()
  const socket = await connect(host, one.device_token)
  await connect(host, two.device_token, { capabilities: ['health'] })
  const response = await call(groups.sendAll, host, { params: { id: group.id }, body: notify })
  expect(response.status).toBe(202)
  const { id, results } = await response.json()
  expect(results.map(({ error }: { error: string | null }) => error)).toEqual([
    null,
    expect.stringContaining('is not offered'),
    expect.stringContaining('is offline'),
  ])
  await quiet(host)
  await work(host, socket)
  const params = { id: group.id, command_id: id }
  expect(await (await call(groups.results, host, { params })).json()).toMatchObject({
    results: [{ device_id: one.device_id, command: { status: 'succeeded' } }],
  })
  const { devices: members } = await (await call(groups.members, host, { params: { id: group.id } })).json()
  expect(members).toHaveLength(3)
})

test('a command of a group that is named like a member of every object is one that no device offers', async () => {
  const host = await testHost()
  const { device_id } = await approved(host)
  const body = { name: 'All', device_ids: [device_id] }
  const { id } = await (await call(groups.createGroup, host, { body })).json()
  const response = await call(groups.sendAll, host, { params: { id }, body: { command: 'constructor' } })
  expect(response.status).toBeLessThan(500)
})

test('large outputs are kept for a day, the rest of a command for 30 days', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const socket = await connect(host, device_token)
  const large = await sent(host, device_id, notify)
  await quiet(host)
  await work(host, socket, 'x'.repeat(100_000))
  const small = await sent(host, device_id, notify)
  await quiet(host)
  socket.say({ type: 'result', id: small.id, ok: true, output: 'x' })
  await quiet(host)
  socket.leave()
  await quiet(host)
  await host.clock.advance(2 * day)
  await pruneExpired(host)
  expect(await commandOf(host, device_id, large.id)).toMatchObject({ status: 'succeeded', output: null })
  expect((await commandOf(host, device_id, small.id)).output).toBe('x')
})
