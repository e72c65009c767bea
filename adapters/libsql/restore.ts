import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { RestoreRecord } from '../../runtime/ports/backups.ts'
import { readJson, writeJson } from '../process/files.ts'
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
  removeBackup,
  replaceDatabase,
  restoreProblem,
  sweepPartial,
} from './backup.ts'
import { archiveOf, replacedFiles } from './backup-archive.ts'
import { forgetKey, StoreDamaged } from './damage.ts'
import { databasePath, fileBytes, openDatabase } from './database.ts'
import { freshFiles, requireReplaceable, stageFiles, swapFiles, undoneFiles, undoSwap } from './file-swap.ts'

/**
 * Restores a backup while the daemon runs: `stageRestore` copies it, `scheduleRestore` schedules it, and the next start
 * completes it before it opens the database, in steps that survive a kill. `restore.json` marks a pending restore or
 * rollback, `restored.json` one that was completed and has not been reported.
 */
export interface Pending {
  name: string
  by: string
  keys: boolean
  files: boolean
}

interface Begun extends Pending {
  /** The backup of the data before the restore; null if there was no database. */
  previous?: string | null
  /** Why the restore is being rolled back. */
  undo?: string
  /** For `restoreStore`: the path of the database that it replaces; null if there was none. */
  kept?: string | null
}

/** Marks a restore that the next start completes. */
const pendingFile = (data_dir: string) => join(data_dir, 'restore.json')
const doneFile = (data_dir: string) => join(data_dir, 'restored.json')
/** `restored.json` after it was announced: the start may still fail. */
const announcedFile = (data_dir: string) => join(data_dir, 'restored.announced.json')
const freshFile = (data_dir: string) => `${databasePath(data_dir)}.restoring`
const freshKey = (data_dir: string) => join(data_dir, 'master.key.restoring')
const oldKey = (data_dir: string) => join(data_dir, 'master.key.before-restore')

/**
 * Verifies a backup and copies it next to the data; `scheduleRestore` then schedules its restore.
 */
export function stageRestore(
  data_dir: string,
  { backup, by, keys, files }: { backup: string; by: string; keys: boolean; files: boolean },
  encryption_key?: string,
): Pending {
  const problem = restoreProblem(backup, encryption_key) ?? (files ? missingFiles(backup) : null)
  if (problem) throw new Error(`${basename(backup)} cannot be restored: ${problem}`)
  if (files && archiveOf(backup)) requireRename(data_dir)
  return stage(data_dir, { backup, by, keys, files })
}

function stage(
  data_dir: string,
  { backup, by, keys, files }: { backup: string; by: string; keys: boolean; files: boolean },
): Pending {
  if (files && archiveOf(backup)) requireReplaceable(data_dir)
  // An earlier staged restore must not be completed with a partial copy.
  rmSync(pendingFile(data_dir), { force: true })
  rmSync(announcedFile(data_dir), { force: true })
  rmSync(freshKey(data_dir), { force: true })
  if (keys) copyPrivate(keyPath(backup), freshKey(data_dir))
  copyPrivate(backup, freshFile(data_dir))
  const staged = files && stageFiles(data_dir, backup)
  return { name: basename(backup), by, keys, files: staged }
}

/** Makes the next start restore what `stageRestore` copied. */
export const scheduleRestore = (data_dir: string, pending: Pending) => writeJson(pendingFile(data_dir), pending)

/** Removes what a failed staging left, and a restore that was scheduled before it. */
export function cancelRestore(data_dir: string): void {
  rmSync(pendingFile(data_dir), { force: true })
  removeStaged(data_dir)
}

/** The replaced files are moved to the backups by renaming, which another disk refuses. */
function requireRename(data_dir: string): void {
  const folder = backupFolder(data_dir)
  const probe = join(data_dir, '.rename')
  const moved = join(folder, '.rename')
  mkdirSync(probe, { recursive: true, mode: 0o700 })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    renameSync(probe, moved)
  } catch (thrown) {
    const { message } = thrown as Error
    throw new Error(`${folder} is on another disk; restore without files (${message})`)
  } finally {
    for (const path of [probe, moved]) rmSync(path, { recursive: true, force: true })
  }
}

