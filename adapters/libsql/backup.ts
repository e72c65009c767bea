import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type Database from 'libsql'
import { migrations, newestMigration } from '../../runtime/migrations/migrate.ts'
import type { BackupFiles, BackupReason } from '../../runtime/ports/backups.ts'
import { hour } from '../../runtime/time.ts'
import { createFolder, readJson, withFile } from '../process/files.ts'
import { unpackFiles } from './archive-extraction.ts'
import { archiveOf, archivePath, measureFiles, piecesOf, replacedFiles, writeArchive } from './backup-archive.ts'
import { innerDamage, lookOf, readMarker, writeMarker } from './damage.ts'
import { databasePath, fileBytes, openDatabase } from './database.ts'

export const backupFolder = (folder: string) => join(folder, 'backups')

const keptAutomatic = 5
const automatic = /^hearthd-\d{8}T\d{6}\d{3}Z-before-(?:migration|repair)\.db$/
const beforeRestore = /^hearthd-\d{8}T\d{6}\d{3}Z-before-restore\.db$/
const backupName = /^hearthd-\d.*\.db$/

/** `backups/hearthd-<time>-<why>.db`, readable by its owner only. */
export function backupPath(folder: string, why: BackupReason): string {
  return join(backupFolder(folder), newBackupName(why))
}

export function newBackupName(why: BackupReason): string {
  const time = new Date().toISOString().replace(/[-:.]/g, '')
  return `hearthd-${time}-${why}.db`
}

/** The manifest of a backup, `<backup>.json`. It is written before the backup gets its final name. */
interface Manifest {
  /** ISO 8601, UTC. */
  created_at: string
  bytes: number
  sha256: string
  release: string
  schema_version: number
  /** Id of the master key that encrypted its secrets. */
  key_id?: string | undefined
  files?: BackupFiles | undefined
}

/**
 * Copies the whole database to `target`, which must not exist. The copy has a temporary name until it has been opened,
 * checked and flushed, so an incomplete backup never looks complete. It is encrypted with the original's key; `files_of`
 * is a data folder whose files are copied too, which are not encrypted.
 */
export function backUp(
  db: Database.Database,
  target: string,
  encryption_key?: string,
  key_id?: string,
  files_of?: string,
): Manifest {
  return publish(target, encryption_key, key_id, (partial) => {
    db.prepare('VACUUM INTO ?').run([partial])
    // After the database, so that every file that it names is there, unless it is deleted meanwhile.
    if (files_of !== undefined) writeArchive(files_of, archivePath(target))
  })
}

/** Creates `target` from an empty temporary file that `write` fills, if the result is an intact database. */
function publish(
  target: string,
  encryption_key: string | undefined,
  key_id: string | undefined,
  write: (partial: string) => void,
): Manifest {
  createFolder(dirname(target))
  if (existsSync(target)) throw Object.assign(new Error(`EEXIST: ${target} already exists`), { code: 'EEXIST' })
  const partial = `${target}.partial`
  writeFileSync(partial, '', { mode: 0o600, flag: 'wx' })
  try {
    write(partial)
    return finish(target, encryption_key, key_id)
  } catch (thrown) {
    discard(target)
    throw thrown
  }
}

/** Verifies the temporary file of a backup, flushes it, records its checksum and renames it. */
export function finish(target: string, encryption_key?: string, key_id?: string): Manifest {
  const partial = `${target}.partial`
  const damage = backupDamage(partial, encryption_key, 'integrity_check')
  if (damage) throw new Error(`The backup ${target} could not be read back: ${damage}`)
  const { release, schema_version } = versionIn(partial, encryption_key)
  const files = readFiles(target)
  if (files) syncFile(archivePath(target))
  syncFile(partial)
  const manifest: Manifest = {
    created_at: new Date().toISOString(),
    bytes: fileBytes(partial),
    sha256: checksumOf(partial),
    release,
    schema_version,
    ...(key_id === undefined ? {} : { key_id }),
    ...(files && { files }),
  }
  writeManifest(target, manifest)
  renameSync(partial, target)
  discard(target)
  syncFolder(dirname(target))
  return manifest
}

const writeManifest = (target: string, manifest: Manifest) =>
  writeFileSync(manifestPath(target), `${JSON.stringify(manifest)}\n`, { mode: 0o600, flush: true })

