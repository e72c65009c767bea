import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BackgroundConnection } from '../../../adapters/libsql/background-connection.ts'
import { backUp, backupPath, listBackups } from '../../../adapters/libsql/backup.ts'
import { readMarker, StoreDamaged, WrongEncryptionKey } from '../../../adapters/libsql/damage.ts'
import { databasePath, driverOptions, openDatabase } from '../../../adapters/libsql/database.ts'
import { LocalSql } from '../../../adapters/libsql/local.ts'
import { openStore, type Store, type StoreOptions } from '../../../adapters/libsql/open.ts'
import { restoreStore } from '../../../adapters/libsql/restore.ts'
import { Flusher } from '../../../adapters/libsql/write-ahead-log.ts'
import { migrate, migrations, NewerSchema } from '../../../runtime/migrations/migrate.ts'
import { StoreUnavailable, StoreUncertain } from '../../../runtime/ports/sql.ts'

let data_dir: string
beforeEach(() => {
  data_dir = mkdtempSync(join(tmpdir(), 'hearthd-open-'))
})
afterEach(() => rmSync(data_dir, { recursive: true, force: true }))

const path = () => databasePath(data_dir)
const note = (text: string) => ({ sql: 'INSERT INTO settings VALUES (?, ?, ?)', args: [text, '{}', 'now'] })

async function begin(options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ data_dir, ...options })
  await migrate(store.sql, '0.1.0', '2026-01-05T12:00:00.000Z')
  store.markInitialised()
  return store
}

/** A store with one row, closed the orderly way. */
async function used(options: Partial<StoreOptions> = {}): Promise<void> {
  const store = await begin(options)
  await store.sql.write([note('kept')])
  await store.close()
}

async function damaged(): Promise<string> {
  const thrown = await openStore({ data_dir }).catch((cause: unknown) => cause)
  expect(thrown).toBeInstanceOf(StoreDamaged)
  return (thrown as Error).message
}

const aside = () => readdirSync(data_dir).filter((name) => /^hearthd\.db\.corrupt\.\d{8}T\d{6}Z$/.test(name))

