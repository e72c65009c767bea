import { expect, onTestFinished, test, vi } from 'vitest'
import type { ServerCall, ToolServerAddress } from '../../../runtime/ports/tool-servers.ts'
import { type EverythingServer, serveEverything } from '../../fixtures/mcp/everything.ts'
import { testToolServers } from '../../support/tool-servers.ts'

const { signal } = new AbortController()
const transports = ['http', 'sse'] as const
const patient = { timeout: 60_000 }
const callOf = (name: string, input: Record<string, unknown>, own: Partial<ServerCall> = {}): ServerCall => ({
  name,
  input,
  timeout_seconds: 20,
  signal,
  onProgress: () => undefined,
  ...own,
})

async function running(): Promise<EverythingServer> {
  const server = await serveEverything()
  onTestFinished(() => server.close())
  return server
}

const at = (server: EverythingServer, transport: 'http' | 'sse', headers = {}): ToolServerAddress => ({
  transport,
  url: `${server.origin}/${transport === 'http' ? 'mcp' : 'sse'}`,
  headers,
})

test.each(transports)(
  'over %s the official example server lists its tools, answers and reports progress',
  async (transport) => {
    const server = await running()
    const servers = testToolServers()
    const address = at(server, transport, { Authorization: 'Bearer canary-token' })
    const tools = await servers.connect('mcp_1', address, { signal })
    expect(tools.map(({ name }) => name)).toContain('get-sum')
    expect((await servers.call('mcp_1', callOf('get-sum', { a: 2, b: 3 }))).text).toContain('5')
    const steps: string[] = []
    const input = { duration: 0.3, steps: 3 }
    const own = { onProgress: (step: string) => steps.push(step) }
    await servers.call('mcp_1', callOf('trigger-long-running-operation', input, own))
    expect(steps.slice(0, 2)).toEqual(['1/3', '2/3'])
    expect(await servers.call('mcp_1', callOf('get-sum', { a: 'x' }))).toMatchObject({ is_error: true })
    expect(server.seen.every(({ authorization }) => authorization === 'Bearer canary-token')).toBe(true)
  },
)

test('a server that has forgotten the session is initialised again, and the call is made once', async () => {
  const server = await running()
  const servers = testToolServers()
  await servers.connect('mcp_1', at(server, 'http'), { signal })
  server.forget()
  expect((await servers.call('mcp_1', callOf('echo', { message: 'again' }))).text).toBe('Echo: again')
  expect(servers.status('mcp_1').state).toBe('connected')
})

test('a broken event stream is reopened after a pause', async () => {
  const server = await running()
  const servers = testToolServers()
  await servers.connect('mcp_1', at(server, 'sse'), { signal })
  server.cut()
  await vi.waitFor(() => expect(servers.status('mcp_1').state).toBe('restarting'), patient)
  await servers.clock.advance(1_000)
  await vi.waitFor(() => expect(servers.status('mcp_1').state).toBe('connected'), patient)
  expect((await servers.call('mcp_1', callOf('echo', { message: 'back' }))).text).toBe('Echo: back')
})

test.each(transports)('over %s an unreachable address is reported in one sentence', async (transport) => {
  const server = await running()
  const servers = testToolServers()
  const address = at(server, transport)
  await server.close()
  await expect(servers.connect('mcp_1', address, { signal })).rejects.toThrow(/ECONNREFUSED|fetch failed/)
  expect(servers.status('mcp_1').state).toBe('failed')
})

test('a call to a server that is gone fails, and the connection is retried', async () => {
  const server = await running()
  const servers = testToolServers()
  await servers.connect('mcp_1', at(server, 'http'), { signal })
  await server.close()
  await expect(servers.call('mcp_1', callOf('echo', { message: 'x' }))).rejects.toThrow('may or may not')
  expect(servers.status('mcp_1')).toMatchObject({ state: 'restarting', attempts: 1 })
})

test('a redirect to another private origin is not followed', async () => {
  const { createServer } = await import('node:http')
  const server = await running()
  const lure = createServer((_, response) => {
    response.writeHead(307, { location: `${server.origin}/mcp` }).end()
  })
  await new Promise<void>((resolve) => lure.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void lure.close())
  const { port } = lure.address() as { port: number }
  const servers = testToolServers()
  const address = { transport: 'http' as const, url: `http://127.0.0.1:${port}/mcp`, headers: {} }
  await expect(servers.connect('mcp_1', address, { signal })).rejects.toThrow()
  expect(server.seen).toEqual([])
})
