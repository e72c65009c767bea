import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { create as createAgent } from '../../handlers/agents/agents.ts'
import { create as createUser } from '../../handlers/auth/users.ts'
import { create as createChannel } from '../../handlers/channels/channels.ts'
import { create as createConversation } from '../../handlers/chat/conversations.ts'
import { createGroup } from '../../handlers/devices/groups.ts'
import { create as createFile } from '../../handlers/files/files.ts'
import { create as createLoop } from '../../handlers/loops/loops.ts'
import { create as createProject } from '../../handlers/projects/projects.ts'
import { create as createJob } from '../../handlers/scheduler/jobs.ts'
import { create as createWorkflow } from '../../handlers/workflows/workflows.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { insertDevice } from '../../runtime/devices/device-store.ts'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { checkReferences, formatsIn } from '../../runtime/reference-check.ts'
import { partKinds, type ReferenceKind, reference, referenceBy } from '../../runtime/references.ts'
import { nodeTypes } from '../../runtime/workflows/nodes/index.ts'
import { call } from '../support/call.ts'
import { endpoints } from '../support/endpoints.ts'
import { adminCaller, peer, testHost } from '../support/host.ts'

/** Every field of a body that holds an id or a name says what it refers to, and refers only to what its sender may use. */

const schemas: [string, z.ZodType][] = [
  ...endpoints.flatMap(({ method, path, body }): [string, z.ZodType][] =>
    body && path !== '/mcp' ? [[`${method} ${path}`, body]] : [],
  ),
  ...nodeTypes.map(({ type, params }): [string, z.ZodType] => [`node ${type}`, params]),
]

/** Names that only fields with a reference have. */
const named =
  /(?:^|[._])ids?(?:\.\*)?$|(?:^|\.)(?:skills|mcp_servers|allow|deny|shared_with|attachments|depends_on)\.\*$/
/** Ids that the body itself gives to its parts, and whose formats the schema says otherwise. */
const own = /^(?:changes\.)?(?:nodes|edges|\*)\.\*\.id$|^id$|^\*\.id$/

const unsaid = (schema: z.ZodType) =>
  formatsIn(schema)
    .filter(({ path, format }) => named.test(path) && !own.test(path) && format === undefined)
    .map(({ path }) => path)

test.each(schemas)('%s: each id says what it refers to', (_, schema) => {
  expect(unsaid(schema)).toEqual([])
})

test('an id without a format is seen', () => {
  const planted = z.object({ deep: z.array(z.object({ thing_id: z.string().nullable().default(null) })) })
  expect(unsaid(planted)).toEqual(['deep.*.thing_id'])
  expect(unsaid(z.object({ thing_ids: z.array(reference('job')) }))).toEqual([])
})

type Fragment = Record<string, unknown>

/** A value of a schema that holds only the members in `path`, and those that tell its form. */
function fragment(schema: z.ZodType, path: readonly string[], name: string): unknown {
  if (schema instanceof z.ZodUnion) {
    const holder = schema.options.find((option) =>
      formatsIn(option as z.ZodType).some((one) => one.path === path.join('.')),
    )
    return holder && fragment(holder as z.ZodType, path, name)
  }
  const inner = (schema.def as { innerType?: z.ZodType }).innerType
  if (inner) return fragment(inner, path, name)
  if (schema instanceof z.ZodPipe) return fragment(schema.in as z.ZodType, path, name)
  const [first = '', ...rest] = path
  if (schema instanceof z.ZodArray) return [fragment(schema.element as z.ZodType, rest, name)]
  if (schema instanceof z.ZodRecord) return { x: fragment(schema.valueType as z.ZodType, rest, name) }
  if (!(schema instanceof z.ZodObject)) return name
  const value: Fragment = {}
  for (const [member, shape] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    if (member === first) value[member] = fragment(shape, rest, name)
    else if (shape instanceof z.ZodLiteral) value[member] = shape.value
    else if (shape instanceof z.ZodString && formatsIn(shape)[0]?.format === undefined) value[member] = 'x'
  }
  return value
}

const missing: Partial<Record<ReferenceKind, string>> = { dispatcher_target: 'agent_none' }

let host: MemoryHost
let caller: Caller
/** The ids of another user's things. */
const others: Partial<Record<ReferenceKind, string>> = {}

beforeAll(async () => {
  host = await testHost()
  const user = async (username: string) => {
    const body = { username, password: 'correct horse battery', role: 'admin' }
    const { id } = await (await call(createUser, host, { body })).json()
    return { ...adminCaller, id: `key_${username}`, user_id: id as string }
  }
  caller = await user('ada')
  const other = await user('bob')
  const made = async (endpoint: Endpoint, body: unknown): Promise<string> => {
    const response = await call(endpoint, host, { body, caller: other })
    if (response.status !== 201) throw new Error(`${endpoint.path}: ${await response.text()}`)
    return (await response.json()).id
  }
  const form = new FormData()
  form.set('file', new File(['x'], 'x.txt'))
  const device = {
    ...{ id: 'dev_other', owner_id: other.user_id, name: 'x', platform: 'linux', status: 'offline' },
    ...{ model: null, os_version: null, client_version: null, last_seen_at: null, push: null },
    ...{ reviewed: [], health: {}, group_ids: [] },
    ...{ capabilities: [], allowed_commands: [], paired_at: '2026-01-05T12:00:00.000Z' },
  }
  await host.sql.write([insertDevice(device as never)])
  others.device = device.id
  others.agent = await made(createAgent, { name: 'Private', users: [other.user_id] })
  others.dispatcher_target = others.agent
  others.channel = await made(createChannel, {
    platform: 'webhook',
    credentials: { secret: 'a secret of a channel' },
  })
  others.delivery_channel = others.channel
  others.conversation = await made(createConversation, {})
  others.device_group = await made(createGroup, { name: 'x' })
  others.file = await made(createFile, form)
  others.job = await made(createJob, { name: 'x', goal: 'x', schedule: { type: 'every', interval: 3600 } })
  others.loop = await made(createLoop, { name: 'x', goal: 'x' })
  others.project = await made(createProject, { name: 'x' })
  others.workflow = await made(createWorkflow, { name: 'x' })
})

