import { describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { endpoints } from '../support/endpoints.ts'
import { testHost } from '../support/host.ts'

/** A reference in a body to something that does not exist is refused: it would be stored and never apply. */

const schedule = { type: 'every', interval: 3600 }
const job = { name: 'x', goal: 'x', schedule }

/** Requests that are valid but for what they name, which does not exist. */
const requests: [string, object][] = [
  ['POST /api/memory/episodes', { content: 'x', agent_id: 'agent_x' }],
  ['POST /api/memory/generate-episodes', { agent_id: 'agent_x' }],
  ['POST /api/memory/consolidate/conversations', { agent_id: 'agent_x' }],
  ['POST /api/memory/backfill-entities', { agent_id: 'agent_x' }],
  ['POST /api/chat/conversations', { agent_id: 'agent_x' }],
  ['POST /api/chat/conversations', { project_id: 'proj_x' }],
  ['POST /api/chat/messages/stream', { message: 'x', agent_id: 'agent_x' }],
  ['POST /api/chat/messages/stream', { message: 'x', conversation_id: 'conv_x' }],
  ['POST /api/chat/messages/stream', { message: 'x', attachments: ['file_x'] }],
  ['POST /api/chat/messages/inject', { role: 'user', content: 'x', conversation_id: 'conv_x' }],
  ['POST /api/chat/messages/truncate', { conversation_id: 'conv_x', keep_last: 1 }],
  ['POST /api/chat/welcome', { agent_id: 'agent_x' }],
  ['POST /api/chat/welcome', { conversation_id: 'conv_x' }],
  ['POST /api/dispatcher/inject', { text: 'x', conversation_id: 'conv_x' }],
  ['POST /api/dispatcher/inject', { text: 'x', decision_id: 'dec_x' }],
  ['PUT /api/dispatcher/settings', { default_agent_id: 'agent_x' }],
  ['PUT /api/settings/agent', { default_agent_id: 'agent_x' }],
  ['POST /api/projects', { name: 'x', agent_id: 'agent_x' }],
  ['POST /api/scheduler/jobs', { ...job, agent_id: 'agent_x' }],
  ['POST /api/scheduler/jobs', { ...job, target: { kind: 'agent', id: 'agent_x' } }],
  ['POST /api/scheduler/jobs', { ...job, delivery: { channel: 'chan_x' } }],
  ['POST /api/scheduler/jobs', { ...job, model: 'nobody_x/m' }],
  ['PUT /api/settings/notifications', { channel_id: 'chan_x' }],
  ['POST /api/workflows', { name: 'x', settings: { error_workflow_id: 'wf_x' } }],
  ...[
    { type: 'agent', params: { agent_id: 'agent_x', prompt: 'x' } },
    { type: 'sub_workflow', params: { workflow_id: 'wf_x' } },
    { type: 'notify', params: { channel: 'channel', channel_id: 'chan_x', message: 'x' } },
    { type: 'device_command', params: { device_id: 'dev_x', command: 'notify' } },
  ].map((node): [string, object] => ['POST /api/workflows', { nodes: [{ id: 'n', name: 'n', ...node }] }]),
  ['POST /api/agents', { name: 'x', model: { provider: 'nobody_x' } }],
  ['POST /api/agents', { name: 'x', mcp_servers: ['server_x'] }],
  ['POST /api/agents', { name: 'x', skills: ['skill_x'] }],
  ['POST /api/agents', { name: 'x', tools: { deny: ['tool_x'] } }],
  ['POST /api/scheduler/chains', { name: 'x', jobs: ['job_x'], edges: [] }],
  ...['agent', 'job', 'conversation', 'loop', 'project', 'provider'].map((kind): [string, object] => [
    'POST /api/monitoring/budgets',
    { scope: { kind, id: 'x' }, window: 'day', limit_usd: 1 },
  ]),
]

const endpointOf = (title: string) => {
  const found = endpoints.find(({ method, path }) => `${method} ${path}` === title)
  if (!found) throw new Error(`there is no ${title}`)
  return found
}

describe('a reference to something that does not exist is refused', () => {
  test.each(requests.map(([title, body]) => [title, JSON.stringify(body), body] as const))(
    '%s %s',
    async (title, _, body) => {
      const response = await call(endpointOf(title), await testHost(), { body })
      expect([404, 422]).toContain(response.status)
      expect(await response.text()).toMatch(
        /_id|\.id|_x|scope|attachments|jobs|delivery|model|skills|tools|mcp_servers/,
      )
    },
  )

  test.each([
    ['/api/memory/episodes', { content: 'x' }, { agent_id: 'agent_x' }],
    ['/api/chat/conversations', {}, { agent_id: 'agent_x' }],
    ['/api/scheduler/jobs', job, { agent_id: 'agent_x' }],
  ] as const)('a change below %s', async (path, body, change) => {
    const host = await testHost()
    const made = await (await call(endpointOf(`POST ${path}`), host, { body })).json()
    const params = { id: made.id }
    expect((await call(endpointOf(`PUT ${path}/{id}`), host, { params, body: change })).status).toBe(422)
  })
})

test('a reference whose thing was deleted is kept by changes of other fields', async () => {
  const host = await testHost()
  const send = async (title: string, options: object) => call(endpointOf(title), host, options)
  const { id: agent } = await (await send('POST /api/agents', { body: { name: 'A' } })).json()
  const credentials = { secret: 'a secret of a channel' }
  const channel = await (await send('POST /api/channels', { body: { platform: 'webhook', credentials } })).json()
  const delivery = { channel: channel.id }
  const made = await (await send('POST /api/scheduler/jobs', { body: { ...job, agent_id: agent, delivery } })).json()
  await send('DELETE /api/channels/{id}', { params: { id: channel.id } })
  await send('DELETE /api/agents/{id}', { params: { id: agent } })
  const params = { id: made.id }
  expect((await send('GET /api/scheduler/jobs/{id}', { params })).status).toBe(200)
  const whole = { name: 'y', agent_id: agent, delivery }
  const changed = await send('PUT /api/scheduler/jobs/{id}', { params, body: whole })
  expect(await changed.json()).toMatchObject({ name: 'y', delivery: { channel: channel.id } })
  const other = { delivery: { channel: 'chan_x' } }
  expect((await send('PUT /api/scheduler/jobs/{id}', { params, body: other })).status).toBe(422)
})

test.each([
  ['/api/loops', { goal: 'x' }, { goal: 'y' }],
  ['/api/projects', { name: 'x' }, { name: 'y' }],
  ['/api/memory/episodes', { content: 'x' }, { content: 'y' }],
  ['/api/chat/conversations', {}, { title: 'y' }],
])('below %s, an agent that was deleted is no obstacle to other changes', async (path, body, change) => {
  const host = await testHost()
  const send = async (title: string, options: object) => call(endpointOf(title), host, options)
  const { id: agent_id } = await (await send('POST /api/agents', { body: { name: 'A' } })).json()
  const made = await (await send(`POST ${path}`, { body: { ...body, agent_id } })).json()
  await send('DELETE /api/agents/{id}', { params: { id: agent_id } })
  const params = { id: made.id }
  const changed = await send(`PUT ${path}/{id}`, { params, body: { ...change, agent_id } })

  expect(await changed.json()).toMatchObject({ ...change, agent_id })
  const other = { ...change, agent_id: 'agent_x' }
  expect((await send(`PUT ${path}/{id}`, { params, body: other })).status).toBe(422)
})

test('the settings of the dispatcher keep the agents that were deleted', async () => {
  const host = await testHost()
  const send = async (title: string, options: object) => call(endpointOf(title), host, options)
  const { id } = await (await send('POST /api/agents', { body: { name: 'A' } })).json()
  const rule = (target: string) => ({ match: 'equals', text: 'tea', intent: 'chat', target })
  const set = (body: object) => send('PUT /api/dispatcher/settings', { body })
  const body = { default_agent_id: id, rules: [rule(id)] }
  expect((await set(body)).status).toBe(200)
  await send('DELETE /api/agents/{id}', { params: { id } })
  const changed = await set({ ...body, default_agent_id: null })

  expect(await changed.json()).toMatchObject({ default_agent_id: null, rules: [{ target: id }] })
  expect((await set({ rules: [rule('agent_x')] })).status).toBe(422)
})

test.each([
  ['/api/loops', { goal: 'x' }, 'shared_with'],
  ['/api/projects', { name: 'x' }, 'shared_with'],
  ['/api/chat/conversations', {}, 'shared_with'],
  ['/api/agents', { name: 'x' }, 'users'],
])('below %s, a user who was deleted is no obstacle to other changes', async (path, body, field) => {
  const host = await testHost()
  const send = async (title: string, options: object) => call(endpointOf(title), host, options)
  const user = { username: 'ann', password: 'correct horse battery', role: 'user' }
  const { id: ann } = await (await send('POST /api/auth/register', { body: user })).json()
  const { id } = await (await send(`POST ${path}`, { body })).json()
  const set = (users: string[]) => send(`PUT ${path}/{id}`, { params: { id }, body: { [field]: users } })
  expect((await set([ann])).status).toBe(200)
  await send('DELETE /api/auth/users/{id}', { params: { id: ann } })

  expect((await set([ann])).status).toBe(200)
  expect((await set(['user_x'])).status).toBe(422)
})

test('an import skips members and agents with references to missing things, with the reason', async () => {
  const host = await testHost()
  const body = {
    ...{ format: 'hearthd.settings', version: 1 },
    sections: { notifications: { channel_id: 'chan_x', events: ['alert'] } },
    agents: [{ name: 'A', skills: ['skill_x'] }],
  }
  const answer = await (await call(endpointOf('POST /api/settings/import'), host, { body })).json()
  expect(answer.applied).toEqual(['sections.notifications.events'])
  expect(answer.skipped).toEqual([
    { key: 'sections.notifications.channel_id', reason: 'must be the id of a channel' },
    { key: 'agents.A', reason: 'skills.0 must be the name or id of a skill, or *' },
  ])
})
