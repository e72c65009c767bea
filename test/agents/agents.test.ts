import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import {
  archetypes,
  create,
  duplicate,
  exportOne,
  importOne,
  list,
  remove,
  show,
  stats,
  tools,
  update,
} from '../../handlers/agents/agents.ts'
import { Agent } from '../../runtime/tools/agent.ts'
import { call } from '../support/call.ts'
import { chat } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'

async function make(host: MemoryHost, body: object): Promise<Agent> {
  const response = await call(create, host, { body })
  expect(response.status).toBe(201)
  return Agent.parse(await response.json())
}

const change = (host: MemoryHost, id: string, body: object) => call(update, host, { params: { id }, body })
const read = async (host: MemoryHost, id: string) =>
  Agent.parse(await (await call(show, host, { params: { id } })).json())
const all = async (host: MemoryHost): Promise<{ agents: Agent[]; count: number }> => (await call(list, host)).json()

test('an agent needs a name and has defaults for everything else', async () => {
  const host = await testHost()
  const agent = await make(host, { name: ' Cook ' })

  expect(agent).toMatchObject({
    name: 'Cook',
    enabled: true,
    is_default: false,
    max_steps: 50,
    execution_mode: 'approval_required',
    tools: { allow: ['*'], deny: [] },
    model: { provider: null, model: null, fallbacks: [] },
    memory: { enabled: true, scope: 'own', capture: true, recall_limit: 5 },
    mcp_servers: [],
  })
  expect(host.events).toEqual(['agent.created'])
  expect((await call(create, host, { body: {} })).status).toBe(422)
})

test('the default agent exists from the start, is listed first, and cannot be deleted', async () => {
  const host = await testHost()
  await make(host, { name: 'Cook' })
  const { agents, count } = await all(host)
  const [first] = agents
  expect([count, first?.is_default]).toEqual([2, true])

  const id = first?.id ?? ''
  expect((await call(remove, host, { params: { id } })).status).toBe(409)
  expect((await change(host, id, { is_default: false })).status).toBe(409)
  expect((await change(host, id, { enabled: false })).status).toBe(409)
})

test('another agent replaces the default', async () => {
  const host = await testHost()
  const [old] = (await all(host)).agents
  const { id } = await make(host, { name: 'Cook' })
  expect((await change(host, id, { is_default: true })).status).toBe(200)

  expect((await all(host)).agents.map((agent) => [agent.id, agent.is_default])).toEqual([
    [id, true],
    [old?.id, false],
  ])
  const gone = await call(remove, host, { params: { id: old?.id ?? '' } })
  expect(await gone.json()).toEqual({ deleted: true, id: old?.id })
})

test('changes keep the fields that they do not set, even when they are concurrent', async () => {
  const host = await testHost()
  const { id } = await make(host, { name: 'Cook', description: 'Cooks', avatar: 'pan' })
  const bodies = [{ name: 'Chef' }, { temperature: 0.5 }, { max_steps: 7 }, { avatar: 'pot' }, { enabled: false }]
  const answers = await Promise.all(bodies.map((body) => change(host, id, body)))

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(await read(host, id)).toMatchObject({ ...Object.assign({}, ...bodies), description: 'Cooks' })
})

test('changing an agent while another becomes the default does not undo that', async () => {
  const host = await testHost()
  const [old] = (await all(host)).agents
  const { id } = await make(host, { name: 'Cook' })
  const answers = await Promise.all([
    change(host, id, { is_default: true }),
    change(host, old?.id ?? '', { description: 'Once the default' }),
  ])

  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(await read(host, old?.id ?? '')).toMatchObject({
    is_default: false,
    description: 'Once the default',
  })
  expect(await read(host, id)).toMatchObject({ is_default: true })
})

test('a copy has its own name and is never the default', async () => {
  const host = await testHost()
  const [original] = (await all(host)).agents
  const params = { id: original?.id ?? '' }
  const names: string[] = []
  for (let count = 0; count < 3; count += 1) {
    const copy = Agent.parse(await (await call(duplicate, host, { params })).json())
    expect(copy.is_default).toBe(false)
    names.push(copy.name)
  }
  expect(names).toEqual(['Hearth (copy)', 'Hearth (copy 2)', 'Hearth (copy 3)'])
})

test('an exported agent can be imported, without its id and its tool servers', async () => {
  const host = await testHost()
  const agent = await make(host, { name: 'Cook', mcp_servers: ['*'], max_steps: 9 })
  const file = await (await call(exportOne, host, { params: { id: agent.id } })).json()
  expect(JSON.stringify(file)).not.toContain(agent.id)

  const response = await call(importOne, host, { body: file })
  const imported = Agent.parse(await response.json())
  expect(response.status).toBe(201)
  expect(imported).toMatchObject({ name: 'Cook', max_steps: 9, mcp_servers: [], is_default: false })
  expect(imported.id).not.toBe(agent.id)
  expect((await call(importOne, host, { body: { ...file, version: 2 } })).status).toBe(422)
})

test('an agent can start from an expert; its own prompt takes precedence', async () => {
  const host = await testHost()
  const { archetypes: experts } = await (await call(archetypes, host)).json()
  expect(experts.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining(['researcher', 'engineer', 'writer', 'analyst', 'operator', 'assistant']),
  )
  const researcher = await make(host, { name: 'R', archetype: 'researcher' })
  expect(researcher.system_prompt).toContain('researcher')
  expect(await make(host, { name: 'S', archetype: 'researcher', system_prompt: 'Mine' })).toMatchObject({
    system_prompt: 'Mine',
  })
  expect((await call(create, host, { body: { name: 'T', archetype: 'wizard' } })).status).toBe(422)
  const wizard = { params: { id: researcher.id }, body: { archetype: 'wizard' } }
  expect((await call(update, host, wizard)).status).toBe(422)
})

test('stats count what an agent has done', async () => {
  const host = await testHost({ models: scriptedModels(text('Hello'), [new Error('broken')]) })
  const [agent] = (await all(host)).agents
  await chat(host, { message: 'Hi' })
  await chat(host, { message: 'Hi again' })
  const counted = await (await call(stats, host, { params: { id: agent?.id ?? '' } })).json()

  expect(counted).toMatchObject({
    conversations: 2,
    messages: 4,
    turns: 2,
    failed_turns: 1,
    input_tokens: 10,
  })
})

test('an unknown agent is a 404 everywhere', async () => {
  const host = await testHost()
  const params = { id: 'agent_none' }
  const answers = await Promise.all([
    ...[show, remove, duplicate, stats, exportOne].map((endpoint) => call(endpoint, host, { params })),
    change(host, 'agent_none', { name: 'X' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
})

test('lists every tool that an agent may be allowed, with its purpose and source', async () => {
  const host = await testHost()
  const { tools: listed, count } = await (await call(tools, host)).json()
  expect(count).toBe(listed.length)
  const names = listed.map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(['web_fetch', 'files', 'memory_search', 'skill']))
  expect(new Set(names).size).toBe(names.length)
  expect(listed).toContainEqual(expect.objectContaining({ name: 'web_fetch', source: 'built-in' }))
  expect(listed).toContainEqual(expect.objectContaining({ name: 'skill', source: 'skill' }))
  for (const { summary } of listed) expect(summary).toMatch(/^\S.*[.!?:;]$/s)
})
