import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { push } from '../../adapters/push/push.ts'
import { send as ask } from '../../handlers/chat/stream.ts'
import * as browsers from '../../handlers/devices/browsers.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { commit } from '../../runtime/events/commit.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import { tick } from '../../runtime/tick.ts'
import { minute } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { approved, commandOf, connect, quiet, send, sent, shown } from './kit.ts'

const capabilities = ['notify', 'approvals']
const phone = { name: 'Phone', platform: 'browser' as const, capabilities }
const notify = { command: 'notify', params: { title: 'Tea' } }
const receiver = createECDH('prime256v1')
const subscription = {
  endpoint: 'https://push.example/abc',
  keys: { p256dh: receiver.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
}

/** What the browser shows of an encrypted message (RFC 8188, RFC 8291). */
function decrypted(body: Uint8Array): unknown {
  const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 21 + (body[20] ?? 0))]
  const shared = receiver.computeSecret(sender)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver.getPublicKey(), sender])
  const secret = hkdfSync('sha256', shared, Buffer.from(subscription.keys.auth, 'base64url'), info, 32)
  const derived = (use: string, length: number) =>
    new Uint8Array(hkdfSync('sha256', new Uint8Array(secret), salt, Buffer.from(`Content-Encoding: ${use}\0`), length))
  const cipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12))
  const record = body.subarray(21 + sender.length)
  cipher.setAuthTag(record.subarray(-16))
  const text = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]).toString()
  return JSON.parse(text.slice(0, text.lastIndexOf('\u0002')))
}

/** A host whose push service answers with `status`. */
async function pushHost(status: number, options: Parameters<typeof testHost>[0] = {}) {
  const requests: string[] = []
  const notices: unknown[] = []
  const delivery: unknown[] = []
  const outbound: Outbound = {
    ...noOutbound,
    async fetch(url, init) {
      requests.push(`${init?.method} ${url}`)
      notices.push(decrypted(init?.body as Uint8Array))
      const { urgency, ttl } = Object.fromEntries(new Headers(init?.headers))
      delivery.push({ urgency, ttl })
      return new Response(null, { status })
    },
  }
  const host = await testHost({ push, outbound, ...options })
  const device = await approved(host, phone)
  const socket = await connect(host, device.device_token, { capabilities })
  const settle = async () => {
    // The package is loaded with the first message.
    await import('web-push')
    for (let turn = 0; turn < 5; turn += 1) await quiet(host)
  }
  await expect.poll(() => socket.of('welcome').length).toBe(1)
  await settle()
  return { host, device, socket, requests, notices, delivery, settle }
}

test('a browser subscribes with the key of the daemon and gets notifications while it is not connected', async () => {
  const { host, device, socket, requests, settle } = await pushHost(201)
  expect(socket.of('welcome')[0]?.push_public_key).toMatch(/^[\w-]{87}$/)
  socket.say({ type: 'push', subscription })
  await expect.poll(async () => (await shown(host, device.device_id)).push).toBe(true)
  expect((await shown(host, device.device_id)).push).toBe(true)
  socket.leave()
  await quiet(host)
  const { id } = await sent(host, device.device_id, notify)
  await settle()
  await expect.poll(() => requests).toEqual(['POST https://push.example/abc'])
  expect(await commandOf(host, device.device_id, id)).toMatchObject({
    status: 'succeeded',
    output: { delivered_by: 'push' },
  })
  // It is not delivered a second time.
  const again = await connect(host, device.device_token, { capabilities })
  expect(again.of('command')).toEqual([])
  const [key] = await host.sql.read<{ sealed_private_key: string }>('SELECT * FROM device_push_keys')
  expect(key?.sealed_private_key).not.toMatch(/^[\w-]{43}$/)
})

test('a subscription that has ended is forgotten, and a queued notification waits for the device', async () => {
  const { host, device, socket, settle } = await pushHost(410)
  socket.say({ type: 'push', subscription })
  await expect.poll(async () => (await shown(host, device.device_id)).push).toBe(true)
  socket.leave()
  await quiet(host)
  const { id } = await sent(host, device.device_id, { ...notify, queue_if_offline: true })
  await settle()
  await expect.poll(async () => (await shown(host, device.device_id)).push).toBe(false)
  expect((await commandOf(host, device.device_id, id)).status).toBe('queued')
  expect((await send(host, device.device_id, notify)).status).toBe(409)
  const again = await connect(host, device.device_token, { capabilities })
  expect(again.of('command').map((frame) => frame.id)).toEqual([id])
})

