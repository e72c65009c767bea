import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { beforeAll, expect, test } from 'vitest'
import {
  copyOf,
  dataFolder,
  eventually,
  hearthd,
  type RunningDaemon,
  setUpProcess,
  startProcess,
} from '../support/daemon-process.ts'

const master = (data: string) => join(data, 'master.key')
const log = (data: string) => join(data, 'hearthd.db-wal')

async function stopped(daemon: RunningDaemon, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  daemon.signal(signal)
  await daemon.ended
}

test('a missing, foreign or cut master key is refused with one line, and the right one is taken again', async () => {
  const data = dataFolder()
  await stopped(await startProcess(data))
  const right = readFileSync(master(data))

  rmSync(master(data))
  const missing = await hearthd(data, ['start'])
  expect(missing.code).toBe(1)
  expect(missing.stderr.trim().split('\n')).toHaveLength(1)
  expect(missing.stderr).toContain('master.key is missing')
  expect(existsSync(master(data))).toBe(false)

  writeFileSync(master(data), Buffer.alloc(32, 7), { mode: 0o600 })
  const foreign = await hearthd(data, ['start'])
  expect(foreign.code).toBe(1)
  expect(foreign.stderr.trim().split('\n')).toHaveLength(1)
  expect(foreign.stderr).toContain('is not the key')
  writeFileSync(master(data), right.subarray(0, 5))
  const cut = await hearthd(data, ['start'])
  expect(cut.code).toBe(1)
  expect(cut.stderr.trim().split('\n')).toHaveLength(1)
  expect(cut.stderr).toContain('holds 5 bytes instead of 32')
  const other = await hearthd(data, ['start'], { env: { SERVICE_SECRET_KEY: 'another key of the operator' } })
  expect(other.code).toBe(1)
  expect(other.stderr).toContain('SERVICE_SECRET_KEY is not the key')

  writeFileSync(master(data), right)
  await stopped(await startProcess(data))
})

function overwrite(path: string, at: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(64, 0x5a), 0, 64, at)
  closeSync(file)
}

/** 0 if the database has no tables any more. */
function countEpisodes(data: string): number {
  const db = new Database(join(data, 'hearthd.db'))
  try {
    return Number(db.prepare('SELECT count(*) FROM episodes').raw().get([]))
  } catch {
    return 0
  } finally {
    db.close()
  }
}

/** The folder of a daemon that was killed after it had stored three episodes. */
let killed = ''
beforeAll(async () => {
  killed = dataFolder()
  const daemon = await startProcess(killed)
  const { headers } = await setUpProcess(daemon)
  for (const content of ['one', 'two', 'three'])
    await fetch(`${daemon.url}/api/memory/episodes`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ content }),
    })
  await stopped(daemon, 'SIGKILL')
})

test.each<[string, (data: string) => void]>([
  ['missing', (data) => rmSync(log(data))],
  [
    'missing, with its index',
    (data) => {
      rmSync(log(data))
      rmSync(join(data, 'hearthd.db-shm'))
    },
  ],
  ['empty', (data) => truncateSync(log(data), 0)],
  [
    'empty, without its index',
    (data) => {
      truncateSync(log(data), 0)
      rmSync(join(data, 'hearthd.db-shm'))
    },
  ],
  ['cut short', (data) => truncateSync(log(data), Math.floor(statSync(log(data)).size / 2))],
  ['damaged', (data) => overwrite(log(data), 32 + 24 + 200)],
])('a write-ahead log that is %s after a kill is reported', async (_, harm) => {
  const data = copyOf(killed)
  harm(data)

  const again = await hearthd(data, ['start', '--detach', '--json'])
  const said = again.stderr + readFileSync(join(data, 'logs', 'hearthd.log'), 'utf8')
  await hearthd(data, ['stop', '--force'])
  // What was copied to the database file before the kill is not lost.
  const kept = countEpisodes(data)
  if (kept < 3) expect(said).toMatch(/write-ahead log.*acknowledged changes may be lost|cannot be used/)
})

test.each([[[]], [['backup']], [['doctor']]])('after a kill and %j nothing is reported', async (words) => {
  const data = dataFolder()
  await stopped(await startProcess(data), 'SIGKILL')
  if (words.length > 0) await hearthd(data, words)
  const again = await startProcess(data)

  expect(again.said()).not.toContain('write-ahead log')
})

test('a row with invalid UTF-8 is reported and read with a replacement character', async () => {
  const data = dataFolder()
  const daemon = await startProcess(data)
  const { headers } = await setUpProcess(daemon)
  await fetch(`${daemon.url}/api/memory/episodes`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ content: 'The harbour master likes tea' }),
  })
  await stopped(daemon)
  const db = new Database(join(data, 'hearthd.db'))
  db.exec(`UPDATE episodes SET content = CAST(x'54656120ff2031' AS TEXT)`)
  db.close()

  const again = await startProcess(data)
  const list = await fetch(`${again.url}/api/memory/episodes`, { headers })
  expect(await list.json()).toMatchObject({ episodes: [{ content: 'Tea \ufffd 1' }] })
  await eventually(() => again.said().includes('invalid UTF-8'))
})
