import { expect, test } from 'vitest'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

test('a channel is added, shown, tested and removed from the command line', async () => {
  const folder = dataFolder()
  const daemon = await startProcess(folder)
  const { key } = await setUpProcess(daemon)
  const env = { SERVICE_API_KEY: key }
  const run = (...words: string[]) => hearthd(folder, [...words], { env })

  expect((await run('channel', 'ls')).stdout).toBe('No channels\n')
  expect((await run('channel', 'platforms')).stdout).toContain('telegram')
  expect((await run('channel', 'add', 'pigeon', 'Roof')).stderr).toContain('--platform must be')
  const added = await hearthd(folder, ['channel', 'add', 'webhook', 'Door'], {
    env,
    input: 'secret=a secret of this test\n',
  })
  expect(added.stdout).toMatch(/webhook path +\/api\/channels\/webhook\/webhook\/chan_/)
  expect(added.stdout).not.toContain('a secret of this test')
  expect((await run('channel', 'ls')).stdout).toMatch(/^chan_\w+ +Door +disconnected .*webhook/m)
  expect((await run('channel', 'test', 'door')).code).toBe(0)
  const digits = ['--credentials.secret', '12345678901234567890']
  expect((await run('channel', 'add', 'webhook', 'Digits', ...digits)).stderr).toBe('')
  expect((await run('channel', 'rm', 'digits', '--yes')).code).toBe(0)
  expect((await run('channel', 'send', 'door', 'Hello')).stderr).toContain('Nobody is paired')
  expect((await run('channel', 'pairings')).stdout).toBe('No pairings\n')
  expect((await run('channel', 'pair', 'ABCDEFGH')).stderr).toContain('not found')
  expect((await run('channel', 'disconnect', 'door')).stdout).toContain('disconnected')
  expect((await run('channel', 'add', 'discord', 'Guild')).code).toBe(0)
  expect((await run('channel', 'rm', 'guild')).code).toBe(0)
  expect((await run('channel', 'rm', 'door')).stdout).toMatch(/^Deleted chan_\w+\n$/)
  expect((await run('channel', 'show', 'door')).stderr).toContain('hearthd channels list lists them')
})
