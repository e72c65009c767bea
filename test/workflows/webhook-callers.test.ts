import { beforeEach, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as hooks from '../../handlers/workflows/hooks.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { hmacSha256, toHex } from '../../runtime/secrets/signatures.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { stored } from '../credentials/kit.ts'
import { type CallOptions, call } from '../support/call.ts'
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
