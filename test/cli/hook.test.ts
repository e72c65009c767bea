import { expect, test } from 'vitest'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

test('hooks and webhooks are made, listed, read and deleted from the command line', async () => {
  const folder = dataFolder()
  const daemon = await startProcess(folder)
  const { key } = await setUpProcess(daemon)
  const run = (...words: string[]) => hearthd(folder, [...words], { env: { SERVICE_API_KEY: key } })

  const notify = await run('hook', 'notify', 'loop.created', 'New: {{ data.name }}', '--json')
  const { id } = JSON.parse(notify.stdout)
  expect((await run('hook', 'send', 'job.*', 'https://example.org/in')).stdout).toMatch(
    /Secret: whsec_\S{32}/,
  )
  const receive = await run('hook', 'receive', 'shop', '--auth', 'none', '--message', 'New {{ body.id }}')
  const address = /Address: (\S+)/.exec(receive.stdout)?.[1] ?? ''
  const sent = await fetch(address, { method: 'POST', body: 'tea' })
  expect(sent.status).toBe(202)
  expect((await run('hook', 'ls')).stdout).toMatch(
    /^hook_\w+ +enabled +loop.created: .*\nwh_\w+ +enabled +example.org: job.\* → .*\nwhin_\w+ +enabled +shop: from none at http:\S+\n$/,
  )
  await run('loop', 'new', 'Tea', '--ask')
  await expect
    .poll(async () => (await run('hook', 'log', id)).stdout, { timeout: 20_000 })
    .toMatch(/succeeded loop.created/)
  expect((await run('hook', 'rm', id)).stdout).toBe(`${id} was deleted\n`)
  expect((await run('hook', 'ls')).stdout).not.toContain(id)
})
