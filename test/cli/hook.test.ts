import { expect, test } from 'vitest'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

test('hooks and webhooks are made, listed, read and deleted from the command line', async () => {
  const folder = dataFolder()
  const daemon = await startProcess(folder)
  const { key } = await setUpProcess(daemon)
  const run = (...words: string[]) => hearthd(folder, [...words], { env: { SERVICE_API_KEY: key } })

  const notify = await run('hook', 'notify', 'loop.created', 'New: {{ data.name }}', '--json')
  const { id } = JSON.parse(notify.stdout)
  expect((await run('hook', 'send', 'job.*', 'https://example.org/in')).stdout).toMatch(/secret +whsec_\S{32}/)
  const receive = await run('hook', 'receive', 'shop', '--auth', 'none', '--message', 'New {{ body.id }}')
  const path = /path +(\S+)/.exec(receive.stdout)?.[1] ?? ''
  const sent = await fetch(daemon.url + path, { method: 'POST', body: 'tea' })
  expect(sent.status).toBe(202)
  expect((await run('hook', 'ls')).stdout).toMatch(/^hook_\w+ +loop.created +yes .*loop.created$/m)
  expect((await run('webhooks', 'list')).stdout).toMatch(/^wh_\w+ +example.org +yes .*job.\* +https:.*in$/m)
  expect((await run('webhooks', 'incoming', 'list')).stdout).toMatch(/^whin_\w+ +shop +yes/m)
  await run('loop', 'new', 'Tea', '--ask')
  await expect
    .poll(async () => (await run('hook', 'log', id)).stdout, { timeout: 20_000 })
    .toMatch(/succeeded +loop.created/)
  expect((await run('hook', 'rm', id)).stdout).toBe(`Deleted ${id}\n`)
  expect((await run('hook', 'ls')).stdout).not.toContain(id)
})
