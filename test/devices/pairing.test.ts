import { expect, test } from 'vitest'
import { list } from '../../handlers/agents/agents.ts'
import { pair } from '../../handlers/auth/session.ts'
import { create as register, remove as removeUser } from '../../handlers/auth/users.ts'
import * as devices from '../../handlers/devices/devices.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { minute } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { client } from '../support/client.ts'
import { adminCaller, setUpAdmin, testHost } from '../support/host.ts'
import { connect, newCode, paired, quiet, shown } from './kit.ts'

const about = { name: 'Phone', platform: 'android', capabilities: ['notify', 'camera'] }

const auditOf = async (host: Awaited<ReturnType<typeof testHost>>) =>
  (await host.sql.read<{ action: string }>('SELECT action FROM audit ORDER BY id')).map(({ action }) => action)

test('a code pairs one device, which gets a token and a place to connect to', async () => {
  const host = await testHost()
  const created = await call(devices.pairingCode, host, { body: {} })
  expect(created.status).toBe(201)
  const { code, expires_at } = await created.json()
  expect(code).toMatch(/^\d{6}$/)
  expect(expires_at).toBe('2026-01-05T12:05:00.000Z')

  const response = await call(pair, host, { body: { code, ...about } })
  expect(response.status).toBe(201)
  const { device_id, device_token, ws_url } = await response.json()
  expect(device_token).toMatch(/^dev_[0-9a-f]{64}$/)
  expect(ws_url).toBe('ws://127.0.0.1:18781/api/devices/ws')
  expect(await shown(host, device_id)).toMatchObject({
    name: 'Phone',
    status: 'offline',
    capabilities: ['notify', 'camera'],
    // Harmless ones are approved by pairing; the camera waits for the owner.
    allowed_commands: ['notify'],
    new_capabilities: ['camera'],
  })
  expect(host.events).toContain('device.paired')
  expect((await call(pair, host, { body: { code, ...about } })).status).toBe(401)
  expect(await auditOf(host)).toEqual(['device.code_created', 'device.paired', 'device.pairing_failed'])
})