test('an approval is pushed to the phone of its owner', async () => {
  const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })
  const models = scriptedModels(write, text('Written.'))
  const { host, socket, requests, settle } = await pushHost(201, { models })
  socket.say({ type: 'push', subscription })
  await settle()
  socket.leave()
  await quiet(host)
  await call(ask, host, { body: { message: 'Write a note' } })
  await workOff(host)
  await settle()
  expect(requests).toEqual(['POST https://push.example/abc'])
})

test('a browser connects although the key for notifications cannot be read, as after a restore without the master key', async () => {
  const { host, device, socket, settle } = await pushHost(201)
  socket.say({ type: 'push', subscription })
  await expect.poll(async () => (await shown(host, device.device_id)).push).toBe(true)
  socket.leave()
  await host.sql.write([{ sql: `UPDATE device_push_keys SET sealed_private_key = 'v1.other.key'` }])
  const again = await connect(host, device.device_token, { capabilities })
  await settle()
  expect([again.closed, again.of('welcome')]).toEqual([null, [expect.objectContaining({ type: 'welcome' })]])
  again.leave()
  await quiet(host)
  const { id } = await sent(host, device.device_id, notify)
  await settle()
  expect((await commandOf(host, device.device_id, id)).status).toBe('failed')
})

const failure = {
  ...{ job_id: 'job_1', name: 'Report', run_id: 'run_1', trigger: 'schedule', attempt: 1, scheduled_for: null },
  ...{ conversation_id: null, status: 'failed', error: 'The token sk-1 was refused' },
}

test('a browser of the owner is told by name that a job failed, once it is quiet no longer and nothing is retried', async () => {
  const { host, notices, delivery } = await pushHost(201)
  await call(browsers.create, host, { body: { name: 'Laptop', subscription } })
  await call(sections.proactive.update, host, { body: { quiet_hours: { start: '11:00', end: '12:10' } } })
  const failed = (will_retry: boolean) => ({
    ...{ type: 'job.run.failed' as const, data: { ...failure, will_retry }, owner_id: '' },
  })
  await commit(host, [], [failed(true), failed(false)])
  await workOff(host)
  expect(notices).toEqual([])
  await host.clock.advance(11 * minute)
  await workOff(host)
  expect(notices).toEqual([
    { title: 'Report failed', body: 'Open hearthd to see why.', href: '/scheduler/job_1', tag: 'job_1' },
  ])
  expect(delivery).toEqual([{ urgency: 'normal', ttl: '86400' }])
})

test('a browser is told at once what waits, while it does, unless it was switched off', async () => {
  const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })
  const models = scriptedModels(write, text('Written.'), write, text('Written.'))
  const { host, notices, delivery } = await pushHost(201, { models })
  await call(browsers.create, host, { body: { name: 'Laptop', subscription } })
  await call(ask, host, { body: { message: 'Write a note' } })
  await workOff(host)
  expect(notices).toEqual([
    expect.objectContaining({ title: 'Approval needed', href: expect.stringMatching(/^\/chat\//) }),
  ])
  expect(delivery).toEqual([{ urgency: 'high', ttl: '1800' }])
  const approvals = { notifications: { approvals: false } }
  await call(sections.interface.update, host, { body: approvals })
  await call(ask, host, { body: { message: 'Write a note' } })
  await workOff(host)
  expect(notices.length).toBe(1)
})

test('a browser that subscribes again is listed once, and a subscription that has ended is deleted', async () => {
  const { host } = await pushHost(410)
  for (const name of ['Old', 'New']) await call(browsers.create, host, { body: { name, subscription } })
  const names = async () => {
    const listed = (await (await call(browsers.list, host)).json()) as { browsers: { name: string }[] }
    return listed.browsers.map(({ name }) => name)
  }
  expect(await names()).toEqual(['New'])
  const data = { ...failure, will_retry: false }
  await commit(host, [], [{ type: 'job.run.failed', data, owner_id: '' }])
  await tick(host)
  await host.process.running.settled()
  expect(await names()).toEqual([])
})
