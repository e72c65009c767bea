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
      expect(await response.text()).toMatch(/_id|\.id|_x|scope|attachments|jobs/)
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