interface Field {
  title: string
  schema: z.ZodType
  path: string
  kind: ReferenceKind
  /** The member that says the kind, with its value. */
  by?: [string, string]
}

const fields = schemas.flatMap(([title, schema]): Field[] =>
  formatsIn(schema).flatMap(({ path, format }): Field[] => {
    if (typeof format === 'object')
      return Object.entries(format.kinds).map(([value, kind]) => ({
        ...{ title: `${title} ${path} of a ${kind}`, schema, path, kind, by: [format.member, value] },
      }))
    const isReference = format !== undefined && /_|^[a-z]+$/.test(format) && isKind(format)
    return isReference ? [{ title: `${title} ${path}`, schema, path, kind: format as ReferenceKind }] : []
  }),
)

/** Formats of forms, and parts that the endpoint checks, are no references. */
function isKind(format: string): boolean {
  return ![...partKinds, 'multiline', 'json', 'schedule', 'event', 'api-only', 'item_field'].includes(format as never)
}

test('there are references of every kind that areas check', () => {
  expect(fields.length).toBeGreaterThan(90)
  const checked = host.areas.flatMap(({ references = {} }) => Object.keys(references))
  expect([...new Set(fields.map(({ kind }) => kind))].toSorted()).toEqual([...new Set(checked)].toSorted())
})

describe('a reference to a missing thing is refused, and one to somebody else’s alike', () => {
  test.each(fields.map((field) => [field.title, field] as const))('%s', async (_, { schema, path, kind, by }) => {
    const refusal = async (name: string) => {
      const body = fragment(schema, path.split('.'), name)
      if (by) setNextTo(body, path, by)
      const context = { ...contextOf(new Request('http://127.0.0.1/'), host, peer), caller }
      return checkReferences(context, schema, body).then(
        () => null,
        ({ status, extra }) => ({ status, ...extra }),
      )
    }
    const refused = await refusal(missing[kind] ?? 'none_such')
    const issue = { path: path.replaceAll('*', '0'), message: expect.stringMatching(/^must be /) }
    expect(refused).toEqual({ status: 422, issues: [issue] })
    if (others[kind] !== undefined) expect(await refusal(others[kind])).toEqual(refused)
  })
})

function setNextTo(body: unknown, path: string, [member, value]: [string, string]): void {
  const parents = path.split('.').slice(0, -1)
  const parent = parents.reduce((at, name) => (at as Fragment)[name === '*' ? '0' : name], body)
  Object.assign(parent as Fragment, { [member]: value })
}

/** Filters, and queries that name what a job works on. */
const queries: [string, ReferenceKind, object?][] = [
  ['GET /api/chat/conversations agent_id', 'agent'],
  ['GET /api/chat/conversations project_id', 'project'],
  ['GET /api/chat/approvals conversation_id', 'conversation'],
  ['GET /api/memory/episodes agent_id', 'agent'],
  ['GET /api/memory/search agent_id', 'agent', { q: 'tea' }],
  ['GET /api/memory/clusters agent_id', 'agent'],
  ['GET /api/memory/graph agent_id', 'agent'],
  ['GET /api/channels/pairings channel_id', 'channel'],
  ['GET /api/channels/bindings channel_id', 'channel'],
  ['GET /api/devices group_id', 'device_group'],
  ['POST /api/memory/generate-episodes agent_id', 'agent'],
  ['POST /api/memory/consolidate/conversations agent_id', 'agent'],
]

test.each(queries)('%s: a query answers for somebody else’s thing as for a missing one', async (title, kind, more) => {
  const [method, path, name = ''] = title.split(' ')
  const endpoint = endpoints.find((one) => one.method === method && one.path === path) as Endpoint
  const answer = async (id: string) => {
    const response = await call(endpoint, host, { query: { ...more, [name]: id }, caller })
    return [response.status, (await response.text()).replaceAll(id, '')]
  }
  const missed = await answer('none_such')

  expect(missed[0]).toBe(method === 'GET' ? 200 : 422)
  expect(await answer(others[kind] ?? '')).toEqual(missed)
})

test('every change of a thing with references reads what it had', () => {
  const unread = endpoints.filter(
    ({ method, path, body }) =>
      ['PUT', 'PATCH'].includes(method) && fields.some(({ title, schema }) => schema === body && title.includes(path)),
  )
  expect(unread.length).toBeGreaterThan(15)
  expect(unread.filter((endpoint) => !endpoint.keeps_references).map(({ path }) => path)).toEqual([])
})

test('a reference whose kind is not listed for the value of its member is none', async () => {
  const schema = z.object({ kind: z.string(), id: referenceBy('kind', { job: 'job' }) })
  const context = { ...contextOf(new Request('http://127.0.0.1/'), host, peer), caller }
  await checkReferences(context, schema, { kind: 'global', id: 'none_such' })
  await expect(checkReferences(context, schema, { kind: 'job', id: 'none_such' })).rejects.toThrow('id must be')
})
