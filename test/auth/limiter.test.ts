import { expect, test } from 'vitest'
import { create as login, me, validate } from '../../handlers/auth/session.ts'
import { bootstrap } from '../../handlers/auth/setup.ts'
import { password } from '../../handlers/auth/users.ts'
import { bucket, Limiter } from '../../runtime/auth/limiter.ts'
import { minute, second } from '../../runtime/time.ts'
import { client } from '../support/client.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const unknown = `svc_${'a'.repeat(64)}`
const wrong = { username: 'ada', password: 'wrong password' }
const right = { username: 'ada', password: 'correct horse battery' }

async function ready() {
  const host = await testHost()
  const { api_key } = await setUpAdmin(host)
  return { host, key: api_key.key, send: client(host) }
}

test('10 failures in 60 s block an address for 5 minutes, including loopback but no valid key', async () => {
  const { host, key, send } = await ready()
  for (let attempt = 0; attempt < 10; attempt += 1) expect((await send(me, { key: unknown })).status).toBe(401)

  const response = await send(me, { key: unknown })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('300')
  expect(await response.json()).toMatchObject({ error: 'rate_limited', status: 429 })
  await host.clock.advance(5 * minute - second)
  expect((await send(login, { body: right })).headers.get('retry-after')).toBe('1')
  expect((await send(me, { key })).status).toBe(200)
  expect(await (await send(validate, { key })).json()).toMatchObject({ valid: true })
  await host.clock.advance(second)
  expect((await send(me, { key: unknown })).status).toBe(401)
})

test('login, validation, sessions, keys and password changes share one count', async () => {
  const { key, send } = await ready()
  for (let round = 0; round < 2; round += 1) {
    await send(me, { key: unknown })
    await send(me, { headers: { 'x-api-key': 'nonsense' } })
    await send(validate, { key: unknown })
    await send(login, { body: wrong })
    await send(password, { key, body: { current_password: 'wrong', new_password: 'long enough now' } })
  }
  for (const answer of [send(me, { key: unknown }), send(validate, { key: unknown }), send(login, { body: right })]) {
    expect((await answer).status).toBe(429)
  }
})

test('failures more than a minute apart do not add up', async () => {
  const { host, send } = await ready()
  for (let attempt = 0; attempt < 30; attempt += 1) {
    expect((await send(me, { key: unknown })).status).toBe(401)
    await host.clock.advance(7 * second)
  }
})

test('requests without a credential or to public endpoints never block anyone', async () => {
  const { key, send } = await ready()
  for (let attempt = 0; attempt < 30; attempt += 1) {
    await send(me)
    await send(validate)
    await send(bootstrap, { key: unknown })
  }
  expect((await send(me, { key })).status).toBe(200)
})

test('other addresses are not affected', async () => {
  const { key, send } = await ready()
  for (let attempt = 0; attempt < 12; attempt += 1) await send(me, { key: unknown })
  expect((await send(me, { key, from: { address: '10.0.0.9', local: false } })).status).toBe(200)
})

test('a forwarding header does not shift the blame', async () => {
  const { send } = await ready()
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const address = `203.0.113.${attempt}`
    await send(me, {
      key: unknown,
      headers: { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address },
    })
  }
  expect((await send(me, { key: unknown })).status).toBe(429)
})

test('a password from a blocked address costs no hash and no query', async () => {
  const { host, send } = await ready()
  for (let attempt = 0; attempt < 10; attempt += 1) await send(me, { key: unknown })
  host.secrets.verifyPassword = () => expect.unreachable('hashed')
  host.sql.read = () => expect.unreachable('read')
  expect((await send(login, { body: wrong })).status).toBe(429)
})

test('50 concurrent guesses count as no more than 10', async () => {
  const { host, send } = await ready()
  let checked = 0
  const { verifyPassword } = host.secrets
  host.secrets.verifyPassword = (given, hash) => {
    checked += 1
    return verifyPassword(given, hash)
  }
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(login, { body: wrong })))
  expect(answers.filter((answer) => answer.status === 401)).toHaveLength(10)
  expect(answers.filter((answer) => answer.status === 429)).toHaveLength(40)
  expect(checked).toBe(10)
})

test.each([
  ['192.0.2.1', '::ffff:192.0.2.1'],
  ['192.0.2.1', '::FFFF:192.0.2.1'],
  ['192.0.2.1', '::ffff:c000:201'],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['2001:db8::1', '2001:0db8:0:0:5::'],
  ['fe80::1%eth0', 'fe80::2%eth1'],
  ['127.0.0.1', '127.3.2.1'],
  ['127.0.0.1', '::ffff:127.9.9.9'],
])('%s and %s are one client', (one, other) => {
  expect(bucket(one)).toBe(bucket(other))
})

test.each([
  ['192.0.2.1', '192.0.2.2'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ['::1', '127.0.0.1'],
])('%s and %s are two', (one, other) => {
  expect(bucket(one)).not.toBe(bucket(other))
})

test('remembers a bounded number of addresses', () => {
  const limiter = new Limiter()
  for (let attempt = 0; attempt < 10; attempt += 1) limiter.fail('first', 0)
  for (let index = 0; index < 10_000; index += 1) limiter.fail(`10.${index >> 8}.${index & 255}.1`, 0)
  expect(limiter.waitSeconds('first', 1)).toBe(0)
  expect(limiter.waitSeconds('10.0.0.1', 1)).toBe(0)
})
