import { beforeEach, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as hooks from '../../handlers/workflows/hooks.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { hmacSha256, signStandard, toHex } from '../../runtime/secrets/signatures.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { stored } from '../credentials/kit.ts'
import { type CallOptions, call } from '../support/call.ts'
import { client } from '../support/client.ts'
import { testHost } from '../support/host.ts'
import { created, drawn, executionsOf } from './kit.ts'

/** Who may call a webhook, how often, and with how much. */

const secret = 'Zk3vQ8mXr1TpW6yL'
const text = '{"n":1}'

let host: MemoryHost
beforeEach(async () => {
  host = await testHost()
})

/** An active workflow that returns what it was called with. */
async function webhook(params: object) {
  const drawing = drawn({ go: { type: 'trigger.webhook', params: { response: 'at_end', ...params } } }, [])
  const { id } = await created(host, drawing)
  expect((await call(workflows.activate, host, { params: { id } })).status).toBe(200)
  const { triggers } = await (await call(workflows.triggers, host, { params: { id } })).json()
  const token = triggers[0].path.split('/').at(-1)
  return {
    id,
    token,
    send: (given: CallOptions) => call(hooks.postHook, host, { params: { token }, body: { n: 1 }, ...given }),
  }
}

const withCredential = async (fields: object) => {
  const { name } = await stored(host, { name: 'Shop', fields, hosts: ['shop.example'] })
  return webhook({ credential: name })
}

const seconds = () => String(Math.floor(host.clock.now() / 1000))
const signed = async (at: string, body = text) => ({
  'x-signature': toHex(await hmacSha256(new TextEncoder().encode(secret), new TextEncoder().encode(`${at}.${body}`))),
  'x-time': at,
})
const standard = `whsec_${btoa('0123456789abcdef01234567')}`
const standardSigned = async (at: string, prefix = 'webhook') => {
  const message = { id: 'msg_1', timestamp: Number(at), body: text }
  const headers = Object.entries(await signStandard([standard], message))
  return Object.fromEntries(headers.map(([name, value]) => [name.replace('webhook', prefix), value]))
}
const basic = (password: string) => ({ authorization: `Basic ${btoa(`shop:${password}`)}` })

const kinds: [string, object, () => CallOptions | Promise<CallOptions>, () => CallOptions | Promise<CallOptions>][] = [
  [
    'a header',
    { kind: 'header', name: 'X-Shop', secret },
    () => ({ headers: { 'x-shop': secret } }),
    () => ({ headers: { 'x-shop': `${secret}a` } }),
  ],
  ['a parameter', { kind: 'query', name: 'key', secret }, () => ({ query: { key: secret } }), () => ({})],
  [
    'a password',
    { kind: 'basic', username: 'shop', password: secret },
    () => ({ headers: basic(secret) }),
    () => ({ headers: basic('guess') }),
  ],
  [
    'a token',
    { kind: 'bearer', token: secret },
    () => ({ headers: { authorization: `Bearer ${secret}` } }),
    () => ({ headers: { authorization: 'Bearer' } }),
  ],
  [
    'a signature of its body and time',
    { kind: 'hmac', secret, timestamp_header: 'X-Time' },
    async () => ({ headers: await signed(seconds()) }),
    async () => ({ headers: await signed(seconds(), '{"n":2}') }),
  ],
  [
    'a signature of Standard Webhooks',
    { kind: 'standard', secret: standard },
    async () => ({ headers: await standardSigned(seconds()) }),
    async () => ({ headers: { ...(await standardSigned(seconds())), 'webhook-id': 'msg_2' } }),
  ],
  [
    'a signature of Svix',
    { kind: 'standard', secret: standard },
    async () => ({ headers: await standardSigned(seconds(), 'svix') }),
    async () => ({ headers: await standardSigned(String(Number(seconds()) - 301), 'svix') }),
  ],
]

test.each(kinds)('a caller shows %s, and who does not is refused', async (_, fields, good, bad) => {
  const { id, send } = await withCredential(fields)
  const refused = await send(await bad())
  expect([refused.status, await refused.json()]).toEqual([
    401,
    expect.objectContaining({ error: 'This webhook is for callers with its credential' }),
  ])
  expect(await executionsOf(host, id)).toEqual([])

  const answered = await send(await good())
  const answer = await answered.text()
  expect(answered.status, answer).toBe(200)
  expect(JSON.parse(answer)).toMatchObject({ body: { n: 1 } })
  expect(answer).not.toContain(secret)
  expect(JSON.stringify(await executionsOf(host, id))).not.toContain(secret)
})

test('a signature counts for five minutes', async () => {
  const { send } = await withCredential({ kind: 'hmac', secret, timestamp_header: 'X-Time' })
  const headers = await signed(seconds())
  await host.clock.advance(6 * 60_000)
  expect((await send({ headers })).status).toBe(401)
})

test('a credential that cannot be checked is refused when the workflow is activated', async () => {
  const fields = {
    kind: 'oauth2',
    grant: 'client_credentials',
    token_url: 'https://shop.example/token',
    client_id: 'a',
    client_secret: secret,
  }
  const { name } = await stored(host, { name: 'Shop', fields, hosts: ['shop.example'] })
  const { id } = await created(host, drawn({ go: { type: 'trigger.webhook', params: { credential: name } } }, []))
  const response = await call(workflows.activate, host, { params: { id } })
  expect([response.status, await response.json()]).toEqual([
    422,
    expect.objectContaining({ message: expect.stringContaining('cannot be of the kind OAuth 2') }),
  ])
})

test('a webhook has limits of its own', async () => {
  const { send } = await webhook({ calls_per_minute: 2, max_kilobytes: 1 })
  expect((await send({ body: { text: 'x'.repeat(2_000) } })).status).toBe(413)
  expect((await send({})).status).toBe(200)
  expect((await send({})).status).toBe(429)
})

test('the credential of an imported webhook is asked for, and one that cannot be kept is reported', () => {
  const imported = (authentication: string, credential: string) =>
    importN8n({
      name: 'W',
      nodes: [
        {
          ...{ id: '1', name: 'Hook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0] },
          ...{ parameters: { authentication, path: 'x' }, credentials: { [credential]: { id: '1', name: 'Shop' } } },
        },
      ],
      connections: {},
    })
  const { workflow, report } = imported('headerAuth', 'httpHeaderAuth')
  expect(workflow.nodes[0]?.params).toMatchObject({ credential: 'Shop' })
  expect(report.credentials).toMatchObject([{ name: 'Shop', kind: 'header' }])
  expect(report.issues.map(({ field }) => field)).toEqual(['path'])
  expect(imported('jwtAuth', 'jwtAuth').report.issues.map(({ field }) => field)).toContain('authentication')
})

test('pages of the origins that a webhook allows may call it, with the headers of its credential', async () => {
  const { send: page, preflight } = await fromPages({ allowed_origins: ['https://shop.example'] })
  const allowed = await preflight('https://shop.example')
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, 'https://shop.example'])
  expect(allowed.headers.get('access-control-allow-headers')).toBe('content-type, x-shop')
  const answered = await page('https://shop.example', { n: 1 })
  expect([answered.status, answered.headers.get('access-control-allow-origin')]).toEqual([200, 'https://shop.example'])
  expect(answered.headers.get('access-control-allow-credentials')).toBeNull()
  // A refusal too, so that the page can read it.
  const refused = await page('https://shop.example', { text: 'x'.repeat(300_000) })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([413, 'https://shop.example'])

  for (const origin of ['https://evil.example', 'https://shop.example.evil.example', 'http://shop.example', 'null']) {
    expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull()
    expect((await page(origin, { n: 1 })).headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('a webhook for all origins names the one that calls', async () => {
  const { preflight } = await fromPages({ allowed_origins: ['*'] })
  const { headers } = await preflight('https://any.example')
  expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual(['https://any.example', 'Origin'])
})

test.each(['https://shop.example/', 'shop.example', 'javascript:alert(1)'])('%s is no origin', async (origin) => {
  const params = { allowed_origins: [origin] }
  const { id } = await created(host, drawn({ go: { type: 'trigger.webhook', params } }, []))
  const response = await call(workflows.activate, host, { params: { id } })
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('must be an origin')])
})

/** A webhook that answers the whole way, with its preflights. */
async function fromPages(params: object) {
  const { token } = await webhook(params)
  const send = client(host)
  return {
    send: (origin: string, body: unknown) => send(hooks.postHook, { params: { token }, body, headers: { origin } }),
    preflight: (origin: string) =>
      send({ ...hooks.postHook, method: 'OPTIONS' } as never, {
        params: { token },
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type, x-shop',
        },
      }),
  }
}
