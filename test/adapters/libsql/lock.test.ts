import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderInUse, folderHolder, holderUrl, lockFolder } from '../../../adapters/libsql/lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearthd-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lockFile = () => join(folder, 'hearthd.lock')

/** Another process that holds the lock until it is killed. */
async function holdElsewhere() {
  const code = `const { lockFolder } = await import(${JSON.stringify(resolve('adapters/libsql/lock.ts'))})
    lockFolder(${JSON.stringify(folder)}).announce({ host: '127.0.0.1', port: 4711 })
    process.stdout.write('held')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

test('a second owner is refused, with the name of the first', async () => {
  const first = await holdElsewhere()
  const refused = () => lockFolder(folder)

  expect(refused).toThrow(FolderInUse)
  expect(refused).toThrow(new RegExp(`pid ${first.pid}, http://127\\.0\\.0\\.1:4711`))
  expect(folderHolder(folder)).toMatchObject({ pid: first.pid, port: 4711 })
  first.kill('SIGKILL')
  await once(first, 'exit')
})

test('a killed holder blocks nothing, even if its pid is reused by another process', async () => {
  const first = await holdElsewhere()
  first.kill('SIGKILL')
  await once(first, 'exit')
  writeFileSync(lockFile(), JSON.stringify({ pid: process.ppid, host: '', port: 1, started_at: '' }))

  expect(folderHolder(folder)).toBeNull()
  const lock = lockFolder(folder)
  expect(folderHolder(folder)).toMatchObject({ pid: process.pid })
  lock.release()
})

test('two owners in one process also exclude each other', () => {
  const lock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(FolderInUse)
  lock.release()
  lockFolder(folder).release()
})

test('a clean shutdown removes the file, which was readable by its owner only', () => {
  const lock = lockFolder(folder)
  expect(statSync(lockFile()).mode & 0o777).toBe(0o600)
  lock.release()
  lock.release()

  expect(existsSync(lockFile())).toBe(false)
})

test.each([
  ['', 'http://127.0.0.1:18781'],
  ['::', 'http://127.0.0.1:18781'],
  ['192.168.1.5', 'http://192.168.1.5:18781'],
  ['::1', 'http://[::1]:18781'],
])('a client of a daemon on "%s" dials %s', (host, url) => {
  expect(holderUrl({ host, port: 18781 })).toBe(url)
})