/** Records the files in the manifest that a restore has moved to a backup or back. */
export function describeFiles(backup: string): void {
  const { files: _, ...manifest } = readManifest(backup) ?? {}
  if (!('sha256' in manifest)) return
  const replaced = existsSync(replacedFiles(backup))
  writeManifest(backup, { ...manifest, ...(replaced && { files: measureFiles(replacedFiles(backup)) }) })
}

/** Removes the temporary files of a backup. */
export function discard(target: string): void {
  for (const suffix of ['.partial', '.partial-wal', '.partial-shm', '.partial-journal'])
    rmSync(target + suffix, { force: true })
  if (existsSync(target)) return
  removeBackup(target)
}

/** Removes what killed backups, removals and readers left in a folder, as far as it can. */
export function sweepPartial(folder: string): void {
  for (const target of partialBackups(folder)) ifPossible(() => discard(target))
  for (const backup of backupsIn(folder)) ifPossible(() => removeEmptyLog(backup))
}

/** Longer than any backup takes, in milliseconds. */
const abandonedAfter = 12 * hour

/** Removes what killed backups left in a folder that other daemons may be using, which the next start does not sweep. */
export function sweepAbandoned(folder: string): void {
  const names = readdirSync(folder)
  for (const target of partialBackups(folder)) {
    const parts = names.filter((name) => name.startsWith(`${basename(target)}.`))
    const touched = Math.max(...parts.map((name) => statSync(join(folder, name)).mtimeMs))
    if (touched < Date.now() - abandonedAfter) ifPossible(() => discard(target))
  }
}

/** A reader that was killed, or whose statements are not collected yet, leaves an empty write-ahead log. */
function removeEmptyLog(backup: string): void {
  if (fileBytes(`${backup}-wal`) > 0) return
  for (const suffix of ['-wal', '-shm']) rmSync(backup + suffix, { force: true })
}

/** Maintenance that fails must not stop a start; the next one tries again. */
function ifPossible(remove: () => void): void {
  try {
    remove()
  } catch {}
}

/** The final paths of backups and removals that were killed. */
export function partialBackups(folder: string): string[] {
  if (!existsSync(folder)) return []
  const leftovers = readdirSync(folder).flatMap((name) => {
    const [target, rest = ''] =
      /^hearthd-\d.*?\.db(?=\.(partial|json$|files\.tar$|files$|master\.key$))/.exec(name) ?? []
    if (!target || (rest !== 'partial' && existsSync(join(folder, target)))) return []
    return [join(folder, target)]
  })
  return [...new Set(leftovers)]
}

const manifestPath = (backup: string) => `${backup}.json`
export const keyPath = (backup: string) => `${backup}.master.key`

/** The manifest of a backup; null if its release wrote none. */
export const readManifest = (backup: string) => readJson<Manifest>(manifestPath(backup))

export function removeBackup(backup: string): boolean {
  const exists = existsSync(backup)
  // Delete the backup first, so that an interrupted removal leaves nothing that is listed.
  const parts = [manifestPath(backup), keyPath(backup), archivePath(backup), replacedFiles(backup)]
  for (const path of [backup, ...parts, `${backup}-wal`, `${backup}-shm`])
    rmSync(path, { recursive: true, force: true })
  return exists
}

