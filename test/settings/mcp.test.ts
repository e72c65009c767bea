import { describe, expect, test } from 'vitest'
import {
  listCatalog as catalogList,
  connect,
  create,
  disconnect,
  discover,
  install,
  list,
  test as probe,
  remove,
  show,
  status,
  update,
} from '../../handlers/settings/mcp.ts'
import type { ToolServers } from '../../runtime/ports/tool-servers.ts'
import type { CatalogEntry } from '../../runtime/settings/mcp/catalog.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'

const stdio = { name: 'notes', transport: 'stdio', command: 'notes-server', args: ['--fast'] }

test('a server is added disabled, shown, changed and deleted', async () => {
  const host = await testHost()
  const created = await call(create, host, { body: { ...stdio, env: { API_TOKEN: 'canary-1' } } })
  expect(created.status).toBe(201)
  const server = await created.json()
  expect(server).toMatchObject({
    id: expect.stringMatching(/^mcp_/),
    name: 'notes',
    transport: 'stdio',
    command: 'notes-server',
    args: ['--fast'],
    env_names: ['API_TOKEN'],
    header_names: [],
    enabled: false,
    tool_allow: ['*'],
    timeout_seconds: 60,
    status: 'disabled',
    suspended: false,
    tools: [],
    last_error: null,
  })
  const params = { id: server.id }
  expect(await (await call(show, host, { params })).json()).toEqual(server)
  expect(await (await call(list, host)).json()).toEqual({ servers: [server], total: 1, limit: 50, offset: 0 })

  const changed = await call(update, host, {
    params,
    body: { timeout_seconds: 5, env: { REGION: 'eu', API_TOKEN: null } },
  })
  expect(await changed.json()).toMatchObject({
    timeout_seconds: 5,
    env_names: ['REGION'],
    command: 'notes-server',
  })
  expect(await (await call(remove, host, { params })).json()).toEqual({ deleted: true, id: server.id })
  expect((await call(show, host, { params })).status).toBe(404)
  expect(host.events).toEqual(['tool_server.created', 'tool_server.updated', 'tool_server.deleted'])
})

describe('what does not fit is refused', () => {
  test.each([
    ['no command', { name: 'a', transport: 'stdio' }, 'command'],
    ['no url', { name: 'a', transport: 'http' }, 'url'],
    ['a url of a file', { name: 'a', transport: 'http', url: 'file:///etc/passwd' }, 'url'],
    ['a url with a password', { name: 'a', transport: 'http', url: 'http://a:b@localhost/' }, 'url'],
    ['a name with two underscores', { ...stdio, name: 'a__b' }, 'name'],
    ['a name with a slash', { ...stdio, name: 'a/b' }, 'name'],
    ['a command of two lines', { ...stdio, command: 'a\nb' }, 'command'],
    ['a variable with a space', { ...stdio, env: { 'A B': 'x' } }, 'env.A B'],
    ['a header of the connection', { ...stdio, headers: { Host: 'x' } }, 'headers.Host'],
    ['a header of two lines', { ...stdio, headers: { 'X-Key': 'a\r\nb: c' } }, 'headers.X-Key'],
    ['switching it on', { ...stdio, enabled: true }, ''],
    ['a typo', { ...stdio, tool_allows: [] }, ''],
  ])('%s', async (_, body, path) => {
    const response = await call(create, await testHost(), { body })
    expect(response.status).toBe(422)
    expect((await response.json()).issues[0].path).toBe(path)
  })
})

