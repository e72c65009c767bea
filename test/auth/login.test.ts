import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { list as listKeys } from '../../handlers/auth/keys.ts'
import { create as login, remove as logout, me, validate } from '../../handlers/auth/session.ts'
import { password, create as register, remove as removeUser, update } from '../../handlers/auth/users.ts'
import { LoginResult, Validity } from '../../runtime/auth/schema.ts'
import { tick } from '../../runtime/tick.ts'
import { hour } from '../../runtime/time.ts'
import { client } from '../support/client.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const right = { username: 'ada', password: 'correct horse battery' }

async function ready() {
  const host = await testHost()
  const { api_key, user } = await setUpAdmin(host)
  return { host, user, key: api_key.key, key_id: api_key.id, send: client(host) }
}

/** A connection of a credential, as a socket or stream would register it. */
function listen(host: MemoryHost, credential: string): number[] {
  const codes: number[] = []
  host.process.connections.add({ credential, end: (code) => void codes.push(code) })
  return codes
}

test('login returns a session of 24 hours and stores the time', async () => {
  const { send } = await ready()
  const response = await send(login, { body: right })

  expect(response.status).toBe(200)
  const result = LoginResult.parse(await response.json())
  expect(result).toMatchObject({ token_type: 'Bearer', expires_at: '2026-01-06T12:00:00.000Z' })
  expect(result.user).toMatchObject({ username: 'ada', last_login_at: '2026-01-05T12:00:00.000Z' })
  expect((await send(me, { key: result.token })).status).toBe(200)
})

test('usernames are case-insensitive, passwords are not', async () => {
  const { send } = await ready()
  expect((await send(login, { body: { ...right, username: 'ADA' } })).status).toBe(200)
  expect((await send(login, { body: { ...right, password: 'Correct horse battery' } })).status).toBe(401)
})

test('an unknown user and a wrong password get the same answer after the same work', async () => {
  const { host, send } = await ready()
  const checked: string[] = []
  const { verifyPassword } = host.secrets
  host.secrets.verifyPassword = (given, hash) => {
    checked.push(hash.split('$').slice(0, 3).join('$'))
    return verifyPassword(given, hash)
  }
  const answers = [
    await send(login, { body: { ...right, username: 'nobody' } }),
    await send(login, { body: { ...right, password: 'wrong password' } }),
  ]

  const [first, second] = await Promise.all(answers.map((answer) => answer.json()))
  expect(answers.map((answer) => answer.status)).toEqual([401, 401])
  expect(first).toEqual(second)
  expect(first).toEqual({ error: 'Invalid username or password' })
  expect(checked).toHaveLength(2)
  expect(checked[0]).toBe(checked[1])
})

test('a session ends after 24 hours', async () => {
  const { host, send } = await ready()
  const { token } = LoginResult.parse(await (await send(login, { body: right })).json())
  await host.clock.advance(24 * hour - 1)
  expect((await send(me, { key: token })).status).toBe(200)
  await host.clock.advance(1)
  expect((await send(me, { key: token })).status).toBe(401)
})

test('logout ends the session and its connections, and no other', async () => {
  const { host, send } = await ready()
  const one = LoginResult.parse(await (await send(login, { body: right })).json())
  const two = LoginResult.parse(await (await send(login, { body: right })).json())
  const { id } = (await (await send(me, { key: one.token })).json()) as { id: string }
  const codes = listen(host, id)

  expect(await (await send(logout, { key: one.token })).json()).toEqual({ logged_out: true })

  expect(codes).toEqual([4401])
  expect((await send(me, { key: one.token })).status).toBe(401)
  expect((await send(me, { key: two.token })).status).toBe(200)
})

test('an API key cannot log out', async () => {
  const { key, send } = await ready()
  expect((await send(logout, { key })).status).toBe(400)
})

test('expired sessions are removed at the next login', async () => {
  const { host, send } = await ready()
  await host.clock.advance(25 * hour)
  await send(login, { body: right })
  expect(await host.sql.read('SELECT count(*) AS count FROM sessions')).toEqual([{ count: 1 }])
})

