import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { createOutbound, type NodeOutbound } from '../../adapters/outbound/outbound.ts'
import * as credentials from '../../handlers/credentials/credentials.ts'
import { exportFile } from '../../handlers/workflows/catalog.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { registerUser } from '../../runtime/auth/users.ts'
import { fetchWith } from '../../runtime/credentials/index.ts'
import { hmacSha256, toHex } from '../../runtime/secrets/signatures.ts'
import { call } from '../support/call.ts'
import { adminCaller, setUpAdmin, testHost } from '../support/host.ts'
import { created, drawn, executionsOf, nodeRun, ran } from '../workflows/kit.ts'
import { openService, stored } from './kit.ts'

const secret = 'Zk3vQ8mXr1TpW6yL'

let service: Awaited<ReturnType<typeof openService>>
let other: typeof service
let outbound: NodeOutbound
let host: MemoryHost
beforeAll(async () => {
  ;[service, other] = await Promise.all([openService(), openService()])
  outbound = createOutbound({ allowlist: [service, other].map(({ origin }) => new URL(origin).host) })
})
afterAll(() => Promise.all([service.close(), other.close(), outbound.close()]))
beforeEach(async () => {
  service.received.length = 0
  other.received.length = 0
  host = await testHost({ outbound })
})

const url = () => `${service.origin}/data`
const header = () => ({
  fields: { kind: 'header', name: 'X-API-Key', secret },
  test_url: url(),
})
const send = (id: string, to: string = url(), init: RequestInit = {}) => fetchWith(localContext(host), id, to, init)
const edit = (id: string, body: object) => call(credentials.update, host, { params: { id }, body })

describe('a credential', () => {
  test('is stored sealed, and shown without its secret', async () => {
    const made = await stored(host, header())

    expect(made).toMatchObject({
      ...{ kind: 'header', hint: 'X-API-Key: …W6yL', authorized: true, last_test: null },
      fields: { kind: 'header', name: 'X-API-Key', secret: { configured: true, hint: '…W6yL' } },
    })
    expect(host.events).toEqual(['credential.created'])
    const rows = JSON.stringify(await host.sql.read('SELECT * FROM credentials'))
    expect(rows + JSON.stringify(made)).not.toContain(secret)
  })

  test('keeps the secret that a change leaves out, and needs all of another kind', async () => {
    const { id } = await stored(host, header())
    expect((await edit(id, { fields: { kind: 'header', name: 'X-Other' } })).status).toBe(200)
    await send(id)
    expect(service.received[0]?.headers['x-other']).toBe(secret)

    const refused = await edit(id, { fields: { kind: 'bearer' } })
    expect([refused.status, (await refused.json()).issues]).toEqual([
      422,
      [{ path: 'fields.token', message: 'is required' }],
    ])
  })

  test('names a host, or an address for the test', async () => {
    const response = await call(credentials.create, host, {
      body: { name: 'Mine', fields: { kind: 'bearer', token: secret } },
    })
    expect((await response.json()).issues).toMatchObject([{ path: 'hosts' }])
  })

  test.each(['Host', 'Content-Length', 'Accept', 'If-Match', 'a b'])('is no header %j', async (name) => {
    const fields = { kind: 'header', name, secret }
    const response = await call(credentials.create, host, { body: { ...header(), name: 'Mine', fields } })
    expect(response.status).toBe(422)
  })
})