test('two servers never have the same name', async () => {
  const host = await testHost()
  const answers = await Promise.all(
    ['notes', 'Notes', 'notes'].map((name) => call(create, host, { body: { ...stdio, name } })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
})

test('concurrent changes of a server are all kept', async () => {
  const host = await testHost()
  const { id } = await (await call(create, host, { body: stdio })).json()
  const bodies = [
    { timeout_seconds: 5 },
    { tool_allow: ['read'] },
    { env: { REGION: 'eu' } },
    { env: { ZONE: 'a' } },
    { name: 'cards' },
  ]
  const answers = await Promise.all(bodies.map((body) => call(update, host, { params: { id }, body })))

  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
  const server = await (await call(show, host, { params: { id } })).json()
  expect(server).toMatchObject({ name: 'cards', timeout_seconds: 5, tool_allow: ['read'] })
  expect(server.env_names.toSorted()).toEqual(['REGION', 'ZONE'])
})

test('of two servers that take one name at once, one is refused', async () => {
  const host = await testHost()
  const rename = async (name: string) => {
    const { id } = await (await call(create, host, { body: { ...stdio, name } })).json()
    return () => call(update, host, { params: { id }, body: { name: 'cards' } })
  }
  const renames = [await rename('one'), await rename('two')]
  const answers = await Promise.all(renames.map((run) => run()))

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const refused = await answers.find(({ status }) => status === 409)?.json()
  expect(refused?.message).toBe('There is already a tool server with this name')
})

test('the tools of a server whose address changes while it is connected are not approved', async () => {
  const host = await testHost()
  const { id } = await (await call(create, host, { body: stdio })).json()
  const params = { id }
  const connectTo = async () => {
    await call(update, host, { params, body: { command: 'other-server' } })
    return []
  }
  const tool_servers: ToolServers = Object.assign(Object.create(host.tool_servers), { connect: connectTo })
  const connecting = { ...host, tool_servers }

  expect((await call(connect, connecting, { params })).status).toBe(409)
  expect((await call(discover, connecting, { params })).status).toBe(409)
  expect(await (await call(show, host, { params })).json()).toMatchObject({
    command: 'other-server',
    enabled: false,
  })
})

test('changing and connecting are for administrators', async () => {
  const host = await testHost()
  const { id } = await (await call(create, host, { body: stdio })).json()
  const caller = { ...adminCaller, scopes: ['read', 'write', 'approve'] as const }
  const params = { id }
  for (const endpoint of [create, update, remove, probe, discover, connect, disconnect, install]) {
    expect((await call(endpoint, host, { params: { ...params, entry_id: 'git' }, body: {}, caller })).status).toBe(403)
  }
  for (const endpoint of [list, show, status, catalogList])
    expect((await call(endpoint, host, { params, caller })).status).toBe(200)
})

test('a host without tool servers reports that', async () => {
  const host = await testHost()
  const { id } = await (await call(create, host, { body: stdio })).json()
  for (const endpoint of [probe, discover, connect]) {
    const response = await call(endpoint, host, { params: { id } })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: 'unsupported' })
  }
  expect(await (await call(show, host, { params: { id } })).json()).toMatchObject({ enabled: false })
  expect((await call(disconnect, host, { params: { id } })).status).toBe(200)
})

describe('the catalog', () => {
  test('has at least twelve well-known servers and lists their needs', async () => {
    const { entries, total } = await (await call(catalogList, await testHost())).json()
    expect(total).toBeGreaterThanOrEqual(12)
    for (const entry of entries as CatalogEntry[]) {
      expect(entry.homepage, entry.id).toMatch(/^https:\/\//)
      const text = [...entry.args, entry.url].join(' ')
      const places = [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const filling = entry.needs.filter(({ kind }) => kind === 'argument' || kind === 'url')
      expect(
        filling.map(({ name }) => name),
        entry.id,
      ).toEqual(places)
    }
  })

  test('every entry can be installed with example values, and is disabled', async () => {
    const host = await testHost()
    const { entries } = await (await call(catalogList, host)).json()
    for (const entry of entries as CatalogEntry[]) {
      const values = Object.fromEntries(entry.needs.map(({ name, example }) => [name, example ?? 'canary-value']))
      const response = await call(install, host, { params: { entry_id: entry.id }, body: { values } })
      expect(response.status, entry.id).toBe(201)
      const server = await response.json()
      expect(server).toMatchObject({
        name: entry.id,
        catalog_id: entry.id,
        enabled: false,
        status: 'disabled',
      })
      expect(JSON.stringify(server)).not.toMatch(/canary|\{\w+\}/)
    }
  })

  test('missing or unknown values are named, and a second installation needs another name', async () => {
    const host = await testHost()
    const params = { entry_id: 'filesystem' }
    const empty = await call(install, host, { params })
    expect(empty.status).toBe(422)
    expect((await empty.json()).issues[0].path).toBe('values.folder')
    const typo = await call(install, host, { params, body: { values: { folder: '/tmp', foldr: '/' } } })
    expect((await typo.json()).issues[0].path).toBe('values.foldr')
    const body = { values: { folder: '/tmp' } }
    expect((await (await call(install, host, { params, body })).json()).args.at(-1)).toBe('/tmp')
    expect((await call(install, host, { params, body })).status).toBe(409)
    expect((await call(install, host, { params, body: { ...body, name: 'tmp' } })).status).toBe(201)
    expect((await call(install, host, { params: { entry_id: 'nothing' } })).status).toBe(404)
  })
})
