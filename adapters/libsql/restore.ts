import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { RestoreRecord } from '../../runtime/ports/backups.ts'
import {
  backUp,
  backupFolder,
  backupPath,
  copyPrivate,
  describeFiles,
  finish,
  keyPath,
  linkOrCopy,
  missingFiles,
  pruneBackups,
  replaceDatabase,
  restoreProblem,
  sweepPartial,
} from './backup.ts'
import { replacedFiles, stageFiles, swapFiles, undoSwap } from './backup-files.ts'
import { forgetKey } from './damage.ts'
import { databasePath, fileBytes, openDatabase } from './database.ts'

/**
 * Restores a backup while the daemon runs: `stageRestore` stages it, and the next start completes it before it opens the
 * database, in steps that survive a kill. `restore.json` marks a pending restore, `restored.json` one that
 * was completed or rolled back and has not been reported.
 */
interface Pending {
  name: string
  by: string
  keys: boolean
  files: boolean
}

const pendingFile = (data_dir: string) => join(data_dir, 'restore.json')
const doneFile = (data_dir: string) => join(data_dir, 'restored.json')
/** `restored.json` after it was announced: the start may still fail. */
const announcedFile = (data_dir: string) => join(data_dir, 'restored.announced.json')
const freshFile = (data_dir: string) => `${databasePath(data_dir)}.restoring`
const freshKey = (data_dir: string) => join(data_dir, 'master.key.restoring')
const oldKey = (data_dir: string) => join(data_dir, 'master.key.before-restore')

/** Verifies a backup and stages it for the next start. */
export function stageRestore(
  data_dir: string,
  { backup, by, keys, files }: { backup: string; by: string; keys: boolean; files: boolean },
  encryption_key?: string,
): void {
  const problem = restoreProblem(backup, encryption_key) ?? (files ? missingFiles(backup) : null)
  if (problem) throw new Error(`${basename(backup)} cannot be restored: ${problem}`)
  // An earlier staged restore must not be completed with a partial copy.
  rmSync(pendingFile(data_dir), { force: true })
  rmSync(announcedFile(data_dir), { force: true })
  rmSync(freshKey(data_dir), { force: true })
  if (keys) copyPrivate(keyPath(backup), freshKey(data_dir))
  copyPrivate(backup, freshFile(data_dir))
  const staged = files && stageFiles(data_dir, backup)
  writeJson(pendingFile(data_dir), { name: basename(backup), by, keys, files: staged } satisfies Pending)
}

/** Completes a staged restore. The caller holds the folder lock; the database is closed. */
export function completeRestore(data_dir: string, encryption_key?: string): void {
  sweepPartial(backupFolder(data_dir))
  const pending = readJson<Pending & { previous?: string | null }>(pendingFile(data_dir))
  if (!pending) return
  if (existsSync(freshFile(data_dir))) {
    const previous = pending.previous === undefined ? keepCurrent(data_dir, encryption_key) : pending.previous
    writeJson(pendingFile(data_dir), { ...pending, previous })
    if (pending.keys) restoreKey(data_dir, previous)
    if (pending.files) swapFiles(data_dir, keptFiles(data_dir, previous))
    replaceDatabase(data_dir, freshFile(data_dir), encryption_key)
    pending.previous = previous
  }
  if (pending.files && pending.previous) describeFiles(join(backupFolder(data_dir), pending.previous))
  record(data_dir, pending, null)
  pruneBackups(data_dir)
}

const keptFiles = (data_dir: string, previous: string | null) =>
  previous === null ? `${oldKey(data_dir)}.files` : replacedFiles(join(backupFolder(data_dir), previous))

/** Rolls back the last restore, because the daemon could not start with it. False if there is nothing to roll back. */
export function undoRestore(data_dir: string, why: string, encryption_key?: string): boolean {
  const done = readJson<RestoreRecord>(doneFile(data_dir)) ?? readJson<RestoreRecord>(announcedFile(data_dir))
  if (!done?.previous || done.error !== null) return false
  const previous = join(backupFolder(data_dir), done.previous)
  copyPrivate(previous, freshFile(data_dir))
  if (existsSync(keyPath(previous))) {
    copyPrivate(keyPath(previous), freshKey(data_dir))
    renameSync(freshKey(data_dir), join(data_dir, 'master.key'))
  }
  forgetKey(data_dir)
  undoSwap(data_dir, replacedFiles(previous))
  replaceDatabase(data_dir, freshFile(data_dir), encryption_key)
  describeFiles(previous)
  writeJson(doneFile(data_dir), { ...done, error: why })
  return true
}

/** The restore that the last start completed or rolled back; later calls return null. */
export function takeRestored(data_dir: string): RestoreRecord | null {
  const done = readJson<RestoreRecord>(doneFile(data_dir))
  if (done) renameSync(doneFile(data_dir), announcedFile(data_dir))
  return done
}

function record(
  data_dir: string,
  { name, by, previous = null }: Pending & { previous?: string | null },
  error: null,
) {
  const at = new Date().toISOString()
  writeJson(doneFile(data_dir), { name, by, at, previous, error } satisfies RestoreRecord)
  rmSync(pendingFile(data_dir), { force: true })
}

/** Backs up the closed database as a hard link to its file, if its write-ahead log is empty. */
function keepCurrent(data_dir: string, encryption_key?: string): string | null {
  const path = databasePath(data_dir)
  if (!existsSync(path)) return null
  const target = backupPath(data_dir, 'before-restore')
  const db = openDatabase(path, encryption_key)
  try {
    db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all([])
    if (fileBytes(`${path}-wal`) > 0) {
      backUp(db, target, encryption_key)
      return basename(target)
    }
  } finally {
    db.close()
  }
  linkOrCopy(path, `${target}.partial`)
  finish(target, encryption_key)
  return basename(target)
}

/** Makes the next start accept the restored key. The old key is kept with the backup of the data that it encrypts. */
function restoreKey(data_dir: string, previous: string | null): void {
  const key = join(data_dir, 'master.key')
  if (!existsSync(freshKey(data_dir))) return
  const kept = previous === null ? oldKey(data_dir) : keyPath(join(backupFolder(data_dir), previous))
  if (existsSync(key)) copyPrivate(key, kept)
  renameSync(freshKey(data_dir), key)
  forgetKey(data_dir)
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
}

function readJson<Value>(path: string): Value | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Value
  } catch {
    return null
  }
}
