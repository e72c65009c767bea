import { existsSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { pauseBefore } from '../../../adapters/mcp/link.ts'
import { type ServerCall, ToolServerError } from '../../../runtime/ports/tool-servers.ts'
import { overStdio } from '../../fixtures/mcp/everything.ts'
import { changeableServer, isRunning, testToolServers } from '../../support/tool-servers.ts'

const { signal } = new AbortController()
const patient = { timeout: 60_000 }
const callOf = (name: string, input: Record<string, unknown> = {}, own: Partial<ServerCall> = {}): ServerCall => ({
  name,
  input,
  timeout_seconds: 20,
  signal,
  onProgress: () => undefined,
  ...own,
})

const stdio = (server: { command: string; args: string[] }, env: Record<string, string> = {}) => ({
  transport: 'stdio' as const,
  command: server.command,
  args: server.args,
  env,
})

test('the official example server lists its tools, answers, reports progress and refuses', async () => {
  const servers = testToolServers()
  const tools = await servers.connect('mcp_1', overStdio(), { signal })
  expect(servers.status('mcp_1')).toMatchObject({ state: 'connected', last_error: null, attempts: 0 })
  const echo = tools.find(({ name }) => name === 'echo')
  expect(echo).toMatchObject({
    description: expect.stringContaining('Echoes'),
    read_only: true,
    destructive: false,
  })
  expect(echo?.input_schema).toMatchObject({ type: 'object', required: ['message'] })

  expect(await servers.call('mcp_1', callOf('echo', { message: 'hello' }))).toEqual({
    text: 'Echo: hello',
    structured: null,
    is_error: false,
  })
  const steps: string[] = []
  const long = callOf(
    'trigger-long-running-operation',
    { duration: 0.3, steps: 3 },
    { onProgress: (s) => steps.push(s) },
  )
  expect((await servers.call('mcp_1', long)).text).toContain('completed')
  expect(steps.slice(0, 2)).toEqual(['1/3', '2/3'])

  expect(await servers.call('mcp_1', callOf('echo', {}))).toMatchObject({
    is_error: true,
    text: expect.stringContaining('message'),
  })
  expect((await servers.call('mcp_1', callOf('get-tiny-image'))).text).toMatch(/\[image image\/png, \d+ bytes\]/)
  expect(
    (await servers.call('mcp_1', callOf('get-structured-content', { location: 'Chicago' }))).structured,
  ).toMatchObject({
    conditions: expect.any(String),
  })
})

test('a process sees PATH, HOME and its configured variables, and its secrets are never returned', async () => {
  const servers = testToolServers()
  process.env.OF_THE_DAEMON = 'canary-daemon'
  await servers.connect('mcp_1', overStdio({ API_TOKEN: 'canary-token', FOLDER: '/home/ada/notes' }), {
    signal,
  })
  const { text } = await servers.call('mcp_1', callOf('get-env'))
  delete process.env.OF_THE_DAEMON
  const names = Object.keys(JSON.parse(text)).toSorted()
  expect(names).toEqual(['API_TOKEN', 'FOLDER', 'HOME', 'PATH'])
  expect(JSON.parse(text)).toMatchObject({ API_TOKEN: '•••', FOLDER: '/home/ada/notes' })
})

test('secrets are masked in errors, in the error output and in the log', async () => {
  const servers = testToolServers()
  const server = changeableServer([
    { name: 'complain', description: 'x' },
    { name: 'crash', description: 'x' },
  ])
  await servers.connect('mcp_1', stdio(server, { API_TOKEN: 'canary-token' }), { signal })
  expect(await servers.call('mcp_1', callOf('complain'))).toMatchObject({
    is_error: true,
    text: 'refused with •••',
  })
  await vi.waitFor(() => expect(servers.status('mcp_1').stderr).toContain('token ••• is bad'), patient)
  await expect(servers.call('mcp_1', callOf('crash'))).rejects.toThrow(ToolServerError)
  const told = JSON.stringify([servers.status('mcp_1'), servers.log.lines])
  expect(told).toContain('•••')
  expect(told).not.toContain('canary')
})

test.each([
  ['is not there', { command: 'no-such-program-here', args: [] }, 'no-such-program-here is not installed here'],
  [
    'ends at once',
    { command: process.execPath, args: ['-e', 'console.error("boom"); process.exit(3)'] },
    'It exited with code 3: boom',
  ],
])('a program that %s says so, and is not tried again by itself', async (_, program, reason) => {
  const servers = testToolServers()
  await expect(servers.connect('mcp_1', stdio(program), { signal })).rejects.toThrow(reason)
  expect(servers.status('mcp_1')).toMatchObject({ state: 'failed', last_error: reason, next_try_at: null })
  expect(servers.clock.waiting).toBe(0)
})

test('no shell is involved', async () => {
  const servers = testToolServers()
  const server = changeableServer([])
  const args = [...server.args, `; touch ${server.file}.shell`, `$(touch ${server.file}.shell)`]
  await servers.connect('mcp_1', stdio({ ...server, args }), { signal })
  expect(existsSync(`${server.file}.shell`)).toBe(false)
})

test('a crash ends the call, and the server restarts after increasing delays', async () => {
  const servers = testToolServers()
  const server = changeableServer([
    { name: 'crash', description: 'x' },
    { name: 'say', description: 'x' },
  ])
  await servers.connect('mcp_1', stdio(server), { signal })
  const first = server.pid()
  await expect(servers.call('mcp_1', callOf('crash'))).rejects.toThrow('exited with code 7')
  expect(servers.status('mcp_1')).toMatchObject({
    state: 'restarting',
    attempts: 1,
    last_error: 'It exited with code 7',
  })
  expect(servers.tools('mcp_1')).toBeNull()
  expect(servers.status('mcp_1').next_try_at).toBe(servers.clock.now() + 1_000)

  await servers.clock.advance(999)
  expect(servers.status('mcp_1').state).toBe('restarting')
  await servers.clock.advance(1)
  await vi.waitFor(() => expect(servers.status('mcp_1').state).toBe('connected'), patient)
  expect(server.pid()).not.toBe(first)
  expect((await servers.call('mcp_1', callOf('say', { a: 1 }))).text).toBe('{"a":1}')

  await expect(servers.call('mcp_1', callOf('crash'))).rejects.toThrow('exited with code 7')
  expect(servers.status('mcp_1').next_try_at).toBe(servers.clock.now() + 2_000)
})

test('a server that was stable for a while restarts with a short delay again', async () => {
  const servers = testToolServers()
  const server = changeableServer([{ name: 'crash', description: 'x' }])
  await servers.connect('mcp_1', stdio(server), { signal })
  for (const attempts of [1, 1]) {
    await servers.clock.advance(61_000)
    await expect(servers.call('mcp_1', callOf('crash'))).rejects.toThrow()
    expect(servers.status('mcp_1').attempts).toBe(attempts)
    await servers.clock.advance(1_000)
    await vi.waitFor(() => expect(servers.status('mcp_1').state).toBe('connected'), patient)
  }
})

test('the delays double up to a minute', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 10].map(pauseBefore)).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((s) => s * 1_000))
})

