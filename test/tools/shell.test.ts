import { expect, test } from 'vitest'
import { NewAgent } from '../../runtime/agents/agents.ts'
import { toolsFor } from '../../runtime/tools/registry.ts'
import { taintedAmong } from '../../runtime/tools/store.ts'
import { workspaceOf } from '../../runtime/tools/workspace.ts'
import { fakeSandbox, stdout } from '../sandbox/kit.ts'
import { toolBench } from './bench.ts'

test('shell runs a command in a container of the agent, which is kept', async () => {
  const { engine, sandbox } = fakeSandbox()
  const { use } = await toolBench({ sandbox })
  engine.script = () => [
    stdout('tea\n'),
    { stream: 'stderr', bytes: new TextEncoder().encode('hot') },
    { exit_code: 2 },
  ]

  expect(await use('shell', { command: 'make tea' })).toMatchObject({
    exit_code: 2,
    stdout: 'tea\n',
    stderr: 'hot',
  })
  await use('shell', { command: 'true' })
  expect(engine.containers.size).toBe(1)
  expect([...engine.containers.values()][0]?.spec).toMatchObject({ network: 'none' })
})

test('shell copies files of the agent in and out', async () => {
  const { engine, sandbox } = fakeSandbox()
  const { use, host, scope } = await toolBench({ sandbox })
  await use('files', { action: 'write', path: 'in/data.csv', content: 'a,b' })
  engine.script = async function* () {
    const [id = ''] = engine.containers.keys()
    const read = await sandbox.files.read(id, 'in/data.csv')
    await sandbox.files.write(id, 'out.txt', read ?? new Uint8Array())
    yield { exit_code: 0 }
  }
  await use('shell', { command: 'cp in/data.csv out.txt', put: ['in/data.csv'], take: ['out.txt'] })

  const copied = await host.files.read(workspaceOf(scope.agent.id, ''), 'out.txt')
  expect(Buffer.from(copied ?? []).toString()).toBe('a,b')
  await expect(use('shell', { command: 'x', put: ['none'] })).rejects.toThrow('There is no file none')
  await expect(use('shell', { command: 'x', take: ['../x'] })).rejects.toThrow('Refused')
})

test('shell takes back nothing that somebody else has changed meanwhile', async () => {
  const { engine, sandbox } = fakeSandbox()
  const { use } = await toolBench({ sandbox })
  const other = { conversation_id: 'conv_2' }
  const read = async () =>
    ((await use('files', { action: 'read', path: 'a.csv' }, other)) as { content: string }).content
  await use('files', { action: 'write', path: 'a.csv', content: 'one\n' }, other)
  let during = async () => {}
  engine.script = async function* () {
    const [id = ''] = engine.containers.keys()
    await sandbox.files.write(id, 'a.csv', new TextEncoder().encode('sorted\n'))
    await during()
    yield { exit_code: 0 }
  }
  const sort = (put: string[]) => use('shell', { command: 'sort', put, take: ['a.csv'] })

  expect(await sort([])).toMatchObject({ not_taken: [{ path: 'a.csv', reason: expect.any(String) }] })
  during = async () => {
    await use('files', { action: 'append', path: 'a.csv', content: 'two' }, other)
  }
  expect(await sort(['a.csv'])).toMatchObject({
    exit_code: 0,
    not_taken: [{ path: 'a.csv', reason: expect.stringContaining('changed by somebody else') }],
  })
  expect(await read()).toBe('one\ntwo\n')
  during = async () => {}
  expect(await sort(['a.csv'])).not.toHaveProperty('not_taken')
  expect(await read()).toBe('sorted\n')
})

test('what a tainted conversation or file leaves in the container taints whoever reads it later', async () => {
  const { engine, sandbox } = fakeSandbox()
  const { use, host, scope } = await toolBench({ sandbox })
  const files = workspaceOf(scope.agent.id, '')
  engine.script = async function* () {
    const [id = ''] = engine.containers.keys()
    await sandbox.files.write(id, 'out.txt', new Uint8Array([1]))
    yield { exit_code: 0 }
  }
  expect(await use('shell', { command: 'make' })).not.toHaveProperty('untrusted')

  await use('files', { action: 'write', path: 'page.txt', content: 'Obey' }, { tainted: true })
  expect(await use('shell', { command: 'cp page.txt out.txt', put: ['page.txt'] })).toMatchObject({
    untrusted: true,
  })
  expect(await use('shell', { command: 'cat out.txt', take: ['out.txt'] })).toMatchObject({ untrusted: true })
  expect(await taintedAmong(host, files, ['out.txt'])).toEqual(['out.txt'])
})

test('first commands at once share one container', async () => {
  const { engine, sandbox } = fakeSandbox()
  const { use } = await toolBench({ sandbox })
  await Promise.all([1, 2, 3].map(() => use('shell', { command: 'true' })))

  expect(engine.containers.size).toBe(1)
})

test('without an engine shell says what to install, and runs nothing', async () => {
  const { engine, sandbox } = fakeSandbox()
  engine.state = { available: false, version: null, problem: 'There is no podman service' }
  const { use } = await toolBench({ sandbox })

  await expect(use('shell', { command: 'id' })).rejects.toThrow('Install bubblewrap')
  expect(engine.commands).toEqual([])
})

test.each([
  ['off', false, false],
  ['off', true, false],
  ['unattended', false, false],
  ['unattended', true, true],
  ['all', false, true],
  ['all', true, true],
])('an agent whose sandbox is %s, unattended: %j, has shell: %j', async (mode, unattended, expected) => {
  const { scope } = await toolBench({ sandbox: fakeSandbox().sandbox }, { sandbox: { mode } })
  const names = (await toolsFor(scope.agent, scope.context, { unattended })).map(({ name }) => name)

  expect(names.includes('shell')).toBe(expected)
  expect(names).toContain('run_code')
})

test('where nothing can run, no agent has shell', async () => {
  const { scope } = await toolBench({}, NewAgent.parse({ name: 'T', sandbox: { mode: 'all' } }))

  expect((await toolsFor(scope.agent, scope.context)).map(({ name }) => name)).not.toContain('shell')
})
