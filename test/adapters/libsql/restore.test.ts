import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backUp, backupPath, keyPath, restoreStore } from '../../../adapters/libsql/backup.ts'
import { databasePath, openDatabase } from '../../../adapters/libsql/database.ts'
import { completeRestore, stageRestore, takeRestored, undoRestore } from '../../../adapters/libsql/restore.ts'

let data_dir: string
beforeEach(() => {
  data_dir = mkdtempSync(join(tmpdir(), 'hearthd-restore-'))
  const db = openDatabase(databasePath(data_dir))
  db.exec('CREATE TABLE schema_migrations (version INTEGER, name TEXT, release TEXT, applied_at TEXT)')
  db.exec(`INSERT INTO schema_migrations VALUES (1, 'schema', '0.1.0', 'now')`)
  db.close()
})
afterEach(() => rmSync(data_dir, { recursive: true, force: true }))

const key = () => join(data_dir, 'master.key')

/** A backup with its own master key, made in another folder. */
function backupWithKey(text: string | null): string {
  const target = backupPath(data_dir, 'manual')
  const db = openDatabase(databasePath(data_dir))
  backUp(db, target)
  db.close()
  if (text !== null) writeFileSync(keyPath(target), text)
  return target
}

function restore(backup: string, keys: boolean): void {
  stageRestore(data_dir, { backup, by: 'ada', keys })
  completeRestore(data_dir)
}

test('undoing a restore without its key keeps the master key, also after an earlier restore with a key', () => {
  writeFileSync(key(), 'first')
  restore(backupWithKey('second'), true)
  expect(readFileSync(key(), 'utf8')).toBe('second')
  takeRestored(data_dir)

  restore(backupWithKey(null), false)
  expect(undoRestore(data_dir, 'it does not start')).toBe(true)
  expect(readFileSync(key(), 'utf8')).toBe('second')
})

test('undoing a restore with its key brings the previous key back', () => {
  writeFileSync(key(), 'first')
  restore(backupWithKey('second'), true)
  expect(undoRestore(data_dir, 'it does not start')).toBe(true)
  expect(readFileSync(key(), 'utf8')).toBe('first')
})

test('the key that a restore replaced is kept with the backup of the replaced data', () => {
  writeFileSync(key(), 'first')
  restore(backupWithKey('second'), true)
  const previous = takeRestored(data_dir)?.previous ?? ''
  expect(previous).not.toBe('')
  const kept = join(data_dir, 'backups', basename(previous))
  restore(kept, true)
  expect(readFileSync(key(), 'utf8')).toBe('first')
})

test('from the command line, a damaged backup leaves the master key as it is', () => {
  writeFileSync(key(), 'first')
  const backup = backupWithKey('second')
  truncateSync(backup, 3_000)
  expect(() => restoreStore(data_dir, backup, undefined, { keys: true })).toThrow('cannot be restored')
  expect(readFileSync(key(), 'utf8')).toBe('first')
})

test('from the command line, the replaced master key is kept with the replaced database', () => {
  writeFileSync(key(), 'first')
  const kept = restoreStore(data_dir, backupWithKey('second'), undefined, { keys: true })
  expect(readFileSync(key(), 'utf8')).toBe('second')
  expect(readFileSync(keyPath(kept ?? ''), 'utf8')).toBe('first')
})

test('a restore whose announcement was read can still be undone, until the next one is prepared', () => {
  restore(backupWithKey(null), false)
  expect(takeRestored(data_dir)).toMatchObject({ error: null })
  expect(takeRestored(data_dir)).toBeNull()
  expect(undoRestore(data_dir, 'an area does not start')).toBe(true)
  expect(takeRestored(data_dir)).toMatchObject({ error: 'an area does not start' })
  expect(undoRestore(data_dir, 'again')).toBe(false)

  restore(backupWithKey(null), false)
  takeRestored(data_dir)
  stageRestore(data_dir, { backup: backupWithKey(null), by: 'ada', keys: false })
  expect(undoRestore(data_dir, 'it does not begin')).toBe(false)
})