/** Why a backup cannot be restored; null if it can. The quick check does not read indexes. */
export function backupDamage(
  path: string,
  encryption_key?: string,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): string | null {
  if (!existsSync(path)) return 'there is no such file'
  try {
    return readBackup(path, encryption_key, (db) => {
      const damage = innerDamage(db, check)
      if (damage) return damage
      const ledger = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`).all([])
      return ledger.length > 0 ? null : 'it is not a hearthd database'
    })
  } catch (thrown) {
    return (thrown as Error).message
  }
}

/**
 * Opens a backup for `read`. The driver keeps a closed database open until its statements are collected, which leaves a
 * log next to a backup in WAL mode.
 */
export function readBackup<Result>(
  path: string,
  encryption_key: string | undefined,
  read: (db: Database.Database) => Result,
): Result {
  const db = openDatabase(path, encryption_key)
  try {
    return read(db)
  } finally {
    db.close()
    removeEmptyLog(path)
  }
}

/** Why the bytes of a backup differ from those written; null if they do not, or if no checksum was recorded. */
export function checksumDamage(path: string): string | null {
  const manifest = readManifest(path)
  if (!manifest) return null
  const bytes = fileBytes(path)
  if (bytes !== manifest.bytes) return `it has ${bytes} bytes instead of ${manifest.bytes}`
  return checksumOf(path) === manifest.sha256 ? null : 'its checksum is wrong: the file was changed'
}

/** Why the files of a backup cannot be restored; null if they can, or if it has none. */
export function filesDamage(backup: string): string | null {
  try {
    readFiles(backup)
    return missingFiles(backup)
  } catch (thrown) {
    return (thrown as Error).message
  }
}

export const missingFiles = (backup: string): string | null =>
  readManifest(backup)?.files && !existsSync(archivePath(backup)) && !existsSync(replacedFiles(backup))
    ? `${basename(archivePath(backup))} is missing`
    : null

/** Verifies the files of a backup; undefined if it has none. */
function readFiles(backup: string): BackupFiles | undefined {
  const archive = archiveOf(backup)
  try {
    return archive ? unpackFiles(archive, null) : undefined
  } catch (thrown) {
    throw new Error(`The files of ${basename(backup)} could not be read back: ${(thrown as Error).message}`)
  }
}

/** Why this release cannot use the database of a backup; null if it can. */
export function newerSchema(path: string, encryption_key?: string): string | null {
  const { release, schema_version } = versionIn(path, encryption_key)
  const latest = migrations.at(-1)?.version ?? 0
  return schema_version > latest
    ? `it belongs to hearthd ${release}; use that version or a newer one to restore it`
    : null
}

export const versionIn = (path: string, encryption_key?: string) =>
  readBackup(path, encryption_key, (db) => {
    const [row] = db.prepare(newestMigration).all([]) as { version: number; release: string }[]
    return { schema_version: row?.version ?? 0, release: row?.release ?? 'unknown' }
  })

/** The newest backup of the folder that can be restored. */
export function lastGoodBackup(folder: string, encryption_key?: string): string | null {
  const newestFirst = listBackups(folder).reverse()
  return newestFirst.find((path) => backupDamage(path, encryption_key) === null) ?? null
}

/** The backups of a data folder, oldest first. */
export const listBackups = (folder: string): string[] => backupsIn(backupFolder(folder))

/** The completed backups in a folder, oldest first. */
export function backupsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => backupName.test(name))
  return names.sort().map((name) => join(folder, name))
}

/** Keeps the last five automatic backups, the last five of replaced data, and all others. */
export function pruneBackups(folder: string): void {
  for (const kind of [automatic, beforeRestore]) {
    const own = listBackups(folder).filter((path) => kind.test(basename(path)))
    for (const path of own.slice(0, -keptAutomatic)) ifPossible(() => removeBackup(path))
  }
}

const syncFile = (path: string): void => withFile(path, 'r+', fsyncSync)

/** Makes a rename in the folder durable. Windows has no equivalent. */
function syncFolder(path: string): void {
  if (process.platform !== 'win32') withFile(path, 'r', fsyncSync)
}

/** SHA-256 in hex. */
function checksumOf(path: string): string {
  const hash = createHash('sha256')
  for (const piece of piecesOf(path)) hash.update(piece)
  return hash.digest('hex')
}

/** Why a backup cannot be restored; null if it can. */
export function restoreProblem(backup: string, encryption_key?: string): string | null {
  return (
    backupDamage(backup, encryption_key, 'integrity_check') ??
    checksumDamage(backup) ??
    newerSchema(backup, encryption_key)
  )
}

/** Copies a file durably, readable by its owner only. */
export function copyPrivate(source: string, target: string): void {
  copyFileSync(source, target)
  chmodSync(target, 0o600)
  syncFile(target)
}

/** Replaces the database with `fresh`. The old one must have an empty write-ahead log. */
export function replaceDatabase(data_dir: string, fresh: string, encryption_key?: string): void {
  const path = databasePath(data_dir)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  renameSync(fresh, path)
  syncFolder(data_dir)
  const marker = readMarker(data_dir)
  const initialised_at = marker?.initialised_at || new Date().toISOString()
  const encrypted = encryption_key !== undefined
  writeMarker(data_dir, { ...marker, initialised_at, encrypted, clean: lookOf(path) })
}

/** Some file systems (exFAT, some network shares) have no hard links. */
export function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    copyPrivate(source, target)
  }
}