test('a call during a delay does not wait for its end', async () => {
  const servers = testToolServers()
  const server = changeableServer([
    { name: 'crash', description: 'x' },
    { name: 'say', description: 'x' },
  ])
  await servers.connect('mcp_1', stdio(server), { signal })
  await expect(servers.call('mcp_1', callOf('crash'))).rejects.toThrow()
  expect((await servers.call('mcp_1', callOf('say'))).is_error).toBe(false)
  expect(servers.status('mcp_1').state).toBe('connected')
})

test('an aborted call is cancelled on the server', async () => {
  const servers = testToolServers()
  const server = changeableServer([{ name: 'hang', description: 'x' }])
  await servers.connect('mcp_1', stdio(server), { signal })
  const abort = new AbortController()
  const call = servers.call('mcp_1', callOf('hang', {}, { signal: abort.signal }))
  await vi.waitFor(() => expect(existsSync(`${server.file}.begun`)).toBe(true), patient)
  abort.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  await vi.waitFor(() => expect(existsSync(`${server.file}.cancelled`)).toBe(true), patient)
  expect(servers.status('mcp_1').state).toBe('connected')
})

test('a call that takes too long is abandoned', async () => {
  const servers = testToolServers()
  const server = changeableServer([{ name: 'hang', description: 'x' }])
  await servers.connect('mcp_1', stdio(server), { signal })
  const call = servers.call('mcp_1', callOf('hang', {}, { timeout_seconds: 1 }))
  await vi.waitFor(() => expect(existsSync(`${server.file}.begun`)).toBe(true), patient)
  await Promise.all([expect(call).rejects.toThrow('did not answer in time'), servers.clock.advance(1_000)])
  expect(servers.status('mcp_1').state).toBe('connected')
})

test('processes started by a server end with it', async () => {
  const servers = testToolServers()
  const server = changeableServer([])
  const script = 'require("child_process").spawn(process.execPath, process.argv.slice(1), { stdio: "inherit" })'
  await servers.connect('mcp_1', stdio({ command: process.execPath, args: ['-e', script, ...server.args] }), {
    signal,
  })
  const pid = server.pid()
  expect(isRunning(pid)).toBe(true)
  await servers.disconnect('mcp_1')
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), patient)
  expect(servers.status('mcp_1').state).toBe('idle')
})

test('a server that announces a change is asked for its tools again', async () => {
  const servers = testToolServers()
  const server = changeableServer([{ name: 'announce', description: 'old words' }])
  await servers.connect('mcp_1', stdio(server), { signal })
  server.describe([{ name: 'announce', description: 'new words' }])
  await servers.call('mcp_1', callOf('announce'))
  await vi.waitFor(() => expect(servers.tools('mcp_1')?.[0]?.description).toBe('new words'), patient)
})

test('concurrent callers share one process', async () => {
  const servers = testToolServers()
  const server = changeableServer([{ name: 'say', description: 'x' }])
  await Promise.all([1, 2, 3].map(() => servers.connect('mcp_1', stdio(server), { signal })))
  const pid = server.pid()
  await servers.connect('mcp_1', stdio(server), { signal })
  expect(server.pid()).toBe(pid)
})

test('a flood of changed tools is listed once, and once more a second later', async () => {
  const servers = testToolServers()
  const program = changeableServer([
    { name: 'flood', description: 'x' },
    { name: 'lists', description: 'x' },
  ])
  await servers.connect('mcp_1', stdio(program), { signal })
  const lists = async () => Number((await servers.call('mcp_1', callOf('lists'))).text)
  expect(await lists()).toBe(1)
  await servers.call('mcp_1', callOf('flood'))
  await expect.poll(lists, patient).toBe(2)
  await servers.clock.advance(1_000)
  await expect.poll(lists, patient).toBe(3)
  await servers.clock.advance(10_000)
  expect(await lists()).toBe(3)
})
