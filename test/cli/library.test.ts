import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ownCommands } from '../../adapters/node/cli/registry.ts'
import {
  dataFolder,
  eventually,
  hearthd,
  type RunningDaemon,
  setUpProcess,
  startProcess,
} from '../support/daemon-process.ts'

let folder = ''
let daemon: RunningDaemon
let headers: Record<string, string>
let env: Record<string, string>
beforeAll(async () => {
  folder = dataFolder()
  daemon = await startProcess(folder)
  const { key, headers: own } = await setUpProcess(daemon)
  headers = own
  env = { SERVICE_API_KEY: key }
})
const run = (...words: string[]) => hearthd(folder, words, { env })

test('memories are added and searched, agents listed, files sent and fetched', async () => {
  expect((await run('memory', 'add', 'Ada likes green tea')).stdout).toMatch(/^id +ep_\w+\n/)
  expect((await run('memory', 'search', 'tea')).stdout).toContain('Ada likes green tea')
  expect((await run('memory', 'search', 'tea', '--json')).stdout).toContain('"results":[')
  expect((await run('agent', 'ls')).stdout).toMatch(/^agent_\w+ +\w+ +yes +yes /m)

  const [source, target] = [join(folder, 'list.txt'), join(folder, 'copy.txt')]
  writeFileSync(source, 'Milk')
  const { id } = JSON.parse((await run('file', 'put', source, '--json')).stdout)
  expect((await run('file', 'get', id)).stdout).toBe('Milk')
  const record = JSON.parse((await run('files', 'show', 'list.txt', '--json')).stdout)
  expect(record).toMatchObject({ id, name: 'list.txt', size_bytes: 4 })
  expect((await run('file', 'get', id, target)).code).toBe(0)
  expect(readFileSync(target, 'utf8')).toBe('Milk')
  expect(await run('file', 'get', id, target)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already exists'),
  })
  expect((await run('file', 'put', join(folder, 'none'))).stderr).toContain('cannot be read')
})

test('an approval is listed and answered', async () => {
  expect((await run('approve')).stdout).toBe('No pending approvals\n')
  const chat = run('chat', 'write "Milk" to list.txt')
  const list = () => run('approve', '--json').then(({ stdout }) => JSON.parse(stdout).approvals[0])
  const approval = await eventually(list)
  const shown = `${approval.summary} (risk: ${approval.risk})\n${approval.input_text.replace(/^/gm, '  ')}\n`
  expect(shown).toContain('content: Milk')
  expect((await run('approve')).stdout).toContain(shown)
  const refused = await run('approve', approval.id)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain(shown)
  expect(refused.stderr).toContain('Add --yes')
  expect(await list()).toMatchObject({ id: approval.id, status: 'pending' })
  expect(await run('approve', approval.id, '--yes')).toMatchObject({
    stdout: `Approved: ${shown}`,
    stderr: expect.stringContaining(shown),
  })
  expect((await chat).code).toBe(0)
  expect((await run('approve', approval.id, '--yes')).code).toBe(1)
})

test('a piped text is the message', async () => {
  const answered = await hearthd(folder, ['chat'], { env, input: 'What is 2 + 2?\n' })
  expect(answered.stdout).toContain('4')
  expect((await hearthd(folder, ['chat'], { env, input: '' })).stderr).toContain('No message given')
})

test('a text that is piped in follows the message, and a pipe that stays open is not waited for', async () => {
  await hearthd(folder, ['chat', 'Remember this:'], { env, input: 'the gate code is 4711\n' })
  const list = await fetch(`${daemon.url}/api/chat/search?q=4711`, { headers })
  expect(await list.text()).toContain('Remember this:\\n\\nthe gate code is')
  expect((await hearthd(folder, ['chat', 'What is 2 + 2?'], { env, input: null })).stdout).toContain('4')
})

test('every command accepts --json', async () => {
  const commands = await ownCommands()
  expect(commands.filter(({ options }) => !options.json).map(({ usage }) => usage)).toEqual([])
})

test.each(['bash', 'zsh', 'fish'])('the completion of %s is printed, and knows the commands', async (shell) => {
  expect((await hearthd(folder, ['completion', shell])).stdout).toContain('hearthd completion next')
  expect((await hearthd(folder, ['completion', 'next', 'webhooks incoming'])).stdout).toMatch(
    /^capture\ncreate\ndelete\ndeliveries\nlist/,
  )
  expect((await hearthd(folder, ['completion', 'next', 'loops events'])).stdout).toContain('--follow')
  const { stdout } = await hearthd(folder, ['completion', shell, '--json'])
  expect(JSON.parse(stdout)).toEqual({ shell, script: expect.stringContaining('hearthd completion next') })
})