describe('a request with a credential', () => {
  const basic = `Basic ${btoa('ada:opens a lot')}`
  test.each([
    ['header', { kind: 'header', name: 'X-API-Key', secret }, { 'x-api-key': secret }],
    ['basic', { kind: 'basic', username: 'ada', password: 'opens a lot' }, { authorization: basic }],
    ['bearer', { kind: 'bearer', token: secret }, { authorization: `Bearer ${secret}` }],
  ])('has the %s', async (_, fields, headers) => {
    const { id } = await stored(host, { fields, test_url: url() })
    await send(id)
    expect(service.received[0]?.headers).toMatchObject(headers)
  })

  test('has the query parameter', async () => {
    const { id } = await stored(host, { fields: { kind: 'query', name: 'key', secret }, test_url: url() })
    await send(id, `${url()}?page=2`)
    expect(service.received[0]?.url.search).toBe(`?page=2&key=${secret}`)
  })

  test('is signed over the time and the body', async () => {
    const fields = { kind: 'hmac', secret, prefix: 'v1=', timestamp_header: 'X-Time' }
    const { id } = await stored(host, { fields, test_url: url() })
    await send(id, url(), { method: 'POST', body: 'hello' })
    const [{ headers } = { headers: {} }] = service.received as { headers: Record<string, string> }[]
    expect(headers['x-signature']).toBe(`v1=${toHex(await hmacSha256(secret, `${headers['x-time']}.hello`))}`)
  })
})

describe('is sent only to its hosts', () => {
  test.each([
    ['another host', () => `${other.origin}/data`],
    ['another port', () => url().replace(/:\d+/, ':9999')],
    ['a name that ends alike', () => 'https://evil-example.com/'],
    ['the same host without encryption', () => 'http://example.com/'],
  ])('not to %s', async (_, to) => {
    const hosts = ['example.com', '*.example.org']
    const { id } = await stored(host, { ...header(), hosts: [...hosts, new URL(url()).host] })
    await expect(send(id, to())).rejects.toThrow('is not for')
    expect([...service.received, ...other.received]).toEqual([])
  })

  test('nor across a redirect to another one', async () => {
    const kinds = [
      { kind: 'header', name: 'X-API-Key', secret },
      { kind: 'query', name: 'key', secret },
      { kind: 'bearer', token: secret },
    ]
    for (const fields of kinds) {
      const { id } = await stored(host, { fields, test_url: url() })
      await send(id, `${service.origin}/to?url=${encodeURIComponent(`${other.origin}/data`)}`)
    }
    expect(service.received).toHaveLength(3)
    expect(other.received).toHaveLength(3)
    expect(JSON.stringify(other.received)).not.toContain(secret)
  })
})

describe('another place needs the secret again', () => {
  const again = 'must be entered again, because the credential would be sent elsewhere'
  const oauth = {
    kind: 'oauth2',
    ...{ grant: 'client_credentials', token_url: 'https://id.example.com/token', client_id: 'hearthd' },
  }
  test.each([
    ['more hosts', header, { hosts: ['evil.example'] }, 'fields.secret'],
    ['the host of the test', header, { test_url: 'https://evil.example' }, 'fields.secret'],
    [
      'another token endpoint',
      () => ({ fields: { ...oauth, client_secret: secret }, hosts: ['example.com'] }),
      { fields: { ...oauth, token_url: 'https://evil.example/token' } },
      'fields.client_secret',
    ],
  ])('%s', async (_, body, changes, path) => {
    const { id } = await stored(host, body())
    const refused = await edit(id, changes)
    expect([refused.status, (await refused.json()).issues]).toEqual([422, [{ path, message: again }]])
  })

  test('entered, it is stored with the new hosts', async () => {
    const { id } = await stored(host, header())
    const { host: name } = new URL(other.origin)
    expect((await edit(id, { ...header(), hosts: [name] })).status).toBe(200)
    await send(id, `${other.origin}/data`)
    expect(other.received[0]?.headers['x-api-key']).toBe(secret)
  })

  test('fewer hosts, and another address on the same, do not', async () => {
    const { id } = await stored(host, { ...header(), hosts: ['example.com', 'example.org'] })
    expect((await edit(id, { hosts: ['example.org'], test_url: `${url()}/2` })).status).toBe(200)
  })
})