test('validate describes a credential, and refuses only an empty request', async () => {
  const { key, key_id, send } = await ready()
  const { token } = LoginResult.parse(await (await send(login, { body: right })).json())
  const ask = async (credential: string) => Validity.parse(await (await send(validate, { key: credential })).json())

  expect(await ask(key)).toEqual({
    valid: true,
    kind: 'api_key',
    id: key_id,
    scopes: ['admin'],
    expires_at: null,
  })
  expect(await ask(token)).toMatchObject({
    valid: true,
    kind: 'session',
    expires_at: '2026-01-06T12:00:00.000Z',
  })
  const nothing = { valid: false, kind: null, id: null, scopes: [], expires_at: null }
  expect(await ask(`svc_${'0'.repeat(64)}`)).toEqual(nothing)
  expect(await ask('nonsense')).toEqual(nothing)
  const anonymous = await send(validate)
  expect(anonymous.status).toBe(401)
  expect(await anonymous.json()).toEqual({ error: 'Missing Authorization header' })
})

test('users change their password with the old one, which ends their other sessions', async () => {
  const { send } = await ready()
  const mine = LoginResult.parse(await (await send(login, { body: right })).json()).token
  const other = LoginResult.parse(await (await send(login, { body: right })).json()).token
  const change = { current_password: right.password, new_password: 'another long password' }

  expect((await send(password, { key: mine, body: { ...change, current_password: 'wrong' } })).status).toBe(403)
  expect((await send(password, { key: mine, body: { ...change, new_password: 'short' } })).status).toBe(422)
  expect(await (await send(password, { key: mine, body: change })).json()).toEqual({ changed: true })

  expect((await send(me, { key: mine })).status).toBe(200)
  expect((await send(me, { key: other })).status).toBe(401)
  expect((await send(login, { body: right })).status).toBe(401)
  expect((await send(login, { body: { ...right, password: change.new_password } })).status).toBe(200)
})

test('a session has the scopes of the role, and loses them with it', async () => {
  const { key, send } = await ready()
  const bob = { username: 'bob', password: 'ten characters' }
  const user = (await (await send(register, { key, body: { ...bob, role: 'admin' } })).json()) as {
    id: string
  }
  const { token } = LoginResult.parse(await (await send(login, { body: bob })).json())
  expect((await send(listKeys, { key: token })).status).toBe(200)

  await send(update, { key, params: { id: user.id }, body: { role: 'user' } })

  expect((await send(me, { key: token })).status).toBe(401)
  const again = LoginResult.parse(await (await send(login, { body: bob })).json())
  expect((await send(me, { key: again.token })).status).toBe(200)
  expect((await send(listKeys, { key: again.token })).status).toBe(403)
})

test('removing a user closes all their sessions and connections', async () => {
  const { host, key, send } = await ready()
  const bob = { username: 'bob', password: 'ten characters' }
  const user = (await (await send(register, { key, body: bob })).json()) as { id: string }
  const { token } = LoginResult.parse(await (await send(login, { body: bob })).json())
  const { id } = (await (await send(me, { key: token })).json()) as { id: string }
  const codes = listen(host, id)

  await send(removeUser, { key, params: { id: user.id } })

  expect(codes).toEqual([4401])
  expect((await send(me, { key: token })).status).toBe(401)
  expect((await send(login, { body: bob })).status).toBe(401)
})

test('a session that has ended stays ended when the clock is set back', async () => {
  const host = await testHost()
  await setUpAdmin(host)
  const ask = client(host)
  const { token } = await (await ask(login, { body: right })).json()
  await tick(host)
  await host.clock.advance(25 * hour)
  await tick(host)
  expect((await ask(me, { key: token })).status).toBe(401)
  host.clock.jump(-25 * hour)
  await tick(host)
  expect((await ask(me, { key: token })).status).toBe(401)
})
