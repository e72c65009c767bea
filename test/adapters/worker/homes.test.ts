import { createHmac } from 'node:crypto'
import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWorker } from '../../../adapters/worker/bundle.ts'
import { environmentOf, findHome } from '../../../adapters/worker/homes.ts'
import type { ObjectNamespace } from '../../../adapters/worker/platform.ts'
import { startWorkerd } from '../../hosts/workerd.ts'

const homes = 'ada.example, *.hearth.example, api.example/homes/*'
const HEARTH = {} as ObjectNamespace
const homeAt = (url: string, SERVICE_HOMES: string | undefined = homes) =>
  findHome(new URL(url), { HEARTH, ...(SERVICE_HOMES && { SERVICE_HOMES }) })

test.each([
  ['https://ada.example/chat', { name: 'ada.example', prefix: '' }],
  ['https://ADA.example:8443/', { name: 'ada.example', prefix: '' }],
  ['https://bo.hearth.example/', { name: 'bo.hearth.example', prefix: '' }],
  ['https://api.example/homes/bo/api/agents', { name: 'api.example/homes/bo', prefix: '/homes/bo' }],
  ['https://api.example/homes/bo/../cy/api', { name: 'api.example/homes/cy', prefix: '/homes/cy' }],
])('%s has a home', (url, home) => {
  expect(homeAt(url)).toEqual(home)
})

test.each([
  'https://hearth.example/',
  'https://a.b.hearth.example/',
  'https://bo.hearth.example./',
  'https://evilhearth.example/',
  'https://bo.ada.example/',
  'https://api.example/api/agents',
  'https://api.example/homes/bo',
  'https://api.example/homes/BO%2f../api/agents',
  'https://203.0.113.7/',
])('%s has none', (url) => {
  expect(homeAt(url)).toBeNull()
})

test('without a list all requests have the one home', () => {
  expect(homeAt('https://any.example/homes/bo/api', '')).toEqual({ name: 'hearthd', prefix: '' })
})

test.each(['*', 'a*.example', '*.*.example', 'https://ada.example', 'ada.example/x'])(
  'refuses %s as a home',
  (entry) => {
    expect(() => homeAt('https://none.example/', entry)).toThrow('SERVICE_HOMES')
  },
)

test('keys are different in each home, and only used when there are several', () => {
  const bound = { HEARTH, SERVICE_SECRET_KEY: 'a key for this test', SERVICE_SETUP_TOKEN: 'let me in' }
  const keysOf = (name: string) => {
    const { SERVICE_SECRET_KEY, SERVICE_SETUP_TOKEN } = environmentOf({ ...bound, SERVICE_HOMES: homes }, name)
    return [SERVICE_SECRET_KEY, SERVICE_SETUP_TOKEN]
  }
  const all = [...keysOf('ada.example'), ...keysOf('bo.hearth.example')]

  expect(new Set(all).size).toBe(4)
  expect(environmentOf(bound, undefined)).toBe(bound)
  expect(() => environmentOf({ ...bound, SERVICE_HOMES: homes }, undefined)).toThrow('name of this home')
  expect(() => environmentOf({ ...bound, SERVICE_SECRET_KEY: 'short', SERVICE_HOMES: homes }, 'a')).toThrow(
    '16 characters',
  )
})

let workerd: Miniflare
const log: string[] = []

beforeAll(async () => {
  const { modules } = await bundleWorker({ entry: 'adapters/worker/worker.ts' })
  workerd = startWorkerd({ modules, bindings: { SERVICE_HOMES: homes }, on_log: (message) => log.push(message) })
  await workerd.ready
})
afterAll(() => workerd.dispose())

interface Sent {
  body?: unknown
  key?: string
  headers?: Record<string, string>
}

function send(method: string, url: string, { body, key, headers = {} }: Sent = {}) {
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const credential: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  return workerd.dispatchFetch(url, { method, headers: { ...json, ...credential, ...headers }, ...text })
}

const tokenOf = (name: string) =>
  createHmac('sha256', 'let me in').update(`hearthd setup token of ${name}`).digest('hex')

