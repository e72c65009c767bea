import { expect, test } from 'vitest'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

test('a channel is added, shown, tested and removed from the command line', async () => {
  const folder = dataFolder()
  const daemon = await startProcess(folder)
  const { key } = await setUpProcess(daemon)
  const env = { SERVICE_API_KEY: key }
  const run = (...words: string[]) => hearthd(folder, [...words], { env })

  expect((await run('channel', 'ls')).stdout).toBe('No channels\n')
  expect((await run('channel', 'platforms')).stdout).toMatch(/^telegram +bot_token$/m)
  expect((await run('channel', 'add', 'pigeon', 'Roof')).stderr).toContain('There is no platform pigeon')
  const added = await hearthd(folder, ['channel', 'add', 'webhook', 'Door'], {
    env,
    input: 'secret=a secret of this test\n',
  })
  expect(added.stdout).toMatch(/The public base URL is not set.*\/api\/channels\/webhook\/webhook\/chan_/s)
  expect(added.stdout).not.toContain('a secret of this test')
  expect((await run('channel', 'ls')).stdout).toMatch(/^chan_\w+ +disconnected +webhook +Door\n$/)
  expect((await run('channel', 'test', 'door')).code).toBe(0)
  expect((await run('channel', 'send', 'door', 'Hello')).stderr).toContain('Nobody is paired')
  expect((await run('channel', 'pairings')).stdout).toBe('No requests\n')
  expect((await run('channel', 'pair', 'ABCDEFGH')).stderr).toContain('not found')
  expect((await run('channel', 'disconnect', 'door')).stdout).toContain('disconnected')
  // Its messages are fetched, so it needs no address.
  expect((await run('channel', 'add', 'discord', 'Guild')).stdout).not.toContain('public base URL')
  expect((await run('channel', 'rm', 'guild')).code).toBe(0)
  expect((await run('channel', 'rm', 'door')).stdout).toBe('Deleted Door\n')
  expect((await run('channel', 'show', 'door')).stderr).toContain('hearthd channel ls')
})
