import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleWorker } from '../../../adapters/worker/bundle.ts'
import { Fault } from '../../../runtime/fault.ts'
import { type Files, type LockedFile, PathRefused, type StreamedFile } from '../../../runtime/ports/files.ts'
import { GuardFailed, type Sql } from '../../../runtime/ports/sql.ts'
import { filesContract } from '../../contracts/files.ts'
import { sqlContract } from '../../contracts/sql.ts'
import { decode, encode } from './wire.ts'

let workerd: Miniflare

beforeAll(async () => {
  const { modules } = await bundleWorker({ entry: 'test/adapters/worker/ports-worker.ts' })
  workerd = new Miniflare({
    modules,
    modulesRoot: '/',
    compatibilityDate: '2026-01-01',
    durableObjects: { PORTS: { className: 'Ports', useSQLite: true } },
  })
  await workerd.ready
})
afterAll(() => workerd.dispose())

let objects = 0

/** A port of an object of its own, spoken to from outside workerd. */
function portOf<Port extends object>(name: 'sql' | 'files'): Port {
  objects += 1
  const url = `http://ports/${name}/${objects}`
  const ask = async (method: string, args: unknown[], port: string = name) => {
    const response = await workerd.dispatchFetch(url, {
      method: 'POST',
      body: await encode([port, method, args]),
    })
    const { result, thrown } = decode(await response.text()) as { result: unknown; thrown?: Error }
    if (thrown) throw revived(thrown)
    return result
  }
  const change = async (root: string, path: string, run: (file: LockedFile) => Promise<unknown>) => {
    const id = crypto.randomUUID()
    const step = (method: string, ...args: unknown[]) => ask(method, [id, ...args], 'changes')
    await step('begin', root, path)
    return run({
      write: async (bytes) => void (await step('write', bytes)),
      writeStream: async (pieces) => (await step('writeStream', pieces)) as StreamedFile,
    }).finally(() => step('end'))
  }
  return new Proxy({} as Port, {
    get: (_, method) => (method === 'change' ? change : (...args: unknown[]) => ask(String(method), args)),
  })
}

function revived({ name, message }: Error): Error {
  if (name === 'GuardFailed') return new GuardFailed(message)
  if (name === 'PathRefused') return new PathRefused(message)
  return name === 'Fault' ? new Fault(0, 'fault', message) : new Error(message)
}

describe('the SQLite of a Durable Object', () => {
  sqlContract(async () => ({ sql: portOf<Sql>('sql'), end: async () => undefined }))

  test('refuses what the platform cannot store or search for', async () => {
    const sql = portOf<Sql>('sql')
    await sql.write([{ sql: 'CREATE TABLE thing (note TEXT) STRICT' }])
    const write = sql.write([{ sql: 'INSERT INTO thing VALUES (?)', args: ['x'.repeat(3_000_000)] }])

    await expect(write).rejects.toThrow(Fault)
    await expect(sql.read('SELECT 1 FROM thing WHERE ? LIKE ?', ['x', `%${'x'.repeat(60)}%`])).rejects.toThrow(Fault)
  })
})

describe('files in a Durable Object', () => {
  filesContract(() => portOf<Files>('files'))

  test('keeps a file that is larger than any value of the database', async () => {
    const files = portOf<Files>('files')
    const content = Uint8Array.from({ length: 2_500_000 }, (_, index) => (index * 7) % 251)
    await files.write('uploads', 'big.bin', content)
    await files.write('uploads', 'big.bin', content)

    expect(await files.stat('uploads', 'big.bin')).toMatchObject({ size_bytes: content.length })
    expect(Buffer.compare((await files.read('uploads', 'big.bin')) ?? new Uint8Array(), content)).toBe(0)
    expect(await files.read('uploads', 'big.bin', { max_bytes: 1_100_000 })).toHaveLength(1_100_000)
  })
})
