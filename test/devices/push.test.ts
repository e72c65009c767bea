import { createECDH, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { push } from '../../adapters/push/push.ts'
import { send as ask } from '../../handlers/chat/stream.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { approved, commandOf, connect, quiet, send, sent, shown } from './kit.ts'

const capabilities = ['notify', 'approvals']
const phone = { name: 'Phone', platform: 'browser' as const, capabilities }
const notify = { command: 'notify', params: { title: 'Tea' } }
const subscription = {
  endpoint: 'https://push.example/abc',
  keys: {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  },
}

/** A host whose push service answers with `status`. */
async function pushHost(status: number, options: Parameters<typeof testHost>[0] = {}) {
  const requests: string[] = []
  const outbound: Outbound = {
    ...noOutbound,
    async fetch(url, init) {
      requests.push(`${init?.method} ${url}`)
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
  return { host, device, socket, requests, settle }
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
  expect(requests).toEqual(['POST https://push.example/abc'])
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
