import { expect, test } from 'vitest'
import { areas } from '../../handlers/index.ts'
import { serve } from '../../runtime/http/serve.ts'
import { peer, setUpAdmin, testHost } from '../support/host.ts'

const handle = serve(areas)
const url = 'http://127.0.0.1:18781'

async function ready(config = {}) {
  const host = await testHost({}, config)
  const { api_key } = await setUpAdmin(host)
  const fetch = (path: string, init: RequestInit = {}) => handle(new Request(url + path, init), host, peer)
  return { host, key: { authorization: `Bearer ${api_key.key}` }, fetch }
}

const json = { 'content-type': 'application/json' }

/** One request for each way that an answer can come about. */
const ways: [string, number, string, (key: Record<string, string>) => RequestInit][] = [
  ['a success', 200, '/api/auth/me', (key) => ({ headers: key })],
  ['a public answer', 200, '/api/auth/bootstrap', () => ({})],
  ['an answer to HEAD', 200, '/api/auth/bootstrap', () => ({ method: 'HEAD' })],
  ['a preflight', 204, '/api/auth/keys', () => ({ method: 'OPTIONS' })],
  ['a preflight of nothing', 204, '/nowhere', () => ({ method: 'OPTIONS' })],
  ['a bad request', 400, '/api/auth/login', () => ({ method: 'POST', headers: json, body: '{' })],
  ['a refusal', 401, '/api/auth/keys', () => ({})],
  ['an unknown path', 404, '/api/nowhere', () => ({})],
  ['a wrong method', 405, '/api/auth/login', () => ({ method: 'DELETE' })],
  ['a wrong type', 415, '/api/auth/login', () => ({ method: 'POST', body: 'a=b' })],
  ['a wrong field', 422, '/api/auth/login', () => ({ method: 'POST', headers: json, body: '{}' })],
]

test.each(ways)('%s (%i) has every security header and an id', async (_, status, path, init) => {
  const { key, fetch } = await ready()
  const response = await fetch(path, init(key))
  expect(response.status).toBe(status)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-xss-protection': '1; mode=block',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/./),
    vary: 'Origin',
  })
})

test('an internal error has them too, and does not reveal its cause', async () => {
  const { host, key, fetch } = await ready()
  host.sql.read = () => Promise.reject(new Error('near "secret": syntax error'))
  const response = await fetch('/api/auth/me', { headers: key })
  expect(response.status).toBe(500)
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  expect(await response.text()).not.toContain('secret')
})

test.each(ways)('%s (%i) echoes an allowed origin exactly', async (_, __, path, init) => {
  const { key, fetch } = await ready({ cors_origins: ['http://localhost:5173', 'https://home.example'] })
  for (const origin of [url, 'http://localhost:5173', 'https://home.example']) {
    const { headers = {}, ...rest } = init(key)
    const response = await fetch(path, { ...rest, headers: { ...(headers as object), origin } })
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(response.headers.get('vary')).toBe('Origin')
  }
})

test.each([
  'http://evil.example',
  'null',
  '*',
  'http://localhost:51730',
  'http://localhost:5173.evil.example',
  'http://LOCALHOST:5173',
])('the origin %s gets no permission, on no kind of answer', async (origin) => {
  const { key, fetch } = await ready()
  for (const [, , path, init] of ways) {
    const { headers = {}, ...rest } = init(key)
    const response = await fetch(path, { ...rest, headers: { ...(headers as object), origin } })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  }
})

test('a preflight names the specified methods, headers and age', async () => {
  const { fetch } = await ready()
  const response = await fetch('/api/auth/keys', {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:5173' },
  })
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, PATCH, DELETE, OPTIONS')
  expect(response.headers.get('access-control-allow-headers')).toBe('Authorization, X-API-Key, Content-Type')
  expect(response.headers.get('access-control-max-age')).toBe('3600')
})

test('a request id is echoed if it is harmless, and otherwise replaced', async () => {
  const { fetch } = await ready()
  const idFor = async (id: string) =>
    (await fetch('/api/auth/bootstrap', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
  expect(await idFor('trace-1')).toBe('trace-1')
  expect(await idFor('<script>')).not.toBe('<script>')
  expect(await idFor('a'.repeat(200))).toHaveLength(36)
})

test('a page cannot send JSON without a preflight', async () => {
  const { fetch } = await ready()
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const body = '{"username":"ada","password":"correct horse battery"}'
    const response = await fetch('/api/auth/login', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    expect(response.status).toBe(415)
  }
})
