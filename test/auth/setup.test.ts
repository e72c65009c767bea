import { expect, test } from 'vitest'
import { list as listKeys } from '../../handlers/auth/keys.ts'
import { create as login, me } from '../../handlers/auth/session.ts'
import { admin, bootstrap, profile, provider } from '../../handlers/auth/setup.ts'
import { areas } from '../../handlers/index.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { createKeyLocally } from '../../runtime/auth/local.ts'
import { SetupResult } from '../../runtime/auth/schema.ts'
import { serve } from '../../runtime/http/serve.ts'
import { client } from '../support/client.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const { show: showProfile } = sections.profile

const body = { username: 'ada', password: 'correct horse battery' }
const remote = { address: '203.0.113.7', local: false }

test('setup creates the first user, key and session, and ends bootstrap mode', async () => {
  const host = await testHost()
  const send = client(host)
  expect(await (await send(bootstrap)).json()).toMatchObject({
    bootstrap_mode: true,
    setup_token_required: false,
  })

  const response = await send(admin, { body: { ...body, display_name: 'Ada', key_name: 'laptop' } })

  expect(response.status).toBe(201)
  const { user, api_key, session } = SetupResult.parse(await response.json())
  expect(user).toMatchObject({ username: 'ada', role: 'admin', display_name: 'Ada' })
  expect(api_key).toMatchObject({ name: 'laptop', key: expect.stringMatching(/^svc_[0-9a-f]{64}$/) })
  expect(session.token).toMatch(/^sess_/)
  expect(session.expires_at).toBe('2026-01-06T12:00:00.000Z')
  for (const key of [api_key.key, session.token]) {
    expect(await (await send(me, { key })).json()).toMatchObject({
      scopes: ['admin'],
      user: { username: 'ada' },
    })
  }
  expect(await (await send(bootstrap)).json()).toMatchObject({
    bootstrap_mode: false,
    setup_token_required: false,
  })
  expect(host.events).toEqual(['setup.completed'])
  expect(user.last_login_at).toBe(user.created_at)
})

test('while bootstrap mode is on, everything but setup and the public endpoints is 401', async () => {
  const send = client(await testHost())
  expect((await send(listKeys)).status).toBe(401)
  expect((await send(listKeys, { key: `svc_${'0'.repeat(64)}` })).status).toBe(401)
  expect((await send(login, { body })).status).toBe(401)
})

test('the wizard may store a provider and the profile before the admin', async () => {
  const send = client(await testHost())
  expect((await send(profile, { body: { display_name: 'Ada', timezone: 'Europe/London' } })).status).toBe(200)
  const stored = await send(provider, {
    body: { provider: 'openai', api_key: 'sk-not-real-0123456789', model: 'gpt-x' },
  })
  expect(stored.status).toBe(200)
  expect(await stored.json()).toMatchObject({ id: 'openai', configured: true, default_model: 'gpt-x' })

  const { api_key } = SetupResult.parse(await (await send(admin, { body })).json())
  expect(await (await send(showProfile, { key: api_key.key })).json()).toMatchObject({
    timezone: 'Europe/London',
  })
})

test('once a key exists, setup is 401 without a credential and 409 with one', async () => {
  const host = await testHost()
  const { api_key } = await setUpAdmin(host)
  const send = client(host)
  for (const endpoint of [admin, profile, provider]) {
    expect((await send(endpoint, { body })).status).toBe(401)
    expect((await send(endpoint, { body, key: `svc_${'0'.repeat(64)}` })).status).toBe(401)
    expect((await send(endpoint, { body, key: api_key.key })).status).toBe(409)
  }
})

test('of 50 concurrent setups exactly one wins and the others store nothing', async () => {
  const host = await testHost()
  const send = client(host)
  const names = Array.from({ length: 50 }, (_, index) => `user${index}`)
  const answers = await Promise.all(names.map((username) => send(admin, { body: { ...body, username } })))

  const statuses = answers.map((answer) => answer.status).sort()
  expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 409)])
  for (const table of ['users', 'api_keys', 'sessions', 'bootstrap']) {
    expect(await host.sql.read(`SELECT count(*) AS count FROM ${table}`)).toEqual([{ count: 1 }])
  }
  expect(host.events).toEqual(['setup.completed'])
})

test.each([
  ['a short password', { ...body, password: 'short' }],
  ['a username with a space', { ...body, username: 'a b' }],
  ['a username that looks like another', { ...body, username: 'аda' }],
  ['no username', { password: body.password }],
])('refuses %s with 422 and stays in bootstrap mode', async (_, wrong) => {
  const send = client(await testHost())
  const response = await send(admin, { body: wrong })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({
    error: 'validation_error',
    issues: [{ path: expect.any(String) }],
  })
  expect((await send(admin, { body })).status).toBe(201)
})

test('remote setup requires the token that the daemon printed', async () => {
  const host = await testHost({}, { setup_token: 'printed-token' })
  const send = client(host)
  expect(await (await send(bootstrap, { from: remote })).json()).toMatchObject({ setup_token_required: true })

  const refused = await send(admin, { body, from: remote })
  expect(refused.status).toBe(401)
  expect(await refused.json()).toEqual({ error: expect.stringContaining('X-Setup-Token') })
  const wrong = await send(admin, { body, from: remote, headers: { 'x-setup-token': 'guess' } })
  expect(wrong.status).toBe(401)
  const right = await send(admin, { body, from: remote, headers: { 'x-setup-token': 'printed-token' } })
  expect(right.status).toBe(201)
})

test('a loopback peer that names another host is not local', async () => {
  const host = await testHost({}, { setup_token: 'printed-token' })
  for (const name of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.2']) {
    const request = new Request(`http://${name}:18781/api/setup/admin`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect((await serve(areas)(request, host, { address: '127.0.0.1', local: true })).status).toBe(401)
  }
})

test('without a setup token remote setup is impossible, even with an empty one', async () => {
  const send = client(await testHost())
  for (const token of ['', 'undefined', 'null']) {
    expect((await send(admin, { body, from: remote, headers: { 'x-setup-token': token } })).status).toBe(401)
  }
})

test('with anonymous access disabled the token is also required locally', async () => {
  const send = client(await testHost({}, { api_key_required: true, setup_token: 'printed-token' }))
  expect((await send(admin, { body })).status).toBe(401)
  expect((await send(admin, { body, headers: { 'x-setup-token': 'printed-token' } })).status).toBe(201)
})

test('guessing the setup token blocks the address', async () => {
  const send = client(await testHost({}, { setup_token: 'printed-token' }))
  for (let guess = 0; guess < 10; guess += 1) {
    const options = { body, from: remote, headers: { 'x-setup-token': `guess ${guess}` } }
    expect((await send(admin, options)).status).toBe(401)
  }
  const response = await send(admin, { body, from: remote, headers: { 'x-setup-token': 'printed-token' } })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('300')
})

test('a key created locally ends bootstrap mode and can manage keys', async () => {
  const host = await testHost()
  const send = client(host)
  await expect(createKeyLocally(host, { name: 'narrow', scopes: ['read'] })).rejects.toMatchObject({
    status: 409,
  })

  const { key } = await createKeyLocally(host, { name: 'shell' })

  expect((await send(listKeys, { key })).status).toBe(200)
  expect(await (await send(bootstrap)).json()).toMatchObject({ bootstrap_mode: false })
  expect((await send(admin, { body })).status).toBe(401)
})
