import { expect, test } from 'vitest'
import { list as listKeys } from '../../handlers/auth/keys.ts'
import { create as login, me } from '../../handlers/auth/session.ts'
import { list, create as register, remove, update } from '../../handlers/auth/users.ts'
import { createKey } from '../../runtime/auth/keys.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { NewKey, User } from '../../runtime/auth/schema.ts'
import { client } from '../support/client.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const bob = { username: 'bob', password: 'ten characters' }

async function ready() {
  const host = await testHost()
  const { api_key, user } = await setUpAdmin(host)
  const send = client(host)
  const add = async (body: object) =>
    User.parse(await (await send(register, { key: api_key.key, body: { ...bob, ...body } })).json())
  return { host, ada: user, key: api_key.key, key_id: api_key.id, send, add }
}

test('an administrator creates a user, who can log in', async () => {
  const { host, key, send } = await ready()
  const response = await send(register, { key, body: { ...bob, display_name: 'Bob' } })
  expect(response.status).toBe(201)
  expect(User.parse(await response.json())).toMatchObject({
    username: 'bob',
    role: 'user',
    display_name: 'Bob',
    last_login_at: null,
  })
  expect((await send(login, { body: bob })).status).toBe(200)
  expect(host.events).toContain('user.created')
})

test('usernames are unique regardless of case', async () => {
  const { key, send, add } = await ready()
  await add({})
  expect((await send(register, { key, body: { ...bob, username: 'BOB' } })).status).toBe(409)
})

test('lists users without any password data', async () => {
  const { key, send, add } = await ready()
  await add({})
  const text = await (await send(list, { key, query: { limit: '1' } })).text()
  expect(JSON.parse(text)).toMatchObject({ users: [{ username: 'ada' }], total: 2, limit: 1, offset: 0 })
  expect(text).not.toMatch(/hash|password/)
  expect((await send(list, { key, query: { limit: '0' } })).status).toBe(400)
})

test('an administrator changes the name, role and password of a user', async () => {
  const { key, send, add } = await ready()
  const { id } = await add({})
  const { token } = (await (await send(login, { body: bob })).json()) as { token: string }
  const change = { role: 'admin', display_name: 'Robert', password: 'a new long password' }

  const response = await send(update, { key, params: { id }, body: change })

  expect(User.parse(await response.json())).toMatchObject({
    id,
    username: 'bob',
    role: 'admin',
    display_name: 'Robert',
  })
  expect((await send(me, { key: token })).status).toBe(401)
  expect((await send(login, { body: bob })).status).toBe(401)
  expect((await send(login, { body: { ...bob, password: change.password } })).status).toBe(200)
})

test('the last administrator can be neither demoted nor removed', async () => {
  const { ada, key, send } = await ready()
  const params = { id: ada.id }
  expect((await send(update, { key, params, body: { role: 'user' } })).status).toBe(409)
  expect((await send(remove, { key, params })).status).toBe(409)
  expect(await (await send(me, { key })).json()).toMatchObject({ scopes: ['admin'], user: { role: 'admin' } })
})

test('the owner of the last admin key cannot be removed until there is another', async () => {
  const { host, ada, key, send, add } = await ready()
  await add({ role: 'admin' })
  expect((await send(remove, { key, params: { id: ada.id } })).status).toBe(409)
  expect((await send(listKeys, { key })).status).toBe(200)

  const other = await createKey(localContext(host), NewKey.parse({ name: 'shell', scopes: ['admin'] }))
  const response = await send(remove, { key, params: { id: ada.id } })

  expect(await response.json()).toEqual({ deleted: true, id: ada.id })
  expect((await send(me, { key })).status).toBe(401)
  expect((await send(listKeys, { key: other.key })).status).toBe(200)
})

test('a former administrator has no admin key', async () => {
  const { host, ada, key, send, add } = await ready()
  await add({ role: 'admin' })
  await createKey(localContext(host), NewKey.parse({ name: 'shell', scopes: ['admin'] }))
  expect((await send(update, { key, params: { id: ada.id }, body: { role: 'user' } })).status).toBe(200)
  expect((await send(listKeys, { key })).status).toBe(403)
  expect(await (await send(me, { key })).json()).toMatchObject({ scopes: ['read', 'write', 'approve'] })
})

test('of two administrators who remove each other concurrently one remains', async () => {
  const { host, ada, key, send, add } = await ready()
  const other = await add({ role: 'admin' })
  await createKey(localContext(host), NewKey.parse({ name: 'shell', scopes: ['admin'] }))
  const { token } = (await (await send(login, { body: bob })).json()) as { token: string }
  const answers = await Promise.all([
    send(remove, { key, params: { id: other.id } }),
    send(remove, { key: token, params: { id: ada.id } }),
  ])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
})

test('an unknown user is 404', async () => {
  const { key, send } = await ready()
  expect((await send(update, { key, params: { id: 'user_x' }, body: { display_name: 'X' } })).status).toBe(404)
  expect((await send(remove, { key, params: { id: 'user_x' } })).status).toBe(404)
})
