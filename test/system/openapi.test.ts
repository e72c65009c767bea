import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../../runtime/http/endpoint.ts'
import type { Operation } from '../../runtime/http/openapi/types.ts'
import { describeApi, type OpenApi } from '../../runtime/http/openapi.ts'
import { client } from '../support/client.ts'
import { endpoints, sockets } from '../support/endpoints.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

const document = describeApi({ endpoints, sockets }, '1.2.3')

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
)

const operationOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>, from: OpenApi = document): Operation => {
  const item = from.paths[path] as Record<string, Operation> | undefined
  const operation = item?.[method.toLowerCase()]
  if (!operation) throw new Error(`${method} ${path} is missing`)
  return operation
}

const named = (path: string) => path.match(/(?<=\{)\w+(?=\})/g) ?? []

test.each(endpoints.map((one) => [`${one.method} ${one.path}`, one] as const))('%s is described', (_, one) => {
  const operation = operationOf(one)
  const parameters = operation.parameters ?? []
  const status = String(one.status ?? 200)

  expect(operation.summary).toBe(one.summary)
  expect(operation.tags).toHaveLength(1)
  expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(named(one.path))
  expect(parameters.every((parameter) => parameter.in !== 'path' || parameter.required)).toBe(true)
  expect(new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size).toBe(parameters.length)
  expect(operation.requestBody !== undefined).toBe(one.body !== undefined || one.body_kind !== undefined)
  if (one.status !== 204) expect(operation.responses[status]?.content).toBeDefined()
  expect(operation.responses.default).toBeDefined()
})

test('it describes nothing else', () => {
  expect(operations).toHaveLength(endpoints.length + sockets.length)
})

test('each operation has a unique id', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z][a-zA-Z0-9]*$/)
})

test('each tag is listed, and each listed tag is used', () => {
  const used = new Set(operations.flatMap(({ operation }) => operation.tags))
  expect(document.tags.map(({ name }) => name).toSorted()).toEqual([...used].toSorted())
})

test('every reference resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target)
  const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
  expect(references.filter((target) => !known.includes(target ?? ''))).toEqual([])
  expect(JSON.stringify(document)).not.toContain('$defs')
})

test('every security requirement is a scheme that the document defines', () => {
  const used = operations.flatMap(({ operation }) => operation.security.flatMap((one) => Object.keys(one)))
  expect(Object.keys(document.components.securitySchemes)).toEqual(expect.arrayContaining([...new Set(used)]))
})

test('access matches what the endpoint requires', () => {
  const securityOf = (method: Endpoint['method'], path: string) => operationOf({ method, path }).security
  expect(securityOf('GET', '/health')).toEqual([])
  expect(securityOf('POST', '/api/setup/admin')).toEqual([{}, { setup_token: [] }])
  expect(securityOf('GET', '/api/auth/keys')).toEqual([{ bearer: ['admin'] }, { api_key: ['admin'] }])
  expect(securityOf('GET', '/api/metrics/prometheus')).toEqual([{}, { bearer: ['read'] }, { api_key: ['read'] }])
  expect(securityOf('GET', '/ws/events')).toEqual([{ socket_token: ['read'] }])
})

test('a field with a default is optional in requests and always present in responses', () => {
  const Item = z.object({ name: z.string().max(20), size: z.number().int().default(1) })
  const made = endpoint('PUT /api/items/{id}', {
    summary: 'Make an item',
    body: Item,
    returns: Item,
    run: ({ body }) => body,
  })
  const operation = operationOf(made, describeApi({ endpoints: [made], sockets: [] }, '1'))

  expect(operation.requestBody?.content['application/json']?.schema).toEqual({
    type: 'object',
    properties: { name: { type: 'string', maxLength: 20 }, size: { type: 'integer', default: 1 } },
    required: ['name'],
  })
  expect(operation.responses['200']?.content?.['application/json']?.schema.required).toEqual(['name', 'size'])
})

test('a recursive schema is among the components', () => {
  const Tree: z.ZodType = z.object({
    get branches() {
      return z.array(Tree)
    },
  })
  const grow = endpoint('POST /api/trees', {
    summary: 'Plant a tree',
    body: z.object({ tree: Tree }),
    returns: Tree,
    run: ({ body }) => body.tree,
  })
  const { paths, components } = describeApi({ endpoints: [grow], sockets: [] }, '1')
  const text = JSON.stringify(paths)
  const references = [...text.matchAll(/#\/components\/schemas\/(\w*[Tt]rees\w*)/g)].map(([, name]) => name ?? '')

  expect(references).toHaveLength(2)
  for (const name of references) expect(components.schemas[name]?.properties?.branches?.type).toBe('array')
})

test('reading it needs a credential', async () => {
  const host = await testHost()
  const { api_key } = await setUpAdmin(host)
  for (const path of ['/api/openapi.json', '/api/docs/content']) {
    const one = endpoints.find((candidate) => candidate.path === path)
    if (!one) throw new Error(`${path} is missing`)
    expect((await client(host)(one)).status).toBe(401)
    expect((await client(host)(one, { key: api_key.key })).status).toBe(200)
  }
})

test('the document has the version of the release', async () => {
  const host = await testHost({}, { version: '9.8.7' })
  const { api_key } = await setUpAdmin(host)
  const one = endpoints.find(({ path }) => path === '/api/openapi.json')
  const served = one && (await client(host)(one, { key: api_key.key }))

  expect(await served?.json()).toEqual(describeApi({ endpoints, sockets }, '9.8.7'))
})

test('a part of it has the operations of a path and of those below it', async () => {
  const host = await testHost()
  const { api_key } = await setUpAdmin(host)
  const one = endpoints.find(({ path }) => path === '/api/openapi.json')
  if (!one) throw new Error('/api/openapi.json is missing')
  const served = await client(host)(one, { key: api_key.key, query: { path: '/api/hooks' } })
  const { paths } = (await served.json()) as { paths: Record<string, unknown> }
  const expected = endpoints.filter(({ path }) => path === '/api/hooks' || path.startsWith('/api/hooks/'))

  expect(new Set(Object.keys(paths))).toEqual(new Set(expected.map(({ path }) => path)))
  expect(paths).toHaveProperty('/api/hooks')
})