test('of two devices with one code one is paired', async () => {
  const host = await testHost()
  const code = await newCode(host)
  const answers = await Promise.all([1, 2, 3].map(() => call(pair, host, { body: { code, ...about } })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
})

test('a code expires after 5 minutes', async () => {
  const host = await testHost()
  const code = await newCode(host)
  await host.clock.advance(5 * minute)
  const response = await call(pair, host, { body: { code, ...about } })
  expect([response.status, await response.json()]).toEqual([
    401,
    { error: 'This pairing code is wrong, expired or already used; create a new one' },
  ])
})

test('five wrong tries void the open codes for that address, and ten a minute lock it out', async () => {
  const host = await testHost()
  const code = await newCode(host)
  const wrong = { ...about, code: code === '000000' ? '000001' : '000000' }
  for (let count = 0; count < 5; count += 1) expect((await call(pair, host, { body: wrong })).status).toBe(401)
  expect((await call(pair, host, { body: { code, ...about } })).status).toBe(401)
  expect(await auditOf(host)).toContain('device.codes_voided')
  await host.clock.advance(1_000)
  const next = await newCode(host)
  for (let count = 0; count < 4; count += 1) await call(pair, host, { body: wrong })
  const limited = await call(pair, host, { body: { code: next, ...about } })
  expect(limited.status).toBe(429)
  expect(limited.headers.get('retry-after')).not.toBeNull()
})

test('wrong tries count across processes and restarts', async () => {
  const host = await testHost()
  // The first one is before the code is created.
  await call(pair, host, { body: { ...about, code: '000002' } })
  await host.clock.advance(1_000)
  const code = await newCode(host)
  const wrong = { ...about, code: code === '000000' ? '000001' : '000000' }
  const restart = async () => {
    const started = await testHost({ sql: host.sql })
    await started.clock.advance(2_000)
    return started
  }
  for (let count = 0; count < 4; count += 1) {
    expect((await call(pair, await restart(), { body: wrong })).status).toBe(401)
  }
  expect((await call(pair, await restart(), { body: { code, ...about } })).status).toBe(401)
})

test('an administrator who pairs a device for somebody cannot let it answer their approvals', async () => {
  const host = await testHost()
  await setUpAdmin(host)
  const input = { username: 'bob', password: 'correct horse battery', role: 'user' }
  const { id } = await (await call(register, host, { body: input })).json()
  const asked: Caller = { ...adminCaller, user_id: 'user_ada', owner_id: id }
  const { code } = await (await call(devices.pairingCode, host, { body: {}, caller: asked })).json()
  const body = { code, ...about, capabilities: ['notify', 'approvals'] }
  const { device_id } = await (await call(pair, host, { body })).json()
  const allow = (caller: Caller) =>
    call(devices.update, host, {
      params: { id: device_id },
      body: { allowed_commands: ['notify', 'approvals'] },
      caller,
    })
  expect((await allow(asked)).status).toBe(403)
  const bob: Caller = { ...adminCaller, user_id: id, scopes: ['read', 'write', 'approve'] }
  expect((await allow(bob)).status).toBe(200)
  expect((await call(devices.rotate, host, { params: { id: device_id }, caller: asked })).status).toBe(403)
})

test.each([
  ['no code', { ...about }],
  ['a short code', { ...about, code: '12345' }],
  ['an unknown platform', { ...about, code: '123456', platform: 'toaster' }],
  ['a capability that is no name', { ...about, code: '123456', capabilities: ['rm -rf /'] }],
])('%s is a 422', async (_, body) => {
  const host = await testHost()
  expect((await call(pair, host, { body })).status).toBe(422)
})

test('a device token is no credential of the API', async () => {
  const host = await testHost()
  await setUpAdmin(host)
  const { device_token } = await paired(host)
  expect((await client(host)(list, { key: device_token })).status).toBe(401)
})

test('a rotated token is valid at once and the old one is not', async () => {
  const host = await testHost()
  const { device_id, device_token } = await paired(host)
  const socket = await connect(host, device_token)
  const rotated = await (await call(devices.rotate, host, { params: { id: device_id } })).json()
  expect(socket.closed).toBe(4401)
  expect((await connect(host, device_token)).closed).toBe(4401)
  const next = await connect(host, rotated.device_token)
  expect(next.of('welcome')).toHaveLength(1)
})

test('a revoked device is disconnected, stays in the list, and is deleted the second time', async () => {
  const host = await testHost()
  const { device_id, device_token } = await paired(host)
  const socket = await connect(host, device_token)
  const params = { id: device_id }
  expect(await (await call(devices.remove, host, { params })).json()).toEqual({
    deleted: true,
    id: device_id,
  })
  expect(socket.closed).toBe(4401)
  expect((await shown(host, device_id)).status).toBe('revoked')
  expect((await connect(host, device_token)).closed).toBe(4401)
  expect((await call(devices.rotate, host, { params })).status).toBe(409)
  expect((await call(devices.remove, host, { params })).status).toBe(200)
  expect((await call(devices.show, host, { params })).status).toBe(404)
})

test('a code names the device and puts it into a group', async () => {
  const host = await testHost()
  const { createGroup } = await import('../../handlers/devices/groups.ts')
  const group = await (await call(createGroup, host, { body: { name: 'Kitchen' } })).json()
  const code = await newCode(host, { name: 'Tablet', group_id: group.id })
  const { device_id } = await (await call(pair, host, { body: { code, ...about } })).json()
  expect(await shown(host, device_id)).toMatchObject({ name: 'Tablet', group_ids: [group.id] })
  expect((await call(devices.pairingCode, host, { body: { group_id: 'dgrp_no' } })).status).toBe(422)
})

test('a key without the scope approve can neither grant approvals nor take the token of a device that has them', async () => {
  const host = await testHost()
  const writer: Caller = { ...adminCaller, scopes: ['read', 'write'] }
  const { device_id } = await paired(host, { capabilities: ['notify', 'approvals'] })
  const allow = (caller: Caller) =>
    call(devices.update, host, {
      params: { id: device_id },
      body: { allowed_commands: ['notify', 'approvals'] },
      caller,
    })
  const rotate = (caller: Caller) => call(devices.rotate, host, { params: { id: device_id }, caller })
  expect((await allow(writer)).status).toBe(403)
  expect((await rotate(writer)).status).toBe(200)
  expect((await allow({ ...writer, scopes: ['read', 'write', 'approve'] })).status).toBe(200)
  expect((await rotate(writer)).status).toBe(403)
  // What is granted already may stay when something else changes.
  expect((await allow(writer)).status).toBe(200)
})

test('guesses from many addresses void the open codes', async () => {
  const host = await testHost()
  const code = await newCode(host)
  const guess = code === '000000' ? '000001' : '000000'
  const from = (address: string, tried: string) => pairFrom(host, address, { ...about, code: tried })
  for (let count = 0; count < 100; count += 1) expect((await from(`203.0.113.${count}`, guess)).status).toBe(401)
  expect((await from('198.51.100.7', code)).status).toBe(401)
  expect(await auditOf(host)).toContain('device.codes_voided')
  await host.clock.advance(1_000)
  expect((await from('198.51.100.7', await newCode(host))).status).toBe(201)
})

/** Pairs as a client at `address`. */
function pairFrom(host: Awaited<ReturnType<typeof testHost>>, address: string, body: object) {
  const request = new Request('http://127.0.0.1:18781/api/auth/device/pair', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return pair(request, contextOf(request, host, { address, local: false }), {})
}

test('the devices of a removed user are disconnected and cannot connect any more', async () => {
  const host = await testHost()
  await setUpAdmin(host)
  const input = { username: 'bob', password: 'correct horse battery', role: 'user' }
  const { id } = await (await call(register, host, { body: input })).json()
  const caller: Caller = { ...adminCaller, user_id: id, scopes: ['read', 'write', 'approve'] }
  const { code } = await (await call(devices.pairingCode, host, { body: {}, caller })).json()
  const { device_token } = await (await call(pair, host, { body: { code, ...about } })).json()
  const socket = await connect(host, device_token)
  expect(socket.closed).toBeNull()
  await call(removeUser, host, { params: { id } })
  await quiet(host)
  expect(socket.closed).toBe(4401)
  expect((await connect(host, device_token)).closed).toBe(4401)
})
