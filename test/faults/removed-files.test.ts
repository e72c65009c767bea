import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder, eventually, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

const remember = (url: string, headers: Record<string, string>) =>
  fetch(`${url}/api/memory/episodes`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ content: 'The spare key is under the third pot' }),
  })

test.each<[string, (data: string) => void]>([
  ['the database file', (data) => rmSync(join(data, 'hearthd.db'))],
  ['the write-ahead log', (data) => rmSync(join(data, 'hearthd.db-wal'))],
  ['the data folder', (data) => rmSync(data, { recursive: true })],
  ['the lock', (data) => rmSync(join(data, 'hearthd.lock.db'))],
  [
    'the data folder, which was replaced',
    (data) => {
      renameSync(data, `${data}-moved`)
      mkdirSync(data)
    },
  ],
])('no write is acknowledged after %s was removed', async (_, remove) => {
  const data = dataFolder()
  const daemon = await startProcess(data)
  const { headers } = await setUpProcess(daemon)
  expect((await remember(daemon.url, headers)).status).toBe(201)
  remove(data)

  const answers = await Promise.all(Array.from({ length: 20 }, () => remember(daemon.url, headers)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  expect(await answers[0]?.json()).toMatchObject({ error: 'unavailable', status: 503 })
  const ready = await fetch(`${daemon.url}/health/ready`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toMatchObject({ failing: ['db'] })
  await eventually(() => /was removed or replaced/.test(daemon.said()))

  daemon.signal('SIGTERM')
  await daemon.ended
  rmSync(`${data}-moved`, { recursive: true, force: true })
})

test('a second daemon is refused although the lock of the first was removed', async () => {
  const data = dataFolder()
  const daemon = await startProcess(data)
  await setUpProcess(daemon)
  rmSync(join(data, 'hearthd.lock.db'))
  rmSync(join(data, 'hearthd.lock'))
  const second = await hearthd(data, ['start'])

  expect(second.code).toBe(1)
  expect(existsSync(join(data, 'hearthd.db'))).toBe(true)
})