/** Completes a staged restore or a rollback. The caller holds the folder lock; the database is closed. */
export function completeRestore(data_dir: string, encryption_key?: string): void {
  sweepPartial(backupFolder(data_dir))
  const pending = readJson<Begun>(pendingFile(data_dir))
  if (!pending) removeStaged(data_dir)
  else if (pending.kept !== undefined) {
    putBack(data_dir, pending)
    record(data_dir, pending, 'The data before the restore is in use: hearthd restore was interrupted')
  } else if (pending.undo === undefined) complete(data_dir, pending, encryption_key)
  else rollBack(data_dir, pending, encryption_key)
}

function complete(data_dir: string, pending: Begun, encryption_key?: string): void {
  if (existsSync(freshFile(data_dir))) {
    try {
      replaceKeyAndFiles(data_dir, pending, encryption_key)
    } catch (thrown) {
      abandon(data_dir, pending, (thrown as Error).message, encryption_key)
      return
    }
    replaceDatabase(data_dir, freshFile(data_dir), encryption_key)
  }
  if (pending.files && pending.previous) describeFiles(join(backupFolder(data_dir), pending.previous))
  record(data_dir, pending, null)
  pruneBackups(data_dir)
}

function replaceKeyAndFiles(data_dir: string, pending: Begun, encryption_key?: string): void {
  if (pending.previous === undefined) {
    const previous = keepCurrent(data_dir, encryption_key)
    // Files that an earlier restore without a previous database replaced would be mixed with those of this one.
    if (pending.files && previous === null) rmSync(keptFiles(data_dir, null), { recursive: true, force: true })
    pending.previous = previous
    writeJson(pendingFile(data_dir), pending)
  }
  if (pending.keys) restoreKey(data_dir, keptKey(data_dir, pending.previous))
  if (pending.files) swapFiles(data_dir, keptFiles(data_dir, pending.previous))
}

/** Goes back to the data before a restore that failed before it replaced the database. */
function abandon(data_dir: string, pending: Begun, why: string, encryption_key?: string): void {
  // A key that is still staged has replaced nothing, and its copy of the old one may be incomplete.
  const keys = pending.keys && !existsSync(freshKey(data_dir))
  const undo = `The data before the restore is in use: ${why}`
  if (pending.previous === undefined) {
    record(data_dir, pending, undo)
    removeStaged(data_dir)
  } else beginRollBack(data_dir, { ...pending, keys, undo }, encryption_key)
}

/** Removes what an unfinished `stageRestore` or a rollback left. */
function removeStaged(data_dir: string): void {
  for (const path of [freshFile, freshKey, freshFiles, undoneFiles])
    rmSync(path(data_dir), { recursive: true, force: true })
}

const keptFiles = (data_dir: string, previous: string | null) =>
  previous === null ? join(data_dir, 'files.before-restore') : replacedFiles(join(backupFolder(data_dir), previous))

const keptKey = (data_dir: string, previous: string | null) =>
  previous === null ? oldKey(data_dir) : keyPath(join(backupFolder(data_dir), previous))

/** Rolls back the last restore, because the daemon could not start with it. False if there is nothing to roll back. */
export function undoRestore(data_dir: string, why: string, encryption_key?: string): boolean {
  const done = readJson<RestoreRecord>(doneFile(data_dir)) ?? readJson<RestoreRecord>(announcedFile(data_dir))
  if (!done?.previous || done.error !== null) return false
  const { name, by, previous } = done
  beginRollBack(data_dir, { name, by, previous, keys: true, files: true, undo: why }, encryption_key)
  return true
}

function beginRollBack(data_dir: string, pending: Begun, encryption_key?: string): void {
  writeJson(pendingFile(data_dir), pending)
  rollBack(data_dir, pending, encryption_key)
}

/** May be repeated after a kill. */
function rollBack(data_dir: string, pending: Begun, encryption_key?: string): void {
  const { previous = null, keys, files, undo = '' } = pending
  const key = keptKey(data_dir, previous)
  if (keys && existsSync(key)) {
    copyPrivate(key, freshKey(data_dir))
    renameSync(freshKey(data_dir), join(data_dir, 'master.key'))
  }
  forgetKey(data_dir)
  if (files) undoSwap(data_dir, keptFiles(data_dir, previous))
  if (previous !== null) {
    copyPrivate(join(backupFolder(data_dir), previous), freshFile(data_dir))
    replaceDatabase(data_dir, freshFile(data_dir), encryption_key)
    describeFiles(join(backupFolder(data_dir), previous))
  }
  record(data_dir, pending, undo)
  removeStaged(data_dir)
}

