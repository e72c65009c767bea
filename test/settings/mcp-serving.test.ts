import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { serve as send } from '../../handlers/settings/mcp.ts'
import { createKey, revokeKey } from '../../runtime/auth/keys.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { NewKey } from '../../runtime/auth/schema.ts'
import { call } from '../support/call.ts'
import { type TestDaemon, testDaemon } from '../support/daemon.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

let daemon: TestDaemon
const ids: Record<string, string> = {}
const keys: Record<string, string> = {}

beforeAll(async () => {
  daemon = await testDaemon()
  for (const scopes of [['admin'], ['read', 'write'], ['read'], ['write']] as const) {
    const name = scopes.join('+')
    const issued = await createKey(localContext(daemon.host), NewKey.parse({ name, scopes: [...scopes] }))
    keys[name] = issued.key
    ids[name] = issued.id
  }
})

afterAll(() => daemon.close())

/** The official client, connected to a real daemon. */
async function clientWith(key: string | undefined): Promise<Client> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const transport = new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`), {
    requestInit: { headers },
  })
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(transport as Transport)
  return client
}

interface Called {
  isError?: boolean
  content: { text: string }[]
  structuredContent?: Record<string, unknown>
}

const callTool = async (client: Client, name: string, input: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: input })) as unknown as Called

test('an official client lists the tools and calls them', async () => {
  const client = await clientWith(keys.admin)
  expect(client.getServerVersion()).toMatchObject({ name: 'hearthd' })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'list_agents',
    'chat',
    'read_conversation',
    'memory_search',
    'memory_save',
    'list_approvals',
  ])
  expect(tools.find(({ name }) => name === 'chat')?.inputSchema).toMatchObject({ required: ['message'] })

  const { structuredContent: agents } = await callTool(client, 'list_agents')
  expect(agents).toMatchObject({ agents: [{ name: 'Hearth', is_default: true }] })
  const { structuredContent: saved } = await callTool(client, 'memory_save', {
    content: 'Ada likes green tea.',
  })
  expect(saved?.id).toMatch(/^ep_/)
  const { structuredContent: found } = await callTool(client, 'memory_search', { query: 'tea' })
  expect(found).toMatchObject({ results: [{ content: 'Ada likes green tea.', trust: 'agent' }], total: 1 })
  const { structuredContent: approvals } = await callTool(client, 'list_approvals')
  expect(approvals).toEqual({ approvals: [], total: 0 })
})

test('a chat waits for the answer, and can be continued', async () => {
  const client = await clientWith(keys['read+write'])
  const first = await callTool(client, 'chat', { message: 'What is 17 * 3?' })
  expect(first.structuredContent).toMatchObject({ status: 'complete', answer: expect.stringContaining('51') })
  const { conversation_id } = first.structuredContent as { conversation_id: string }
  await callTool(client, 'chat', { message: 'What is 2 + 2?', conversation_id })
  const { structuredContent: read } = await callTool(client, 'read_conversation', { conversation_id })
  expect(read).toMatchObject({
    status: 'idle',
    messages: [{ role: 'user' }, {}, { content: 'What is 2 + 2?' }, {}],
  })
})

test('what an agent does in the meantime is reported as progress', async () => {
  const client = await clientWith(keys.admin)
  const steps: (string | undefined)[] = []
  const message = 'Remember that my sister is called Grace'
  await client.callTool({ name: 'chat', arguments: { message } }, undefined, {
    onprogress: (progress) => steps.push(progress.message),
  })
  expect(steps[0]).toMatch(/^Remember: /)
})

test('a read credential sees and calls read-only tools only', async () => {
  const client = await clientWith(keys.read)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['list_agents', 'read_conversation', 'memory_search', 'list_approvals'])
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
  await expect(callTool(client, 'memory_save', { content: 'x' })).rejects.toThrow('no tool memory_save')
  await expect(callTool(client, 'chat', { message: 'x' })).rejects.toThrow('no tool chat')
})

test.each([
  ['no credential', () => undefined, '401'],
  ['an unknown credential', () => `svc_${'0'.repeat(64)}`, '401'],
  ['a credential that may not read', () => keys.write, 'scope read'],
])('%s is refused', async (_, key, reason) => {
  await expect(clientWith(key())).rejects.toThrow(reason === '401' ? /Authorization|API key/ : reason)
})

test('a refusal of a tool is a readable result', async () => {
  const client = await clientWith(keys.admin)
  const missing = await callTool(client, 'chat', { message: 'x', conversation_id: 'conv_none' })
  expect(missing).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('not_found') }] })
  const wrong = await callTool(client, 'memory_search', { query: 7 })
  expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('query') }] })
})

test('revoking a credential ends its open call', async () => {
  const { id, key } = await createKey(localContext(daemon.host), NewKey.parse({ name: 'short', scopes: ['admin'] }))
  const response = await fetch(`${daemon.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'chat', arguments: { message: 'Write an essay', agent_id: await slowAgent() } },
    }),
  })
  expect(response.status).toBe(200)
  await revokeKey(localContext(daemon.host), id)
  expect(await response.text()).not.toContain('"result"')
})

/** An agent whose model never answers. */
async function slowAgent(): Promise<string> {
  const { createServer } = await import('node:http')
  const server = createServer(() => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const headers = { authorization: `Bearer ${keys.admin}`, 'content-type': 'application/json' }
  const put = { base_url: `http://127.0.0.1:${port}`, default_model: 'slow' }
  await fetch(`${daemon.url}/api/providers/ollama/key`, { method: 'PUT', headers, body: JSON.stringify(put) })
  const agent = { name: 'Slow', model: { provider: 'ollama', model: 'slow' } }
  const made = await fetch(`${daemon.url}/api/agents`, {
    method: 'POST',
    headers,
    body: JSON.stringify(agent),
  })
  return ((await made.json()) as { id: string }).id
}

describe('the wire', () => {
  const accept = { accept: 'application/json, text/event-stream' }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

  test('needs no initialisation, because every request is independent', async () => {
    const response = await call(send, await testHost(), { body: list, headers: accept })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toContain('"name":"memory_search"')
  })

  test.each([
    ['something else than JSON-RPC', { hello: 1 }, accept, 422],
    ['a message that is none', { jsonrpc: '2.0' }, accept, 400],
    ['a client that takes no streams', list, { accept: 'application/json' }, 406],
    ['a version from the future', list, { ...accept, 'mcp-protocol-version': '2999-01-01' }, 400],
  ])('%s is refused in our own shape', async (_, body, headers, status) => {
    const response = await call(send, await testHost(), { body, headers })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      error: expect.any(String),
      message: expect.any(String),
      status,
    })
  })

  test('a notification is accepted without a response', async () => {
    const body = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await call(send, await testHost(), { body, headers: accept })).status).toBe(202)
  })

  test('an agent that asks for approval ends the wait with its question', async () => {
    const models = scriptedModels(toolCall('http_request', { method: 'POST', url: 'https://example.com' }))
    const host = await testHost({ models })
    const body = {
      ...list,
      method: 'tools/call',
      params: { name: 'chat', arguments: { message: 'Post it' } },
    }
    const response = await call(send, host, { body, headers: accept })
    const [stream] = await Promise.all([response.text(), workOff(host)])
    const { result } = JSON.parse(stream.match(/^data: (.*)$/m)?.[1] ?? '')
    expect(result.structuredContent).toMatchObject({
      status: 'waiting_approval',
      approvals: [{ tool: 'http_request', status: 'pending', risk: 'high' }],
    })
    expect(host.process.connections.size).toBe(0)
  })
})
