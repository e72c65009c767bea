import { beforeEach, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as conversations from '../../handlers/chat/conversations.ts'
import * as jobs from '../../handlers/scheduler/jobs.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { registerUser } from '../../runtime/auth/users.ts'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { exposedTools } from '../../runtime/workflows/tool.ts'
import { type CallOptions, call } from '../support/call.ts'
import { adminCaller, setUpAdmin, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { drawn } from './kit.ts'

let host: MemoryHost
let ann: Caller
let ben: Caller

beforeEach(async () => {
  host = await testHost()
  await setUpAdmin(host)
  const join = async (username: string): Promise<Caller> => {
    const given = { username, password: 'ten characters', role: 'user' as const }
    const { id } = await registerUser(localContext(host), given)
    return { ...adminCaller, user_id: id, owner_id: id, role: 'user', scopes: ['read', 'write', 'approve'] }
  }
  ann = await join('ann')
  ben = await join('ben')
})

async function ask(caller: Caller, endpoint: Endpoint, options: CallOptions = {}) {
  const response = await call(endpoint, host, { ...options, caller })
  return { status: response.status, body: await response.json() }
}

/** Ann's workflow, which Ben may run. */
async function shared(nodes: Parameters<typeof drawn>[0], arrows: string[], settings = {}): Promise<string> {
  const { body } = await ask(ann, workflows.create, { body: drawn(nodes, arrows, { settings }) })
  const params = { id: body.id }
  const change = await ask(ann, workflows.update, { params, body: { shared_with: [ben.user_id] } })
  expect(change.status).toBe(200)
  return body.id
}

const start = { type: 'trigger.manual' }
const wait = { type: 'delay', params: { seconds: 3_600 } }
const report = { type: 'notify', params: { message: 'It has ended' } }
const titles = async (caller: Caller) =>
  (await ask(caller, conversations.list)).body.conversations.map(({ title }: { title: string }) => title)

test('a reader runs a shared workflow as themselves, and notifies nobody else', async () => {
  const id = await shared({ start, report }, ['start → report'])
  for (const caller of [ann, ben]) {
    const { status, body } = await ask(caller, workflows.show, { params: { id } })
    expect({ status, owner: body.owner_id }).toEqual({ status: 200, owner: ann.user_id })
    expect((await ask(caller, executions.execute, { params: { id }, body: {} })).status).toBe(202)
    await workOff(host)
  }
  const runs = await ask(ben, executions.executions, { params: { id } })
  expect(runs.body).toMatchObject({ total: 1, executions: [{ status: 'succeeded' }] })
  expect(await titles(ann)).toEqual(['Test'])
  expect(await titles(ben)).toEqual(['Test'])
  expect((await ask(ben, workflows.update, { params: { id }, body: { name: 'Mine' } })).status).toBe(404)
  expect((await ask(ben, workflows.triggers, { params: { id } })).status).toBe(404)
})

test.each(['deleted', 'restarted'])(
  "a reader's execution stays theirs when a shared workflow that it waits for is %s",
  async (how) => {
    const id = await shared({ start, wait }, ['start → wait'], { mode: 'restart' })
    const sub = { type: 'sub_workflow', on_error: 'error_output', params: { workflow_id: id } }
    const own = drawn({ start, sub, report }, ['start → sub', 'sub:error → report'], { name: 'Of Ben' })
    const { body } = await ask(ben, workflows.create, { body: own })
    await ask(ben, executions.execute, { params: { id: body.id }, body: {} })
    await workOff(host)
    if (how === 'deleted') await ask(ann, workflows.remove, { params: { id } })
    else await ask(ann, executions.execute, { params: { id }, body: {} })
    await workOff(host)
    expect(await titles(ann)).toEqual([])
    expect(await titles(ben)).toEqual(['Of Ben'])
  },
)

test('a job of a reader runs a shared workflow', async () => {
  const id = await shared({ start }, [])
  const schedule = { type: 'every', interval: 3600 }
  const job = { name: 'Run', goal: 'Run', schedule, target: { kind: 'workflow', id } }
  expect((await ask(ben, jobs.create, { body: job })).status).toBe(201)
  await host.clock.advance(3_600_000)
  await workOff(host)
  const { body } = await ask(ben, executions.executions, { params: { id } })
  expect(body.executions).toMatchObject([{ trigger: 'schedule', status: 'succeeded' }])
})

test('only its owner has a workflow as a tool, however many may run it', async () => {
  await shared({ start }, [], { expose_as_tool: true })
  const names = async (caller: Caller) => (await exposedTools({ sql: host.sql, caller })).map(({ name }) => name)
  expect(await names(ann)).toEqual(['workflow_test'])
  expect(await names(ben)).toEqual([])
})
