import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { copyOf, dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

/** A folder that has served, has a backup, and was stopped the orderly way. */
let used = ''
let backupOfUsed = ''
beforeAll(async () => {
  used = dataFolder()
  const daemon = await startProcess(used)
  await setUpProcess(daemon)
  ;[backupOfUsed = ''] = (await hearthd(used, ['backup'])).stdout.split('\n')
  daemon.signal('SIGTERM')
  await daemon.ended
})

const database = (data: string) => join(data, 'hearthd.db')

function overwrite(path: string, from: number, to: number): void {
  const bytes = readFileSync(path)
  bytes.fill(0x5a, from, to)
  writeFileSync(path, bytes)
}

test.each<[string, (path: string) => void]>([
  ['zero bytes', (path) => truncateSync(path, 0)],
  ['truncated', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['corrupted at its start', (path) => overwrite(path, 0, 4096)],
  ['corrupted within', (path) => overwrite(path, 8192, 65_536)],
  ['missing', (path) => rmSync(path)],
])('a database that is %s is never an empty store and never bootstrap mode', async (what, harm) => {
  const data = copyOf(used)
  const backup = backupOfUsed.replace(used, data)
  harm(database(data))

  for (const words of [['start'], ['start', '--detach']]) {
    const outcome = await hearthd(data, words)
    expect(outcome.code).toBe(1)
    expect(outcome.stderr.trim().split('\n')).toHaveLength(1)
    expect(outcome.stderr).toContain(`hearthd restore ${backup}`)
    expect(existsSync(database(data))).toBe(false)
  }
  const kept = readdirSync(data).filter((name) => /^hearthd\.db\.corrupt\.\d{8}T\d{6}Z$/.test(name))
  expect(kept).toHaveLength(what === 'missing' ? 0 : 1)

  expect(await hearthd(data, ['restore', backup])).toMatchObject({ code: 0 })
  const daemon = await startProcess(data)
  expect(await (await fetch(`${daemon.url}/api/health`)).json()).toMatchObject({ bootstrap_mode: false })
})

test('after a kill the log is replayed before the file is checked', async () => {
  const data = dataFolder()
  const daemon = await startProcess(data)
  await setUpProcess(daemon)
  daemon.signal('SIGKILL')
  await daemon.ended
  const again = await startProcess(data)

  expect(await (await fetch(`${again.url}/api/health`)).json()).toMatchObject({ bootstrap_mode: false })
})