test('keeps written data in a file that only its owner can read', async () => {
  await used()
  const store = await openStore({ data_dir })

  expect(await store.sql.read('SELECT section FROM settings')).toEqual([{ section: 'kept' }])
  expect(await store.sql.read('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
  expect(statSync(path()).mode & 0o777).toBe(0o600)
  await store.close()
})

test('a batch is acknowledged after its flush, a non-durable one earlier, and a failed flush is reported', async () => {
  await (await begin()).close()
  const flushes: PromiseWithResolvers<void>[] = []
  const flusher = new Flusher(`${path()}-wal`, async () => undefined)
  flusher.flush = () => {
    const flush = Promise.withResolvers<void>()
    flushes.push(flush)
    return flush.promise
  }
  const flushing = async (count: number) => {
    while (flushes.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  const connection = new BackgroundConnection(path(), driverOptions())
  const background = { connection, flusher, hasRoom: () => true }
  const sql = new LocalSql(openDatabase(path()), async () => ({ bytes: 0, wal_bytes: 0 }), background)
  const told: string[] = []
  const durable = sql.write([note('1')]).then(() => told.push('durable'))
  await flushing(1)
  await sql.write([note('2')], { durable: false })
  expect([flushes.length, ...told]).toEqual([1])
  expect(await sql.read('SELECT count(*) AS total FROM settings')).toEqual([{ total: 2 }])

  flushes[0]?.resolve()
  await durable
  expect(told).toEqual(['durable'])

  const company = Promise.all([sql.write([note('3')], { durable: false }), sql.write([note('4')])])
  const refused = expect(company).rejects.toThrow('no room')
  await flushing(2)
  flushes[1]?.reject(new StoreUnavailable('no room'))
  await refused
  await sql.close()
})

test('the log is flushed once for all waiting writers, and again for those that arrive during the flush', async () => {
  const { sql, close } = await begin()
  await sql.write([note('1')])
  const flusher = new Flusher(`${path()}-wal`, async () => undefined)
  const first = flusher.flush()
  const [second, third] = [flusher.flush(), flusher.flush()]
  expect(second).not.toBe(first)
  expect(third).toBe(second)
  await Promise.all([first, second])

  const missing = new Flusher(`${path()}-nowhere`, async () => undefined)
  await expect(missing.flush()).rejects.toBeInstanceOf(StoreUnavailable)
  await Promise.all([flusher.close(), missing.close()])
  await close()
})

test('writes after a failed flush of the log are acknowledged once nothing depends on that log', async () => {
  const { close } = await begin()
  const log = join(data_dir, 'log')
  const steps: string[] = []
  let room = false
  const flusher = new Flusher(log, async () => {
    steps.push('begun anew')
    if (!room) throw new Error('still no room')
  })
  await expect(flusher.flush()).rejects.toBeInstanceOf(StoreUncertain)
  writeFileSync(log, '')
  await expect(flusher.flush()).rejects.toBeInstanceOf(StoreUncertain)
  room = true
  await flusher.flush()
  await flusher.flush()
  expect(steps).toEqual(['begun anew', 'begun anew'])
  await flusher.close()
  await close()
})

test('a log is restarted only after it was completely copied', async () => {
  const store = await used().then(() => begin())
  await store.sql.write([note('more')])
  const aside = new BackgroundConnection(path(), driverOptions())
  await aside.emptyLog()
  expect(statSync(`${path()}-wal`).size).toBe(0)
  const reader = openDatabase(path())
  await store.sql.write([note('and more')])
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM settings').all([])
  await store.sql.write([note('behind a reader')])
  await expect(aside.emptyLog()).rejects.toThrow('in use')
  reader.exec('ROLLBACK')
  reader.close()
  await aside.close()
  await store.close()
})

test('reports its size', async () => {
  const store = await begin()
  const { bytes, wal_bytes } = await store.sql.size()

  expect(bytes + wal_bytes).toBeGreaterThan(50_000)
  await store.close()
})

test.each([
  ['empty', () => truncateSync(path(), 0), /the file is empty/],
  ['cut short', () => truncateSync(path(), statSync(path()).size - 4096), /it was cut short/],
  ['cut within its header', () => truncateSync(path(), 50), /it is not a database/],
  ['overwritten at its start', () => overwrite(0, 100), /it is not a database/],
  ['overwritten within', () => overwrite(4096 * 3, 4096 * 4), /\*\*\*|malformed/],
  ['missing', () => rmSync(path()), /the file is missing/],
  ['replaced by another database', () => replace(), /it is empty/],
])('a database that is %s is never replaced by an empty one', async (_, harm, reason) => {
  await used()
  const missing = harm.toString().includes('rmSync')
  harm()
  const message = await damaged()

  expect(message).toMatch(reason)
  expect(message).not.toContain('\n')
  expect(aside()).toHaveLength(missing ? 0 : 1)
  expect(existsSync(path())).toBe(false)
  expect(await damaged()).toMatch(/the file is missing/)
})

function overwrite(from: number, to: number): void {
  const bytes = readFileSync(path())
  bytes.fill(0xa5, from, to)
  writeFileSync(path(), bytes)
}

function replace(): void {
  rmSync(path())
  const other = new Database(path())
  other.exec('CREATE TABLE something (id TEXT)')
  other.close()
}

test('damage suggests the last good backup, and restoring it brings the rows back', async () => {
  await used()
  const db = openDatabase(path())
  const backup = backupPath(data_dir, 'manual')
  backUp(db, backup)
  db.close()
  writeFileSync(backupPath(data_dir, 'uploaded'), 'no database at all')
  overwrite(0, 100)

  expect(await damaged()).toContain(`hearthd restore ${backup}`)
  restoreStore(data_dir, backup)
  const store = await openStore({ data_dir })
  expect(await store.sql.read('SELECT section FROM settings')).toEqual([{ section: 'kept' }])
  await store.close()
})

test('restoring keeps the previous database, and refuses a file that is not a backup', async () => {
  await used()
  writeFileSync(join(data_dir, 'letter.txt'), 'dear reader')
  expect(() => restoreStore(data_dir, join(data_dir, 'letter.txt'))).toThrow(StoreDamaged)
  expect(() => restoreStore(data_dir, join(data_dir, 'nothing.db'))).toThrow(/no such file/)

  const copy = join(data_dir, 'copy.db')
  copyFileSync(path(), copy)
  const kept = restoreStore(data_dir, copy)
  expect(kept && existsSync(kept)).toBe(true)
})

test('a backup is readable by its owner only and never overwrites a file', async () => {
  await used()
  const db = openDatabase(path())
  const backup = backupPath(data_dir, 'manual')
  backUp(db, backup)

  expect(statSync(backup).mode & 0o777).toBe(0o600)
  expect(() => backUp(db, backup)).toThrow(/EEXIST/)
  db.close()
})

test('a migration makes a backup first, and five of them are kept', async () => {
  for (let round = 0; round < 7; round += 1) {
    const store = await begin()
    await store.sql.write([{ sql: 'DELETE FROM schema_migrations WHERE version = ?', args: [migrations.length] }])
    await store.close()
    const again = await openStore({ data_dir })
    await again.sql.write([
      {
        sql: 'INSERT INTO schema_migrations VALUES (?, ?, ?, ?)',
        args: [migrations.length, 'x', '0.1.0', 'now'],
      },
    ])
    await again.close()
  }

  expect(listBackups(data_dir)).toHaveLength(5)
})

test('an unchanged schema does not create a backup', async () => {
  await used()
  await used2()

  expect(listBackups(data_dir)).toEqual([])
})

async function used2(): Promise<void> {
  const store = await begin()
  await store.close()
}

test('a newer schema is refused with the release to use, and left unchanged', async () => {
  const store = await begin()
  await store.sql.write([
    { sql: 'INSERT INTO schema_migrations VALUES (999, ?, ?, ?)', args: ['later', '9.9.9', 'now'] },
  ])
  await store.close()

  await expect(openStore({ data_dir })).rejects.toThrow(NewerSchema)
  await expect(openStore({ data_dir })).rejects.toThrow(/hearthd 9\.9\.9/)
  expect(existsSync(path())).toBe(true)
})

test('a start that failed before creating the schema starts over', async () => {
  const store = await openStore({ data_dir })
  await store.close()
  const again = await begin()

  expect(readMarker(data_dir)).toMatchObject({ clean: null, encrypted: false })
  await again.close()
})

test('a clean shutdown is remembered until the next start', async () => {
  await used()
  expect(readMarker(data_dir)?.clean).toMatchObject({ bytes: statSync(path()).size })
  const store = await openStore({ data_dir })

  expect(readMarker(data_dir)?.clean).toBeNull()
  await store.close()
})

test('a truncated marker still shows that the store has been used', async () => {
  await used()
  writeFileSync(join(data_dir, 'store.json'), '{"initial')
  truncateSync(path(), 0)

  expect(await damaged()).toMatch(/the file is empty/)
})

test('with a key the file is unreadable, and a wrong or missing key moves nothing', async () => {
  const encryption_key = 'a long enough key'
  await used({ encryption_key })
  expect(readFileSync(path()).toString('latin1')).not.toContain('SQLite format')

  await expect(openStore({ data_dir, encryption_key: 'another key' })).rejects.toThrow(WrongEncryptionKey)
  await expect(openStore({ data_dir })).rejects.toThrow(WrongEncryptionKey)
  const store = await openStore({ data_dir, encryption_key })
  expect(await store.sql.read('SELECT section FROM settings')).toEqual([{ section: 'kept' }])
  await store.close()
})

test('a full store refuses writes, still reads, and recovers', async () => {
  const store = await begin()
  const [pages] = await store.sql.read<{ page_count: number }>('PRAGMA page_count')
  await store.sql.read(`PRAGMA max_page_count = ${(pages?.page_count ?? 0) + 2}`)
  const large = { sql: 'INSERT INTO settings VALUES (?, ?, ?)', args: ['large', 'x'.repeat(100_000), 'now'] }

  await expect(store.sql.write([note('before'), large])).rejects.toThrow(StoreUnavailable)
  expect(await store.sql.read('SELECT section FROM settings')).toEqual([])
  await store.sql.read('PRAGMA max_page_count = 1000000')
  await store.sql.write([large])
  expect(await store.sql.read('SELECT section FROM settings')).toEqual([{ section: 'large' }])
  await store.close()
})

test('concurrent writers to a full store all fail, and none is acknowledged', async () => {
  const store = await begin()
  const [pages] = await store.sql.read<{ page_count: number }>('PRAGMA page_count')
  await store.sql.read(`PRAGMA max_page_count = ${(pages?.page_count ?? 0) + 3}`)
  const writes = Array.from({ length: 20 }, (_, index) =>
    store.sql.write([{ sql: 'INSERT INTO settings VALUES (?, ?, ?)', args: [`s${index}`, 'x'.repeat(3000), 'now'] }]),
  )
  const outcomes = await Promise.allSettled(writes)
  const stored = await store.sql.read<{ section: string }>('SELECT section FROM settings')

  expect(outcomes.some((outcome) => outcome.status === 'rejected')).toBe(true)
  expect(stored).toHaveLength(outcomes.filter((outcome) => outcome.status === 'fulfilled').length)
  await store.close()
})
