import { expect, test } from 'vitest'
import { create, list, remove, rotate } from '../../handlers/auth/keys.ts'
import { create as login, me } from '../../handlers/auth/session.ts'
import { create as register } from '../../handlers/auth/users.ts'
import { createKey } from '../../runtime/auth/keys.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { IssuedKey, type KeyEntry, NewKey } from '../../runtime/auth/schema.ts'
import { minute, second } from '../../runtime/time.ts'
import { client } from '../support/client.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

async function ready() {
  const host = await testHost()
  const { api_key } = await setUpAdmin(host)
  const send = client(host)
  const make = async (body: object) => IssuedKey.parse(await (await send(create, { key: api_key.key, body })).json())
  const entries = async () => ((await (await send(list, { key: api_key.key })).json()) as { keys: KeyEntry[] }).keys
  return { host, admin: api_key, key: api_key.key, send, make, entries }
}

test('a new key is shown once, in exactly the specified shape', async () => {
  const { key, send, entries, host } = await ready()
  const response = await send(create, { key, body: { name: 'ci', description: 'builds' } })

  expect(response.status).toBe(201)
  const issued = (await response.json()) as IssuedKey
  expect(Object.keys(issued).sort()).toEqual(['created_at', 'id', 'key', 'name'])
  expect(issued).toMatchObject({
    name: 'ci',
    id: expect.stringMatching(/^key_/),
    key: expect.stringMatching(/^svc_[0-9a-f]{64}$/),
  })
  const entry = (await entries()).find(({ id }) => id === issued.id)
  expect(entry).toEqual({
    id: issued.id,
    name: 'ci',
    description: 'builds',
    scopes: ['read', 'write'],
    prefix: issued.key.slice(0, 12),
    created_at: issued.created_at,
    last_used_at: null,
    expires_at: null,
  })
  expect(host.events).toContain('key.created')
})

test.each([
  ['no name', {}],
  ['an empty name', { name: ' ' }],
  ['an unknown scope', { name: 'x', scopes: ['root'] }],
  ['no scope', { name: 'x', scopes: [] }],
  ['an end in the past', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }],
  ['an end that is no time', { name: 'x', expires_at: 'tomorrow' }],
])('refuses a key with %s', async (_, body) => {
  const { key, send } = await ready()
  expect((await send(create, { key, body })).status).toBe(422)
})

test('a key is valid until it expires, given with any offset', async () => {
  const { host, send, make } = await ready()
  const { key } = await make({ name: 'short', expires_at: '2026-01-05T14:01:00+02:00' })
  await host.clock.advance(minute - 1)
  expect((await send(me, { key })).status).toBe(200)
  await host.clock.advance(1)
  expect((await send(me, { key })).status).toBe(401)
})

test('nobody can grant scopes that they do not have', async () => {
  const { host } = await ready()
  const writer = {
    ...localContext(host),
    caller: { ...localContext(host).caller, scopes: ['write' as const] },
  }
  const attempt = createKey(writer, NewKey.parse({ name: 'x', scopes: ['write', 'approve'] }))
  await expect(attempt).rejects.toMatchObject({ status: 403 })
})

test('rotation keeps the id, invalidates the old key at once and closes its connections', async () => {
  const { host, key, send, make } = await ready()
  const old = await make({ name: 'ci' })
  const codes: number[] = []
  host.process.connections.add({ credential: old.id, end: (code) => void codes.push(code) })

  const fresh = IssuedKey.parse(await (await send(rotate, { key, params: { id: old.id } })).json())

  expect(fresh).toMatchObject({ id: old.id, name: 'ci', created_at: old.created_at })
  expect(fresh.key).not.toBe(old.key)
  expect(await (await send(me, { key: old.key })).json()).toEqual({ error: 'Invalid or revoked API key' })
  expect((await send(me, { key: fresh.key })).status).toBe(200)
  expect(codes).toEqual([4401])
  await host.clock.advance(second)
  expect((await send(rotate, { key, params: { id: old.id } })).status).toBe(200)
})

test('of 50 concurrent rotations exactly one wins, and its key is the valid one', async () => {
  const { key, send, make } = await ready()
  const { id } = await make({ name: 'ci' })
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(rotate, { key, params: { id } })))

  const won = answers.filter((answer) => answer.status === 200)
  expect(won).toHaveLength(1)
  expect(answers.filter((answer) => answer.status === 409)).toHaveLength(49)
  const issued = IssuedKey.parse(await won[0]?.json())
  expect((await send(me, { key: issued.key })).status).toBe(200)
})

