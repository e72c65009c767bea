import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder, hearthd, startProcess } from '../support/daemon-process.ts'

test('a second daemon on the same folder refuses to start and names the first, which continues', async () => {
  const data = dataFolder()
  const first = await startProcess(data)
  const second = await hearthd(data, ['start'])

  expect(second.code).toBe(1)
  expect(second.stderr).toContain(`pid ${first.pid}, ${first.url}`)
  expect(second.stderr.trim().split('\n')).toHaveLength(1)
  expect((await fetch(`${first.url}/health/ready`)).status).toBe(200)
})

test('of many started at once exactly one serves', async () => {
  const data = dataFolder()
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => hearthd(data, ['start', '--detach', '--json'])))
  const pids = new Set(
    outcomes.filter(({ code }) => code === 0).map(({ stdout }) => (JSON.parse(stdout) as { pid: number }).pid),
  )
  await hearthd(data, ['stop', '--force'])

  expect(pids.size).toBe(1)
})

test('the lock of a killed daemon is taken over, even if its pid was reused', async () => {
  const data = dataFolder()
  const first = await startProcess(data)
  first.signal('SIGKILL')
  await first.ended
  writeFileSync(join(data, 'hearthd.lock'), JSON.stringify({ pid: process.pid, host: '', port: 1, started_at: '' }))
  const second = await startProcess(data)

  expect((await fetch(`${second.url}/health/ready`)).status).toBe(200)
})
