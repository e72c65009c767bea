import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { unpackFiles } from '../../../adapters/libsql/archive-extraction.ts'
import {
  backUp,
  backupPath,
  filesDamage,
  keyPath,
  partialBackups,
  readManifest,
  sweepPartial,
} from '../../../adapters/libsql/backup.ts'
import { archivePath } from '../../../adapters/libsql/backup-archive.ts'
import { databasePath, openDatabase } from '../../../adapters/libsql/database.ts'
import {
  completeRestore,
  restoreStore,
  scheduleRestore,
  stageRestore,
  takeRestored,
  undoRestore,
} from '../../../adapters/libsql/restore.ts'
import { endOfTar, tarHeader } from '../../../adapters/libsql/tar.ts'

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

function stage(backup: string, keys = false): void {
  scheduleRestore(data_dir, stageRestore(data_dir, { backup, by: 'ada', keys, files: true }))
}

function restore(backup: string, keys: boolean): void {
  stage(backup, keys)
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
  stage(backupWithKey(null))
  expect(undoRestore(data_dir, 'it does not begin')).toBe(false)
})

const workspace = () => join(data_dir, 'files', 'workspaces', 'agent_1')
const long = `${'folder-with-a-long-name/'.repeat(8)}файл.txt`

/** Files with everything that an archive must keep. */
function makeFiles(numbered = 3): void {
  mkdirSync(join(workspace(), long, '..'), { recursive: true })
  mkdirSync(join(data_dir, 'sandbox', 'box', 'empty'), { recursive: true })
  writeFileSync(join(workspace(), long), 'Anna lives in Berlin')
  writeFileSync(join(workspace(), 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(workspace(), 'big.bin'), Buffer.alloc(700_000, 7))
  writeFileSync(join(workspace(), `.hearthd-${'0'.repeat(24)}.tmp`), 'unfinished')
  symlinkSync('../run.sh', join(data_dir, 'sandbox', 'box', 'link'))
  for (let count = 0; count < numbered; count += 1) writeFileSync(join(workspace(), `${count}.txt`), `${count}`)
}

function backupWithFiles(): string {
  const target = backupPath(data_dir, 'manual')
  const db = openDatabase(databasePath(data_dir))
  backUp(db, target, undefined, undefined, data_dir)
  db.close()
  return target
}

function expectFiles(): void {
  expect(readFileSync(join(workspace(), long), 'utf8')).toBe('Anna lives in Berlin')
  expect(statSync(join(workspace(), 'run.sh')).mode & 0o777).toBe(0o755)
  expect(statSync(join(workspace(), 'big.bin')).size).toBe(700_000)
  expect(readdirSync(join(data_dir, 'sandbox', 'box'))).toEqual(['empty', 'link'])
  expect(readlinkSync(join(data_dir, 'sandbox', 'box', 'link'))).toBe('../run.sh')
  expect(readFileSync(join(workspace(), '2.txt'), 'utf8')).toBe('2')
}

test('a backup with files lists them, tar can extract it, and a restore puts them back and keeps what it replaced', () => {
  makeFiles(1_100)
  const backup = backupWithFiles()
  expect(readManifest(backup)?.files).toMatchObject({
    count: 1_103,
    skipped: 0,
    folders: [{ folder: 'workspaces' }],
  })
  const names = execFileSync('tar', ['-tf', archivePath(backup)], { encoding: 'utf8' })
  expect(names).toContain('manifest/2.jsonl\nmanifest.json\n')
  const out = mkdtempSync(join(data_dir, 'out-'))
  execFileSync('tar', ['-xf', archivePath(backup), '-C', out])
  expect(readFileSync(join(out, 'files/workspaces/agent_1', long), 'utf8')).toBe('Anna lives in Berlin')

  rmSync(workspace(), { recursive: true })
  mkdirSync(workspace())
  writeFileSync(join(workspace(), 'later.txt'), 'written after the backup')
  restore(backup, false)
  expectFiles()
  expect(existsSync(join(workspace(), 'later.txt'))).toBe(false)
  const previous = join(data_dir, 'backups', takeRestored(data_dir)?.previous ?? '')
  expect(readManifest(previous)?.files).toMatchObject({ count: 1, bytes: 24 })

  restore(previous, false)
  expect(readdirSync(workspace())).toEqual(['later.txt'])
  expect(undoRestore(data_dir, 'it does not start')).toBe(true)
  expectFiles()
  expect(readdirSync(data_dir).filter((name) => name.includes('restoring') || name.includes('undone'))).toEqual([])
})

test('a backup without files leaves the files as they are', () => {
  makeFiles()
  restore(backupWithKey(null), false)
  expectFiles()
  expect(undoRestore(data_dir, 'it does not start')).toBe(true)
  expectFiles()
})

test('a restore of files that was killed between two renames is completed by the next start', () => {
  makeFiles()
  const backup = backupWithFiles()
  writeFileSync(join(workspace(), 'later.txt'), 'written after the backup')
  stage(backup)
  completeRestore(data_dir)
  const previous = takeRestored(data_dir)?.previous ?? ''
  // As if it had been killed after it had moved the old files away.
  stage(backup)
  const pending = JSON.parse(readFileSync(join(data_dir, 'restore.json'), 'utf8')) as object
  writeFileSync(join(data_dir, 'restore.json'), JSON.stringify({ ...pending, previous }))
  const kept = join(data_dir, 'backups', `${previous}.files`)
  rmSync(kept, { recursive: true })
  mkdirSync(kept)
  renameSync(join(data_dir, 'files'), join(kept, 'files'))
  completeRestore(data_dir)
  expectFiles()
})

test('changed, cut, missing and foreign files of a backup are found, and nothing is replaced', () => {
  makeFiles()
  const backup = backupWithFiles()
  const archive = archivePath(backup)
  const intact = readFileSync(archive)
  const refused = () => {
    expect(() => stageRestore(data_dir, { backup, by: 'ada', keys: false, files: true })).toThrow('cannot be restored')
    expect(existsSync(join(data_dir, 'restore.json'))).toBe(false)
    return filesDamage(backup)
  }
  const changed = Buffer.from(intact)
  changed[intact.indexOf('Anna lives')] = 90
  writeFileSync(archive, changed)
  expect(refused()).toMatch('a file was changed')
  writeFileSync(archive, intact.subarray(0, intact.length / 2))
  expect(refused()).toMatch('cut short')
  rmSync(archive)
  expect(refused()).toMatch('is missing')
  const outside = mkdtempSync(join(data_dir, 'outside-'))
  writeFileSync(join(outside, 'evil'), 'x')
  execFileSync('tar', ['-cPf', archive, '--transform', 's,^,files/../../,', '-C', outside, 'evil'])
  expect(refused()).toMatch('not a path of the data folder')
  expectFiles()
})

test('an archive without its database is the remainder of a killed backup and is removed', () => {
  makeFiles()
  const backup = backupWithFiles()
  rmSync(backup)
  expect(partialBackups(join(data_dir, 'backups'))).toEqual([backup])
  sweepPartial(join(data_dir, 'backups'))
  expect(readdirSync(join(data_dir, 'backups'))).toEqual([])
})

test('what a killed reader leaves next to a backup is removed, but no log with data', () => {
  const backups = join(data_dir, 'backups')
  const [read, written] = [backupWithKey(null), backupWithKey(null)]
  for (const path of [`${read}-wal`, `${read}-shm`, `${written}-shm`]) writeFileSync(path, '')
  writeFileSync(`${written}-wal`, 'pages')
  sweepPartial(backups)
  const logs = readdirSync(backups).filter((name) => /-(wal|shm)$/.test(name))
  expect(logs.sort()).toEqual([`${basename(written)}-shm`, `${basename(written)}-wal`])
})

test('only the last five copies of replaced data are kept, and three of the command line', () => {
  const backup = backupWithKey(null)
  for (let count = 0; count < 7; count += 1) restore(backup, false)
  const replaced = readdirSync(join(data_dir, 'backups')).filter((name) => name.endsWith('before-restore.db'))
  expect(replaced).toHaveLength(5)
  for (let count = 0; count < 5; count += 1) restoreStore(data_dir, backup)
  expect(readdirSync(data_dir).filter((name) => name.includes('.db.before-restore.'))).toHaveLength(3)
})

test('a restore that cannot replace the files leaves the data, the files and the key as they were', () => {
  makeFiles()
  writeFileSync(key(), 'first')
  const backup = backupWithFiles()
  writeFileSync(keyPath(backup), 'second')
  writeFileSync(join(workspace(), '2.txt'), 'later')
  stage(backup, true)
  rmSync(join(data_dir, 'sandbox'), { recursive: true })
  writeFileSync(join(data_dir, 'sandbox'), 'a file, which cannot be replaced')
  completeRestore(data_dir)
  expect(readFileSync(join(workspace(), '2.txt'), 'utf8')).toBe('later')
  expect(readFileSync(key(), 'utf8')).toBe('first')
  expect(takeRestored(data_dir)).toMatchObject({ error: expect.stringContaining('EEXIST') })
  expect(readdirSync(data_dir).filter((name) => /restor|undone/.test(name))).toEqual(['restored.announced.json'])
})

test('from the command line, a restore that fails or is killed leaves the data, the files and the key as they were', () => {
  makeFiles()
  writeFileSync(key(), 'first')
  const backup = backupWithFiles()
  writeFileSync(keyPath(backup), 'second')
  writeFileSync(join(workspace(), '2.txt'), 'later')
  const db = openDatabase(databasePath(data_dir))
  db.exec('CREATE TABLE later (id INTEGER)')
  db.close()
  const expectOld = () => {
    expect(readFileSync(join(workspace(), '2.txt'), 'utf8')).toBe('later')
    expect(readFileSync(key(), 'utf8')).toBe('first')
    const reopened = openDatabase(databasePath(data_dir))
    expect(reopened.prepare('SELECT id FROM later').all([])).toEqual([])
    reopened.close()
    const left = readdirSync(data_dir).filter((name) => /restor(?!ed)|undone/.test(name))
    expect(left).toEqual([])
  }
  const restored = () => restoreStore(data_dir, backup, undefined, { keys: true, files: true })
  // The step after the database is replaced fails.
  const marker = join(data_dir, 'store.json.new')
  mkdirSync(marker)
  expect(restored).toThrow('The previous data is in use')
  expectOld()

  // Undoing fails too, as if the process had been killed.
  writeFileSync(join(data_dir, 'files.undone'), 'a file, which cannot be replaced')
  expect(restored).toThrow('The next start puts the previous data back')
  rmSync(marker, { recursive: true })
  rmSync(join(data_dir, 'files.undone'))
  completeRestore(data_dir)
  expectOld()
  expect(takeRestored(data_dir)).toMatchObject({ error: expect.stringContaining('was interrupted') })

  restored()
  expect(readFileSync(join(workspace(), '2.txt'), 'utf8')).not.toBe('later')
  expect(readFileSync(key(), 'utf8')).toBe('second')
  expect(takeRestored(data_dir)).toMatchObject({ name: basename(backup), error: null })
})

test('only a scheduled restore is completed, and the next start removes what was staged without it', () => {
  makeFiles()
  const backup = backupWithFiles()
  stageRestore(data_dir, { backup, by: 'ada', keys: false, files: true })
  writeFileSync(join(workspace(), '2.txt'), 'later')
  completeRestore(data_dir)
  expect(readFileSync(join(workspace(), '2.txt'), 'utf8')).toBe('later')
  expect(readdirSync(data_dir).filter((name) => name.includes('restor'))).toEqual([])
})

test('a rollback that was killed is completed by the next start', () => {
  makeFiles()
  const backup = backupWithFiles()
  writeFileSync(join(workspace(), '2.txt'), 'later')
  restore(backup, false)
  const { previous } = takeRestored(data_dir) ?? {}
  // As if it had been killed after it had moved the restored files away.
  const undo = { name: basename(backup), by: 'ada', previous, keys: true, files: true, undo: 'no start' }
  writeFileSync(join(data_dir, 'restore.json'), JSON.stringify(undo))
  mkdirSync(join(data_dir, 'files.undone'))
  renameSync(join(data_dir, 'files'), join(data_dir, 'files.undone', 'files'))
  completeRestore(data_dir)
  expect(readFileSync(join(workspace(), '2.txt'), 'utf8')).toBe('later')
  expect(takeRestored(data_dir)).toMatchObject({ error: 'no start', previous })
  expect(readdirSync(data_dir).filter((name) => /restore\.json|undone/.test(name))).toEqual([])
})

test('a backup keeps a name with a backslash, and an entry below a link is refused', () => {
  makeFiles()
  writeFileSync(join(workspace(), 'a\\b.txt'), 'legal on Linux')
  const backup = backupWithFiles()
  rmSync(workspace(), { recursive: true })
  restore(backup, false)
  expect(readFileSync(join(workspace(), 'a\\b.txt'), 'utf8')).toBe('legal on Linux')

  const link = (path: string) =>
    tarHeader({ path, kind: 'link', target: data_dir, bytes: 0, mode: 0o777, uid: 0, gid: 0, modified: 0 })
  const archive = [link('files/a'), link('files/a/b/x'), endOfTar()]
  expect(() => unpackFiles(archive, null)).toThrow('files/a/b/x is below a link')
})

test('a backup has the files of a root that is a link, and counts what it cannot read', () => {
  makeFiles()
  const disk = mkdtempSync(join(tmpdir(), 'hearthd-disk-'))
  onTestFinished(() => rmSync(disk, { recursive: true, force: true }))
  cpSync(join(data_dir, 'files'), join(disk, 'files'), { recursive: true })
  rmSync(join(data_dir, 'files'), { recursive: true })
  symlinkSync(join(disk, 'files'), join(data_dir, 'files'))
  writeFileSync(Buffer.concat([Buffer.from(`${workspace()}/`), Buffer.from([0xe9])]), 'not UTF-8')
  expect(readManifest(backupWithFiles())?.files).toMatchObject({ count: 6, skipped: 1 })
})

test('a removal that was killed leaves nothing that stays after the next start', () => {
  const backup = backupWithKey('second')
  mkdirSync(`${backup}.files`)
  rmSync(backup)
  completeRestore(data_dir)
  expect(readdirSync(join(data_dir, 'backups'))).toEqual([])
})

test('without a database, a second restore replaces the files of the first', () => {
  makeFiles()
  const backup = backupWithFiles()
  for (const content of ['first', 'second']) {
    rmSync(databasePath(data_dir))
    writeFileSync(join(workspace(), '2.txt'), content)
    restore(backup, false)
    expect(takeRestored(data_dir)).toMatchObject({ error: null, previous: null })
    expectFiles()
    const kept = join(data_dir, 'files.before-restore', 'files', 'workspaces', 'agent_1', '2.txt')
    expect(readFileSync(kept, 'utf8')).toBe(content)
  }
})