describe('the test', () => {
  const tested = async (id: string, body: object = {}) =>
    (await call(credentials.test, host, { params: { id }, body })).json()

  test('uses it, and stores whether it works', async () => {
    const { id } = await stored(host, header())
    const { last_test } = await tested(id)
    expect(last_test).toMatchObject({ ok: true, detail: `${new URL(url()).host} answered 200` })
    expect(service.received[0]?.headers['x-api-key']).toBe(secret)

    expect(await tested(id, { url: `${service.origin}/refuse` })).toMatchObject({
      last_test: { ok: false, detail: expect.stringContaining('does not accept the credential') },
    })
    expect((await tested(id, { url: other.origin })).last_test.detail).toContain('is not for')
    expect(other.received).toEqual([])
  })
})

test('who it is shared with uses it, and does not change it', async () => {
  const { user } = await setUpAdmin(host)
  const { id: ben } = await registerUser(localContext(host), {
    ...{ username: 'ben', password: 'ten characters', role: 'user' },
  })
  const admin = { ...adminCaller, user_id: user.id }
  const caller = { ...adminCaller, user_id: ben, role: 'user' as const, scopes: ['read', 'write'] as const }
  const { id } = await stored(host, header(), admin)
  const as = (endpoint: Parameters<typeof call>[0], body?: object) =>
    call(endpoint, host, { params: { id }, caller, ...(body && { body }) })
  expect((await as(credentials.show)).status).toBe(404)

  await call(credentials.update, host, {
    params: { id },
    body: { shared_with: [ben, user.id] },
    caller: admin,
  })
  expect(await (await as(credentials.show)).json()).toMatchObject({ name: 'Mine', shared_with: [ben] })
  await fetchWith({ ...localContext(host), caller }, id, url())
  expect(service.received).toHaveLength(1)
  expect((await as(credentials.update, { hosts: ['evil.example'] })).status).toBe(403)
  expect((await as(credentials.test, {})).status).toBe(403)
  expect((await as(credentials.remove)).status).toBe(403)
})

test('a workflow that uses it leaves no secret anywhere', async () => {
  const { id } = await stored(host, header())
  const bearer = await stored(host, { fields: { kind: 'bearer', token: `${secret}-token` }, test_url: url() })
  const params = { url: url(), credential: id, headers: { 'x-trace': '1' } }
  const definition = drawn(
    {
      start: { type: 'trigger.manual' },
      get: { type: 'http', params },
      note: { type: 'code', params: { code: 'console.log(JSON.stringify(input)); return input' } },
      fail: { type: 'http', params: { url: `${service.origin}/refuse`, credential: bearer.id } },
    },
    ['start → get', 'get → note', 'note → fail'],
  )
  const execution = await ran(host, definition)

  expect(service.received.map(({ headers }) => headers['x-api-key'] ?? headers.authorization)).toEqual([
    secret,
    `Bearer ${secret}-token`,
  ])
  expect(execution.status).toBe('failed')
  const { workflow_id } = execution
  const run = await nodeRun(host, execution, 2)
  expect(run.output).toMatchObject({ body: { headers: { 'x-trace': '1', 'x-api-key': '[redacted]' } } })
  expect((await nodeRun(host, execution, 3)).logs).toContain('[redacted]')
  const tables = await host.sql.read<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
  const dump = await Promise.all(tables.map(({ name }) => host.sql.read(`SELECT * FROM "${name}"`)))
  const file = await (await call(exportFile, host, { params: { id: workflow_id } })).text()
  const shown = await (await call(executions.show, host, { params: { id: execution.id } })).text()
  const all = [dump, file, shown, await executionsOf(host, workflow_id), await host.log.recent()]
  expect(JSON.stringify(all)).not.toContain(secret)
})

test('a workflow whose credential was deleted says so at the node', async () => {
  const { id } = await stored(host, header())
  const get = { type: 'http', params: { url: url(), credential: id } }
  const definition = drawn({ start: { type: 'trigger.manual' }, get }, ['start → get'])
  const workflow = await created(host, definition)
  await call(credentials.remove, host, { params: { id } })
  const refused = await call(executions.execute, host, { params: { id: workflow.id }, body: {} })
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('id of a credential')])
  expect(service.received).toEqual([])
})