test('a rotation right after another is also refused', async () => {
  const { key, send, make } = await ready()
  const { id } = await make({ name: 'ci' })
  expect((await send(rotate, { key, params: { id } })).status).toBe(200)
  expect((await send(rotate, { key, params: { id } })).status).toBe(409)
})

test('a revoked key is invalid at once', async () => {
  const { host, key, send, make, entries } = await ready()
  const old = await make({ name: 'ci' })
  const codes: number[] = []
  host.process.connections.add({ credential: old.id, end: (code) => void codes.push(code) })

  expect(await (await send(remove, { key, params: { id: old.id } })).json()).toEqual({ revoked: true })

  expect(codes).toEqual([4401])
  expect(await (await send(me, { key: old.key })).json()).toEqual({ error: 'Invalid or revoked API key' })
  expect((await entries()).map(({ id }) => id)).not.toContain(old.id)
  expect((await send(remove, { key, params: { id: old.id } })).status).toBe(404)
})

test('the last admin key cannot be revoked, and an expiring one does not count as permanent', async () => {
  const { host, admin, key, send, make } = await ready()
  expect((await send(remove, { key, params: { id: admin.id } })).status).toBe(409)
  expect((await send(me, { key })).status).toBe(200)

  await make({ name: 'short', scopes: ['admin'], expires_at: '2026-01-05T12:10:00Z' })
  await host.clock.advance(11 * minute)
  expect((await send(remove, { key, params: { id: admin.id } })).status).toBe(409)

  const other = await make({ name: 'other', scopes: ['admin'] })
  expect((await send(remove, { key, params: { id: admin.id } })).status).toBe(200)
  expect((await send(me, { key: other.key })).status).toBe(200)
})

test('of two admins who revoke each other concurrently one remains', async () => {
  const { admin, key, send, make } = await ready()
  const other = await make({ name: 'other', scopes: ['admin'] })
  const answers = await Promise.all([
    send(remove, { key, params: { id: other.id } }),
    send(remove, { key: other.key, params: { id: admin.id } }),
  ])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
})

test('the last use is stored once a minute, and idling writes nothing', async () => {
  const { host, send, make, entries } = await ready()
  const { id, key } = await make({ name: 'ci' })
  await entries()
  const uses: string[] = []
  const { write } = host.sql
  host.sql.write = (statements) => {
    uses.push(...statements.filter(({ sql }) => sql.includes('last_used_at')).map(({ args }) => String(args?.[1])))
    return write(statements)
  }
  for (let request = 0; request < 20; request += 1) await send(me, { key })
  expect(uses).toEqual([id])
  await host.clock.advance(minute)
  expect(uses).toEqual([id])
  await Promise.all([send(me, { key }), send(me, { key })])
  expect(uses).toEqual([id, id])
  host.sql.write = write
  expect((await entries()).find((entry) => entry.id === id)?.last_used_at).toBe('2026-01-05T12:01:00.000Z')
})

test('a read-only store does not prevent a key from working', async () => {
  const { host, send, make } = await ready()
  const { key } = await make({ name: 'ci' })
  const { write } = host.sql
  host.sql.write = () => Promise.reject(new Error('disk full'))
  expect((await send(me, { key })).status).toBe(200)
  host.sql.write = write
  expect(host.log.lines.map(({ message }) => message)).toContain('cannot store the last use of a key')
})

test('requests with one Idempotency-Key create one key', async () => {
  const { key, send, entries } = await ready()
  const options = { key, body: { name: 'once' }, headers: { 'idempotency-key': 'a' } }
  const [first, second] = [await send(create, options), await send(create, options)]
  expect(await second.json()).toEqual(await first.json())
  expect((await entries()).filter(({ name }) => name === 'once')).toHaveLength(1)
})

test('a user session cannot create keys', async () => {
  const { key, send } = await ready()
  const bob = { username: 'bob', password: 'ten characters' }
  await send(register, { key, body: bob })
  const { token } = (await (await send(login, { body: bob })).json()) as { token: string }
  expect((await send(create, { key: token, body: { name: 'x' } })).status).toBe(403)
})
