import { expect, test } from 'vitest'
import { accept, create, list, open, remove } from '../../handlers/auth/invitations.ts'
import { create as login, me } from '../../handlers/auth/session.ts'
import { InvitationWithSecret } from '../../runtime/auth/invitations.ts'
import { LoginResult } from '../../runtime/auth/schema.ts'
import { day } from '../../runtime/time.ts'
import { client } from '../support/client.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const bob = { username: 'bob', password: 'of my own choice', display_name: 'Bob' }

async function invited(body: object = {}) {
  const host = await testHost()
  const { api_key } = await setUpAdmin(host)
  const send = client(host)
  const { key } = api_key
  const response = await send(create, { key, body: { name: 'Bob', ...body } })
  const invitation = InvitationWithSecret.parse(await response.json())
  const token = invitation.secret.split('#')[1] ?? ''
  return { host, key, send, invitation, token }
}

test('an invited person chooses name and password, and is signed in once', async () => {
  const { host, key, send, token } = await invited()
  expect(await (await send(open, { body: { token } })).json()).toMatchObject({ name: 'Bob' })
  const session = LoginResult.parse(await (await send(accept, { body: { ...bob, token } })).json())
  expect(session.user).toMatchObject({ username: 'bob', role: 'user', display_name: 'Bob' })
  expect(session.user.last_login_at).toBe(session.user.created_at)
  expect((await send(me, { key: session.token })).status).toBe(200)
  const { username, password } = bob
  expect((await send(login, { body: { username, password } })).status).toBe(200)
  expect(host.events).toContain('user.created')
  const again = await send(accept, { body: { ...bob, username: 'eve', token } })
  expect(again.status).toBe(404)
  expect(await (await send(list, { key })).json()).toMatchObject({ invitations: [], total: 0 })
})

test('the token is stored and listed nowhere', async () => {
  const { host, key, send, token } = await invited()
  expect(await (await send(list, { key })).text()).not.toContain(token)
  expect(JSON.stringify(await host.sql.read('SELECT * FROM invitations'))).not.toContain(token)
})

test('wrong, expired and revoked links get the same answer', async () => {
  const { host, key, send, invitation, token } = await invited({ days: 2 })
  const opened = async (secret: string) => {
    const response = await send(open, { body: { token: secret } })
    return [response.status, (await response.json()).message]
  }
  const refused = await opened('wrong')
  expect(refused[0]).toBe(404)
  await host.clock.advance(3 * day)
  expect(await opened(token)).toEqual(refused)
  const other = InvitationWithSecret.parse(await (await send(create, { key, body: { name: 'Eve' } })).json())
  expect((await send(remove, { key, params: { id: other.id } })).status).toBe(200)
  expect(await opened(other.secret.split('#')[1] ?? '')).toEqual(refused)
  expect(invitation.role).toBe('user')
})

test('a taken username leaves the invitation as it was', async () => {
  const { send, token } = await invited()
  expect((await send(accept, { body: { ...bob, username: 'ada', token } })).status).toBe(409)
  expect((await send(accept, { body: { ...bob, token } })).status).toBe(200)
})

test('users neither invite nor see who is invited', async () => {
  const { send, token } = await invited()
  const { token: key } = LoginResult.parse(await (await send(accept, { body: { ...bob, token } })).json())
  expect((await send(create, { key, body: { name: 'Eve' } })).status).toBe(403)
  expect((await send(list, { key })).status).toBe(403)
})
