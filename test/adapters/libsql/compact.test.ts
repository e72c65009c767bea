import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../adapters/libsql/database.ts'
import { openStore } from '../../../adapters/libsql/open.ts'

const secret = 'the secret of the blue harbour '.repeat(40)

test('compacting leaves no deleted data in any file, and the file shrinks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-compact-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { sql, close } = await openStore({ data_dir: folder })
  const path = join(folder, 'hearthd.db')
  const held = () =>
    readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes('the secret of the blue'))
  await sql.write([{ sql: 'CREATE TABLE thing (id INTEGER PRIMARY KEY, note TEXT) STRICT' }])
  for (let id = 0; id < 2_000; id += 1)
    await sql.write([{ sql: 'INSERT INTO thing VALUES (?, ?)', args: [id, secret] }], { durable: false })
  expect(held()).toBe(true)

  await sql.write([{ sql: 'DELETE FROM thing' }])
  await sql.compact()
  expect(held()).toBe(false)
  expect(statSync(path).size).toBeLessThan(100_000)
  await close()
})

const never = new AbortController().signal

async function openFilled(folder: string) {
  const { sql, close } = await openStore({ data_dir: folder })
  onTestFinished(close)
  await sql.write([{ sql: 'CREATE TABLE thing (id INTEGER PRIMARY KEY, note TEXT) STRICT' }])
  const fill = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO thing SELECT i, hex(randomblob(10000)) FROM n`
  await sql.write([{ sql: fill }])
  return sql
}

test('the file shrinks in steps after a deletion, and stays intact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-shrink-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const sql = await openFilled(folder)
  await sql.write([{ sql: 'DELETE FROM thing WHERE id > 100' }])
  const size = () => statSync(join(folder, 'hearthd.db')).size
  await sql.shrink(AbortSignal.abort())
  expect(size()).toBeGreaterThan(40_000_000)
  const shrinking = sql.shrink(never)
  await sql.write([{ sql: `INSERT INTO thing VALUES (5000, 'written meanwhile')` }])
  await shrinking
  expect(size()).toBeLessThan(4_000_000)
  expect(await sql.read('SELECT count(*) AS rows FROM thing')).toEqual([{ rows: 101 }])
  expect(await sql.read('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
})

test('a file that cannot shrink in steps is rewritten once, and then can', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-rewrite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const old = openDatabase(join(folder, 'hearthd.db'))
  old.exec('CREATE TABLE schema_migrations (version INTEGER, name TEXT, release TEXT, applied_at TEXT)')
  old.close()
  const sql = await openFilled(folder)
  const mode = async () => {
    expect(await sql.read('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    return sql.read('PRAGMA auto_vacuum')
  }
  await sql.write([{ sql: 'DELETE FROM thing WHERE id > 1900' }])
  await sql.shrink(never)
  expect(await mode()).toEqual([{ auto_vacuum: 0 }])
  await sql.write([{ sql: 'DELETE FROM thing WHERE id > 100' }])
  await sql.shrink(never)
  expect(await mode()).toEqual([{ auto_vacuum: 2 }])
  expect(statSync(join(folder, 'hearthd.db')).size).toBeLessThan(4_000_000)
  await sql.write([{ sql: 'INSERT INTO thing SELECT id + 9000, hex(randomblob(20000)) FROM thing' }])
  await sql.write([{ sql: 'DELETE FROM thing WHERE id < 9050' }])
  await sql.shrink(never)
  expect(await mode()).toEqual([{ auto_vacuum: 2 }])
  expect(statSync(join(folder, 'hearthd.db')).size).toBeLessThan(3_000_000)
})

test('a long read sees what is committed and does not stop the event loop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-read-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const sql = await openFilled(folder)
  const read = sql.read<{ bytes: number }>('SELECT sum(pgsize) AS bytes FROM dbstat WHERE aggregate = 1', [], {
    long: true,
  })
  let turns = 0
  const counting = setInterval(() => (turns += 1), 1)
  onTestFinished(() => clearInterval(counting))
  expect((await read)[0]?.bytes).toBeGreaterThan(40_000_000)
  expect(turns).toBeGreaterThan(0)
})
