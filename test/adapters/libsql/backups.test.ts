import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createBackups } from '../../../adapters/libsql/backups.ts'
import { databasePath, openDatabase } from '../../../adapters/libsql/database.ts'

function backupsOf(rows: number) {
  const data_dir = mkdtempSync(join(tmpdir(), 'hearthd-backups-'))
  onTestFinished(() => rmSync(data_dir, { recursive: true, force: true }))
  const db = openDatabase(databasePath(data_dir))
  db.exec('CREATE TABLE schema_migrations (version INTEGER, name TEXT, release TEXT, applied_at TEXT)')
  db.exec('CREATE TABLE thing (id INTEGER PRIMARY KEY, note TEXT)')
  db.exec(`WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${rows})
    INSERT INTO thing SELECT id, hex(randomblob(500)) FROM n`)
  db.close()
  const backups = createBackups({ data_dir, key_id: () => null, restart: null })
  return { backups, folder: join(data_dir, 'backups') }
}

test('a backup cancelled while it copies leaves nothing, and the daemon continues', async () => {
  const { backups, folder } = backupsOf(20_000)
  const copying = () => existsSync(folder) && readdirSync(folder).length > 0
  for (const round of [1, 2, 3]) {
    const cancelled = new Error(`cancelled ${round}`)
    const abort = new AbortController()
    const backup = backups.create({
      reason: 'manual',
      folder: null,
      keys: false,
      files: false,
      signal: abort.signal,
      onProgress: () => undefined,
    })
    while (!copying()) await new Promise((resolve) => setImmediate(resolve))
    abort.abort(cancelled)
    await expect(backup).rejects.toBe(cancelled)
    expect(readdirSync(folder)).toEqual([])
  }
})

test('a backup in another folder removes what killed ones left there long ago', async () => {
  const { backups } = backupsOf(10)
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-backups-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [old, recent] = ['hearthd-20260101T000000000Z-scheduled.db', 'hearthd-20260102T000000000Z-scheduled.db']
  for (const part of ['partial', 'files.tar']) {
    for (const name of [old, recent]) writeFileSync(join(folder, `${name}.${part}`), 'x')
    utimesSync(join(folder, `${old}.${part}`), new Date(0), new Date(0))
  }
  const { signal } = new AbortController()
  const options = { keys: false, files: false, signal, onProgress: () => undefined }
  const { name } = await backups.create({ ...options, reason: 'scheduled', folder })
  expect(readdirSync(folder).sort()).toEqual([`${recent}.files.tar`, `${recent}.partial`, name, `${name}.json`].sort())
})