async function setUp(url: string, token: string) {
  const admin = { username: 'ada', password: 'correct horse battery' }
  const response = await send('POST', `${url}/api/setup/admin`, { body: admin, headers: { 'x-setup-token': token } })
  return { status: response.status, body: (await response.json()) as { api_key: { key: string } } }
}

const objects = async () => (await workerd.listDurableObjectIds('HEARTH')).length

test('a home opens with its own setup token and stores nothing before', async () => {
  const url = 'https://one.hearth.example'
  const before = await (await send('GET', `${url}/api/auth/bootstrap`)).json()
  const wrong = [tokenOf('two.hearth.example'), 'let me in', '']

  expect(before).toEqual({ bootstrap_mode: true, setup_token_required: true, version: expect.any(String) })
  for (const token of wrong) expect((await setUp(url, token)).status).toBe(401)
  expect((await send('GET', `${url}/api/agents`)).status).toBe(401)
  expect((await setUp(url, tokenOf('one.hearth.example'))).status).toBe(201)
  expect(await (await send('GET', `${url}/api/auth/bootstrap`)).json()).toMatchObject({ bootstrap_mode: false })
})

test('other hosts get a 404, and no object is made for them', async () => {
  const before = await objects()
  const response = await send('GET', 'https://elsewhere.example/api/agents')

  expect(await response.json()).toMatchObject({ error: 'not_found', status: 404 })
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await objects()).toBe(before)
})

test('a home reads nothing of another', async () => {
  const own = 'https://ada.example'
  const other = 'https://api.example/homes/bo'
  const { key } = (await setUp(own, tokenOf('ada.example'))).body.api_key
  const { key: otherKey } = (await setUp(other, tokenOf('api.example/homes/bo'))).body.api_key
  const made = (await (await send('POST', `${own}/api/agents`, { key, body: { name: 'Mine' } })).json()) as {
    id: string
  }
  const picture = `--b\r\ncontent-disposition: form-data; name="file"; filename="x.gif"\r\n\r\nGIF89a;\r\n--b--\r\n`
  const upload = await workerd.dispatchFetch(`${own}/api/settings/avatar`, {
    method: 'POST',
    body: picture,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' },
  })
  const { avatar_url } = (await upload.json()) as { avatar_url: string }
  const statusAt = async (url: string, credential: string) => (await send('GET', url, { key: credential })).status
  const socketAt = async (url: string, token: string) =>
    (await send('GET', `${url}/ws/events?token=${token}`, { headers: { upgrade: 'websocket' } })).status

  expect(await statusAt(`${own}/api/agents/${made.id}`, key)).toBe(200)
  expect(await statusAt(`${other}/api/agents/${made.id}`, otherKey)).toBe(404)
  expect(await statusAt(own + avatar_url, key)).toBe(200)
  expect(await statusAt(other + avatar_url, otherKey)).toBe(404)
  expect(await statusAt(`${other}/api/agents`, key)).toBe(401)
  expect(await statusAt(`${own}/api/agents`, otherKey)).toBe(401)
  expect(await socketAt(own, key)).toBe(101)
  expect(await socketAt(other, key)).toBe(401)
})

test('a home that is thrown away comes back with its data, and the others are not disturbed', async () => {
  const [own, other] = ['https://kept.hearth.example', 'https://killed.hearth.example']
  const { key } = (await setUp(own, tokenOf('kept.hearth.example'))).body.api_key
  const { key: otherKey } = (await setUp(other, tokenOf('killed.hearth.example'))).body.api_key
  await send('POST', `${other}/api/agents`, { key: otherKey, body: { name: 'Kept' } })
  const startedAt = async (url: string) =>
    ((await (await send('GET', `${url}/health`)).json()) as { uptime_seconds: number }).uptime_seconds
  const up = await startedAt(own)
  await workerd.unsafeEvictDurableObject('hearthd', 'Hearth', { name: 'killed.hearth.example', webSockets: 'close' })

  const agents = await (await send('GET', `${other}/api/agents`, { key: otherKey })).json()
  expect(JSON.stringify(agents)).toContain('Kept')
  expect(await startedAt(own)).toBeGreaterThanOrEqual(up)
  expect((await send('GET', `${own}/api/agents`, { key })).status).toBe(200)
})

test('none of this logged an error', () => {
  expect(log).toEqual([])
})