/**
 * Replaces the database with a backup, with `keys` the master key with that of the backup, and with `files` the files. The
 * previous database, which may be damaged, is kept next to it, with its key and files; returns its path, or null. If a
 * step fails, everything is put back; after a kill, the next start does that. The caller holds the lock of the folder.
 */
export function restoreStore(
  data_dir: string,
  backup: string,
  encryption_key?: string,
  { keys = false, files = false }: { keys?: boolean; files?: boolean } = {},
): string | null {
  const problem = restoreProblem(backup, encryption_key) ?? (files ? missingFiles(backup) : null)
  if (problem) throw new StoreDamaged(`${backup} cannot be restored: ${problem}`)
  const path = databasePath(data_dir)
  const time = new Date().toISOString().replace(/[-:.]/g, '')
  const kept = existsSync(path) ? `${path}.before-restore.${time}` : null
  const pending: Begun = { ...stage(data_dir, { backup, by: '', keys, files }), kept }
  if (pending.files && kept === null) rmSync(replacedFiles(path), { recursive: true, force: true })
  writeJson(pendingFile(data_dir), pending)
  try {
    if (kept !== null) keepDatabase(path, kept)
    if (keys) restoreKey(data_dir, keyPath(kept ?? path))
    if (pending.files) swapFiles(data_dir, replacedFiles(kept ?? path))
    replaceDatabase(data_dir, freshFile(data_dir), encryption_key)
  } catch (thrown) {
    const why = `${backup} was not restored: ${(thrown as Error).message}`
    try {
      putBack(data_dir, pending)
    } catch (failed) {
      throw new Error(`${why}. The next start puts the previous data back (${(failed as Error).message})`)
    }
    throw new Error(`${why}. The previous data is in use`)
  }
  record(data_dir, pending, null)
  pruneReplaced(data_dir)
  return kept
}

/** Keeps the database under a second name. The original name stays until another file replaces it. */
function keepDatabase(path: string, kept: string): void {
  for (const suffix of logs) if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  linkOrCopy(path, kept)
}

const logs = ['-wal', '-shm']

/** Goes back to the data before an unfinished `restoreStore`. May be repeated after a kill. */
function putBack(data_dir: string, { kept = null, keys, files }: Begun): void {
  const path = databasePath(data_dir)
  if (files) undoSwap(data_dir, replacedFiles(kept ?? path))
  // A key that is still staged has replaced nothing.
  if (keys && !existsSync(freshKey(data_dir))) {
    const old = keyPath(kept ?? path)
    rmSync(join(data_dir, 'master.key'), { force: true })
    if (existsSync(old)) copyPrivate(old, join(data_dir, 'master.key'))
    forgetKey(data_dir)
  }
  if (kept !== null) {
    if (!existsSync(freshFile(data_dir)) && existsSync(kept)) renameSync(kept, path)
    for (const suffix of logs) if (existsSync(kept + suffix)) renameSync(kept + suffix, path + suffix)
  } else if (!existsSync(freshFile(data_dir))) rmSync(path, { force: true })
  rmSync(pendingFile(data_dir), { force: true })
  if (kept !== null) removeBackup(kept)
  removeStaged(data_dir)
}

/** Keeps the last three databases that `restoreStore` replaced. */
function pruneReplaced(data_dir: string): void {
  const replaced = readdirSync(data_dir).filter((name) => /\.db\.before-restore\.\d{8}T\d{9}Z$/.test(name))
  for (const name of replaced.sort().slice(0, -3)) removeBackup(join(data_dir, name))
}

/** The restore that the last start completed or rolled back; later calls return null. */
export function takeRestored(data_dir: string): RestoreRecord | null {
  const done = readJson<RestoreRecord>(doneFile(data_dir))
  if (done) renameSync(doneFile(data_dir), announcedFile(data_dir))
  return done
}

function record(data_dir: string, { name, by, previous = null }: Begun, error: string | null): void {
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
function restoreKey(data_dir: string, kept: string): void {
  const key = join(data_dir, 'master.key')
  if (!existsSync(freshKey(data_dir))) return
  if (existsSync(key)) copyPrivate(key, kept)
  renameSync(freshKey(data_dir), key)
  forgetKey(data_dir)
}
