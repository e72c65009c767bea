import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSecrets } from '../../../adapters/secrets/secrets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearthd-key-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const mode = (path: string) => statSync(path).mode & 0o777

test('the first start creates a key of 32 bytes that only its owner can read, and nothing else', () => {
  const data_dir = join(folder, 'data')
  openSecrets({ data_dir })

  expect(readdirSync(data_dir)).toEqual(['master.key'])
  expect(statSync(join(data_dir, 'master.key')).size).toBe(32)
  expect(mode(join(data_dir, 'master.key'))).toBe(0o600)
  expect(mode(data_dir)).toBe(0o700)
})

test('the next start uses the same key', async () => {
  const sealed = await openSecrets({ data_dir: folder }).seal('secret', 'p')

  expect(await openSecrets({ data_dir: folder }).open(sealed, 'p')).toBe('secret')
})

test('a key text takes precedence and creates no file', () => {
  openSecrets({ data_dir: folder, master_key: 'ab'.repeat(32) })

  expect(existsSync(join(folder, 'master.key'))).toBe(false)
})

test.each([0, 31, 33])('a key file of %i bytes is an error and is left unchanged', (size) => {
  const path = join(folder, 'master.key')
  writeFileSync(path, Buffer.alloc(size, 7))

  expect(() => openSecrets({ data_dir: folder })).toThrow(`holds ${size} bytes instead of 32`)
  expect(readFileSync(path)).toEqual(Buffer.alloc(size, 7))
})

test('a folder in its place is an error', () => {
  mkdirSync(join(folder, 'master.key'))

  expect(() => openSecrets({ data_dir: folder })).toThrow('is not a file')
})

test('a key that others can read is made private', () => {
  openSecrets({ data_dir: folder })
  chmodSync(join(folder, 'master.key'), 0o644)
  openSecrets({ data_dir: folder })

  expect(mode(join(folder, 'master.key'))).toBe(0o600)
})

test('daemons that start at once in one folder all use the same key', async () => {
  const script = `
    import { openSecrets } from '${import.meta.dirname}/../../../adapters/secrets/secrets.ts'
    console.log(await openSecrets({ data_dir: process.argv[1] }).seal('secret', 'p'))
  `
  const start = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, folder])
  const outputs = await Promise.all(Array.from({ length: 6 }, start))
  const secrets = openSecrets({ data_dir: folder })

  for (const { stdout } of outputs) expect(await secrets.open(stdout.trim(), 'p')).toBe('secret')
  expect(readdirSync(folder)).toEqual(['master.key'])
})
