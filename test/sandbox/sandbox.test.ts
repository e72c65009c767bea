import { beforeEach, expect, test } from 'vitest'
import { createFakeClock } from '../../adapters/memory/clock.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as containers from '../../handlers/sandbox/containers.ts'
import * as files from '../../handlers/sandbox/files.ts'
import * as sandboxEndpoints from '../../handlers/sandbox/sandbox.ts'
import { startUp } from '../../runtime/assemble.ts'
import { securitySettings } from '../../runtime/auth/security.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { type ContainerSpec, SandboxError } from '../../runtime/ports/sandbox.ts'
import type { Container } from '../../runtime/sandbox/schema.ts'
import { changeSection } from '../../runtime/sections/section.ts'
import { tick } from '../../runtime/tick.ts'
import { second } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { adminCaller, peer, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { type FakeEngine, fakeSandbox, stdout } from './kit.ts'

let host: MemoryHost
let engine: FakeEngine

beforeEach(async () => {
  const fake = fakeSandbox()
  engine = fake.engine
  host = await testHost({ sandbox: fake.sandbox })
})

const member = { ...adminCaller, scopes: ['read', 'write'] as const }

async function create(body: object = {}): Promise<Container> {
  const response = await call(containers.create, host, { body })
  expect(response.status).toBe(201)
  return response.json()
}

/** The events of a stream, as `event` and `data`. */
async function exec(id: string, body: object): Promise<[string, Record<string, unknown>][]> {
  const response = await call(containers.exec, host, { params: { id }, body })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event:'))
    .map((block) => [/event: (.*)/.exec(block)?.[1] ?? '', JSON.parse(/data: (.*)/.exec(block)?.[1] ?? '')])
}

test('creates a container with the strictest defaults, and announces it', async () => {
  const container = await create({ name: 'Tea' })

  expect(container).toMatchObject({
    name: 'Tea',
    status: 'running',
    backend: 'podman',
    network: 'none',
    memory_mb: 512,
  })
  expect(engine.containers.get(container.id)?.spec).toMatchObject({
    network: 'none',
    pids_limit: 128,
    cpu_limit: 1,
  })
  expect(host.events).toContain('container.created')
  expect(await (await call(containers.list, host)).json()).toMatchObject({
    total: 1,
    containers: [container],
  })
})

test.each([
  [{ memory_mb: 513 }, 'memory_mb'],
  [{ cpu_limit: 2 }, 'cpu_limit'],
  [{ pids_limit: 129 }, 'pids_limit'],
  [{ network: 'full' }, 'network'],
  [{ image: '../../etc' }, 'image'],
  [{ env: { 'A=B': 'x' } }, 'env'],
])('refuses more than the configuration allows: %j', async (body, path) => {
  const response = await call(containers.create, host, { body })

  expect(response.status).toBe(422)
  expect((await response.json()).issues[0].path).toContain(path)
  expect(engine.containers.size).toBe(0)
})

test.each([
  { privileged: true },
  { user: 'root' },
  { mounts: ['/:/host'] },
  { mounts: ['/var/run/docker.sock'] },
  { binds: ['/proc:/proc'] },
])('privileges and mounts cannot be asked for: %j', async (body) => {
  const [plain, asked] = [await create(), await create(body)]
  const specOf = ({ id }: Container) => ({ ...engine.containers.get(id)?.spec, name: '' })

  expect(JSON.stringify(specOf(asked)).replaceAll(asked.id, '')).toBe(
    JSON.stringify(specOf(plain)).replaceAll(plain.id, ''),
  )
})

test('only so many commands run at once, also if all come together', async () => {
  const { id } = await create()
  engine.script = async function* (_, signal) {
    yield stdout('up')
    await host.clock.after(1_000 * second, signal)
  }
  const run = () => call(containers.exec, host, { params: { id }, body: { command: 'sleep 100' } })
  const responses = await Promise.all(Array.from({ length: 20 }, run))

  expect(responses.filter(({ status }) => status === 200)).toHaveLength(16)
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(4)
  for (const { body } of responses) await body?.cancel()
})

test('only administrators choose another image and change the configuration', async () => {
  const own = await call(containers.create, host, {
    body: { image: 'alpine:3' },
    caller: { ...member, scopes: ['read', 'write'] },
  })
  const config = await call(sandboxEndpoints.updateConfig, host, {
    body: { network: 'full' },
    caller: { ...member, scopes: ['read', 'write'] },
  })

  expect([own.status, config.status]).toEqual([403, 403])
  expect((await create({ image: 'alpine:3' })).image).toBe('alpine:3')
})

test('a container obeys a configuration that was tightened since', async () => {
  await call(sandboxEndpoints.updateConfig, host, { body: { network: 'full' } })
  const { id } = await create()
  await call(sandboxEndpoints.updateConfig, host, { body: { network: 'none', memory_mb: 64 } })
  const removed: string[] = []
  const { remove } = engine
  engine.remove = (one) => remove.call(engine, one).then(() => void removed.push(one))
  await exec(id, { command: 'true' })
  await exec(id, { command: 'true' })

  const limits = { network: 'none', memory_mb: 64, cpu_limit: 1 }
  expect(engine.containers.get(id)?.spec).toMatchObject(limits)
  expect(await (await call(containers.show, host, { params: { id } })).json()).toMatchObject(limits)
  expect(removed).toEqual([id])
})

test('without a working engine everything is a 503 that says what to install', async () => {
  engine.state = { available: false, version: null, problem: 'There is no podman service' }
  const response = await call(containers.create, host, { body: {} })

  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({
    error: 'unsupported',
    message: expect.stringContaining('Install bubblewrap'),
  })
  expect(await (await call(sandboxEndpoints.status, host)).json()).toMatchObject({
    available: false,
    backend: null,
    problem: expect.stringContaining('Install bubblewrap'),
    engines: [{ backend: 'podman', available: false, problem: 'There is no podman service' }],
  })
})

test('a container that cannot be created leaves nothing', async () => {
  const response = await call(containers.create, host, { body: { image: 'missing:1' } })

  expect(response.status).toBe(503)
  expect((await response.json()).message).toContain('There is no image missing:1')
  expect(await (await call(containers.list, host)).json()).toMatchObject({ total: 0 })
})

test('streams the output of a command, its end, and logs it', async () => {
  const { id } = await create()
  engine.script = () => [
    stdout('te'),
    stdout('a'),
    { stream: 'stderr', bytes: new Uint8Array([0xc3]) },
    { stream: 'stderr', bytes: new Uint8Array([0xa4]) },
    { exit_code: 3 },
  ]
  const events = await exec(id, { command: 'make tea', stdin: 'water' })

  expect(events).toEqual([
    ['start', { exec_id: expect.any(String) }],
    ['output', { stream: 'stdout', text: 'te' }],
    ['output', { stream: 'stdout', text: 'a' }],
    ['output', { stream: 'stderr', text: 'ä' }],
    ['exit', expect.objectContaining({ exit_code: 3, error: null, truncated: false, timed_out: false })],
  ])
  expect(engine.commands[0]).toMatchObject({
    argv: ['sh', '-c', 'make tea'],
    workdir: '/workspace',
    timeout_seconds: 300,
  })
  expect(Buffer.from(engine.commands[0]?.stdin ?? [])).toEqual(Buffer.from('water'))
  expect(await (await call(containers.logs, host, { params: { id } })).json()).toMatchObject({
    total: 1,
    entries: [{ command: 'make tea', output: 'teaä', exit_code: 3 }],
  })
  expect(host.events).toContain('container.command.finished')
})

test('reports a command that ran too long', async () => {
  const { id } = await create()
  engine.script = async function* (_, signal) {
    yield stdout('waiting')
    await host.clock.after(1_000 * second, signal)
  }
  const running = exec(id, { command: 'sleep 100', timeout_seconds: 5 })
  await expect.poll(() => engine.commands.length).toBe(1)
  await host.clock.advance(5 * second)

  expect((await running).at(-1)).toEqual([
    'exit',
    expect.objectContaining({ exit_code: null, timed_out: true, error: 'The command ran longer than 5 s' }),
  ])
})

test('reports output that was cut', async () => {
  const { id } = await create()
  engine.script = () => [stdout('x'.repeat(1024 * 1024)), stdout('lost'), { exit_code: 0 }]
  const events = await exec(id, { command: 'yes' })

  expect(events.at(-1)?.[1]).toMatchObject({ exit_code: 0, truncated: true })
  expect(JSON.stringify(events)).not.toContain('lost')
})

test('ends a command whose workspace grows beyond its limit', async () => {
  await call(sandboxEndpoints.updateConfig, host, { body: { disk_mb: 1 } })
  const { id } = await create()
  engine.script = async function* (_, signal) {
    yield stdout('filling')
    await host.sandbox.files.write(id, 'big', new Uint8Array(2 * 1024 * 1024))
    await host.clock.after(1_000 * second, signal)
  }
  const running = exec(id, { command: 'fill' })
  await expect.poll(() => engine.commands.length).toBe(1)
  await host.clock.advance(2 * second)

  expect((await running).at(-1)?.[1]).toMatchObject({
    exit_code: null,
    error: expect.stringContaining('larger than 1 MB'),
  })
})

test('a caller who disconnects ends the command', async () => {
  const { id } = await create()
  const ended = Promise.withResolvers<void>()
  engine.script = async function* (_, signal) {
    signal.addEventListener('abort', () => ended.resolve())
    yield stdout('up')
    await host.clock.after(1_000 * second, signal)
  }
  const response = await call(containers.exec, host, { params: { id }, body: { command: 'sleep 100' } })
  const reader = response.body?.getReader()
  while (engine.commands.length === 0) await reader?.read()
  await reader?.cancel()

  await ended.promise
  await expect.poll(async () => (await (await call(containers.logs, host, { params: { id } })).json()).total).toBe(1)
})

test('blocked commands are refused, however they are spaced', async () => {
  const { id } = await create()
  const request = new Request('http://127.0.0.1:18781/')
  const context = { ...contextOf(request, host, peer), caller: adminCaller }
  await changeSection(context, securitySettings, { blocked_commands: ['rm -rf /'] })

  for (const command of ['rm -rf /', 'true && rm   -rf  /*', ['rm', '-rf', '/']]) {
    const response = await call(containers.exec, host, { params: { id }, body: { command } })
    expect(response.status).toBe(403)
  }
  expect(engine.commands).toEqual([])
  expect((await exec(id, { command: 'rm -r x' })).at(-1)?.[0]).toBe('exit')
})

test('starts, stops, stops when idle, and starts again for a command', async () => {
  const { id } = await create()
  const status = async () =>
    ((await (await call(containers.show, host, { params: { id } })).json()) as Container).status
  await call(containers.stop, host, { params: { id } })
  expect([await status(), engine.containers.get(id)?.running]).toEqual(['stopped', false])
  await exec(id, { command: 'true' })
  expect(await status()).toBe('running')

  await host.clock.advance(900 * second)
  await tick(host)
  await workOff(host)
  expect([await status(), engine.containers.get(id)?.running]).toEqual(['stopped', false])
})

test('deletes a container with its workspace; prune deletes the stopped ones', async () => {
  const [kept, stopped, deleted] = [await create(), await create(), await create()]
  await host.sandbox.files.write(deleted.id, 'tea.txt', new Uint8Array([1]))
  await call(containers.stop, host, { params: { id: stopped.id } })
  await call(containers.remove, host, { params: { id: deleted.id } })

  expect(await host.sandbox.files.list(deleted.id)).toEqual([])
  expect(await (await call(sandboxEndpoints.prune, host)).json()).toEqual({ deleted: [stopped.id], count: 1 })
  expect([...engine.containers.keys()]).toEqual([kept.id])
})

test('files go in and out of the workspace, and no path leaves it', async () => {
  const { id } = await create()
  const at = (path: string) => ({ params: { id }, query: { path } })
  const written = await call(files.writeFile, host, {
    ...at('in/tea.txt'),
    body: new Uint8Array([116, 101, 97]),
  })
  expect(await written.json()).toMatchObject({ path: 'in/tea.txt', size_bytes: 3 })

  const read = await call(files.readFile, host, at('in/tea.txt'))
  expect(await read.text()).toBe('tea')
  expect(read.headers.get('content-disposition')).toMatch(/^attachment/)
  expect(await (await call(files.listFiles, host, at('in'))).json()).toMatchObject({ count: 1 })
  for (const path of ['../x', '/etc/passwd', 'a/../../b', 'C:\\x'])
    expect((await call(files.readFile, host, at(path))).status).toBe(400)
  expect(await (await call(files.removeFile, host, at('in/tea.txt'))).json()).toMatchObject({ deleted: true })
})

test('an engine that has gone blocks neither the others nor deleting', async () => {
  const [lost, kept] = [await create(), await create()]
  const { stop } = engine
  engine.stop = (id) => (id === lost.id ? Promise.reject(new SandboxError('gone')) : stop.call(engine, id))
  await host.clock.advance(900 * second)
  await tick(host)
  await workOff(host)
  expect(engine.containers.get(kept.id)?.running).toBe(false)

  engine.state = { available: false, version: null, problem: 'There is no podman service' }
  await host.clock.advance(31 * second)
  expect((await call(containers.remove, host, { params: { id: lost.id } })).status).toBe(200)
  expect(await (await call(containers.list, host)).json()).toMatchObject({ total: 1 })
})

test('only idle containers are stopped', async () => {
  const idle = await create()
  await host.clock.advance(600 * second)
  const used = await create()
  await host.clock.advance(300 * second)
  await workOff(host)

  expect([idle, used].map(({ id }) => engine.containers.get(id)?.running)).toEqual([false, true])
})

test('after a start, containers that no row names are removed', async () => {
  await create()
  await engine.create({ ...([...engine.containers.values()][0]?.spec as ContainerSpec), id: 'box_lost' })
  await host.clock.advance(900 * second)
  await tick(host)
  await workOff(host)

  expect([...engine.containers.keys()]).not.toContain('box_lost')
  expect(engine.containers.size).toBe(1)
})

test('a start after a crash removes and stops what the engine still runs', async () => {
  const { id } = await create()
  await call(containers.stop, host, { params: { id } })
  // The crash came before the rows said so.
  const { spec } = engine.containers.get(id) ?? {}
  await engine.start(spec as ContainerSpec)
  await engine.create({ ...(spec as ContainerSpec), id: 'box_lost' })
  const { sql, sandbox } = host
  const next = await testHost({ sql, sandbox, clock: createFakeClock('2026-01-05T12:01:00.000Z') })
  await startUp(next, { alone: true })
  await workOff(next)

  expect([...engine.containers].map(([name, { running }]) => [name, running])).toEqual([[id, false]])
})

test('a container that is created while leftovers are removed stays', async () => {
  await create()
  const { list } = engine
  engine.list = async () => {
    engine.list = list
    await create({ name: 'New' })
    return list()
  }
  await host.clock.advance(900 * second)
  await tick(host)
  await workOff(host)

  expect(engine.containers.size).toBe(2)
})

test('the log of commands is redacted as the security settings say', async () => {
  const { id } = await create()
  const request = new Request('http://127.0.0.1:18781/')
  const context = { ...contextOf(request, host, peer), caller: adminCaller }
  await changeSection(context, securitySettings, { redact_patterns: ['secret-\\d'] })
  await exec(id, { command: 'echo secret-1' })

  expect(await (await call(containers.logs, host, { params: { id } })).json()).toMatchObject({
    entries: [{ command: 'echo [redacted]', output: 'echo [redacted]' }],
  })
})

test('an engine that answers but cannot start a container gives way to the next one', async () => {
  const [broken, working] = [fakeSandbox().engine, fakeSandbox()]
  broken.create = () => Promise.reject(new SandboxError('mount /proc: operation not permitted'))
  Object.assign(working.engine, { backend: 'bubblewrap' })
  const engines = [broken, working.engine]
  host = await testHost({ sandbox: { ...working.sandbox, engines } })
  const status = async () => (await call(sandboxEndpoints.status, host)).json()

  expect(await status()).toMatchObject({ backend: 'podman' })
  expect(await create()).toMatchObject({ backend: 'bubblewrap', status: 'running' })
  expect(await status()).toMatchObject({
    backend: 'bubblewrap',
    engines: [{ available: false, problem: expect.stringContaining('not permitted') }, { available: true }],
  })
  working.engine.create = broken.create
  expect((await call(containers.create, host, { body: {} })).status).toBe(503)
  expect(await status()).toMatchObject({ available: true, backend: 'bubblewrap' })
})

test.each([
  ['fails', [stdout('exec: permission denied'), { exit_code: 126 }], 'permission denied'],
  ['ends without an exit code', [], 'without an exit code'],
  ['never ends', null, 'did not end'],
])('an engine whose first command %s gives way to the next one', async (_, trial, problem) => {
  const [broken, working] = [fakeSandbox().engine, fakeSandbox()]
  broken.trial = trial
  Object.assign(working.engine, { backend: 'bubblewrap' })
  host = await testHost({ sandbox: { ...working.sandbox, engines: [broken, working.engine] } })
  const created = create()
  if (trial === null) {
    await expect.poll(() => broken.containers.size).toBe(1)
    await host.clock.advance(11 * second)
  }
  expect(await created).toMatchObject({ backend: 'bubblewrap', status: 'running' })
  expect(broken.containers.size).toBe(0)
  expect(await (await call(sandboxEndpoints.status, host)).json()).toMatchObject({
    engines: [{ available: false, problem: expect.stringContaining(problem) }, { available: true }],
  })
})
