import { expect, test } from 'vitest'
import { list } from '../../handlers/auth/audit.ts'
import { create as createKey, remove, rotate } from '../../handlers/auth/keys.ts'
import { create as login, remove as logout } from '../../handlers/auth/session.ts'
import { password, create as register, remove as removeUser, update } from '../../handlers/auth/users.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { type AuditEntry, IssuedKey, LoginResult, User } from '../../runtime/auth/schema.ts'
import { second } from '../../runtime/time.ts'
import { client } from '../support/client.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const { update: changeProfile } = sections.profile

async function ready() {
  const host = await testHost()
  const { api_key, user } = await setUpAdmin(host)
  const send = client(host)
  const entries = async (query = {}) =>
    (await (await send(list, { key: api_key.key, query })).json()) as { entries: AuditEntry[]; total: number }
  return { host, key: api_key.key, ada: user, send, entries }
}

test('every login, key, user and setting change is in the log, newest first', async () => {
  const { host, key, send, entries } = await ready()
  const tick = () => host.clock.advance(second)
  const made = IssuedKey.parse(await (await send(createKey, { key, body: { name: 'ci' } })).json())
  await tick()
  await send(rotate, { key, params: { id: made.id } })
  await tick()
  await send(remove, { key, params: { id: made.id } })
  const right = { username: 'bob', password: 'ten characters' }
  const bob = User.parse(await (await send(register, { key, body: right })).json())
  const { token } = LoginResult.parse(await (await send(login, { body: right })).json())
  await send(password, {
    key: token,
    body: { current_password: right.password, new_password: 'eleven characters' },
  })
  await send(changeProfile, { key: token, body: { theme: 'dark' } })
  await send(logout, { key: token })
  await send(login, { body: right })
  await send(update, { key, params: { id: bob.id }, body: { display_name: 'Bob' } })
  await send(removeUser, { key, params: { id: bob.id } })

  const log = (await entries()).entries
  expect(log.map(({ actor, action, outcome }) => `${actor}: ${action} ${outcome}`).reverse()).toEqual([
    'ada: setup.completed ok',
    'First key: key.created ok',
    'First key: key.rotated ok',
    'First key: key.revoked ok',
    'First key: user.created ok',
    'bob: user.logged_in ok',
    'bob: user.password_changed ok',
    'bob: settings.updated ok',
    'bob: user.logged_out ok',
    'anonymous: user.logged_in failed',
    'First key: user.updated ok',
    'First key: user.deleted ok',
  ])
  expect(log.at(-2)).toMatchObject({ target: made.id, ip: '127.0.0.1', at: '2026-01-05T12:00:00.000Z' })
})

test('an entry names the request, and the log is paged', async () => {
  const { key, send, entries } = await ready()
  await send(createKey, { key, body: { name: 'ci' }, headers: { 'x-request-id': 'trace-7' } })
  const page = await entries({ limit: '1' })
  expect(page).toMatchObject({ total: 2, limit: 1, offset: 0, entries: [{ request_id: 'trace-7' }] })
  expect(await entries({ limit: '1', offset: '1' })).toMatchObject({
    entries: [{ action: 'setup.completed' }],
  })
})

test('a refused change leaves no entry claiming that it happened', async () => {
  const { key, ada, send, entries } = await ready()
  expect((await send(removeUser, { key, params: { id: ada.id } })).status).toBe(409)
  expect((await entries()).total).toBe(1)
})
