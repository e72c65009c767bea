import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type Database from 'libsql'
import { innerDamage, lookOf, readMarker, StoreDamaged, writeMarker } from './damage.ts'
import { databasePath, openDatabase } from './database.ts'

export const backupFolder = (folder: string) => join(folder, 'backups')

const keptAutomatic = 5
const automatic = /^hearthd-\d{8}T\d{6}\d{3}Z-before-(?:migration|repair)\.db$/

/** `backups/hearthd-<time>-<why>.db`, readable by its owner only. */
export function backupPath(folder: string, why: string): string {
  const time = new Date().toISOString().replace(/[-:.]/g, '')
  return join(backupFolder(folder), `hearthd-${time}-${why}.db`)
}

/**
 * Writes the whole database into `target`, which must not exist, and opens the copy to verify it.
 * The copy is encrypted with the key of the original.
 */
export function backUp(db: Database.Database, target: string, encryption_key?: string): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  writeFileSync(target, '', { mode: 0o600, flag: 'wx' })
  try {
    db.prepare('VACUUM INTO ?').run([target])
    const damage = backupDamage(target, encryption_key)
    if (damage) throw new Error(`The backup ${target} could not be read back: ${damage}`)
    syncFile(target)
  } catch (thrown) {
    rmSync(target, { force: true })
    throw thrown
  }
}

/** Why a backup cannot be restored; null if it can. */
export function backupDamage(path: string, encryption_key?: string): string | null {
  if (!existsSync(path)) return 'there is no such file'
  let db: Database.Database | undefined
  try {
    db = openDatabase(path, encryption_key)
    const damage = innerDamage(db)
    if (damage) return damage
    const ledger = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`).all([])
    return ledger.length > 0 ? null : 'it is not a hearthd database'
  } catch (thrown) {
    return (thrown as Error).message
  } finally {
    db?.close()
  }
}

/** The newest backup of the folder that can be restored. */
export function lastGoodBackup(folder: string, encryption_key?: string): string | null {
  const newestFirst = listBackups(folder).reverse()
  return newestFirst.find((path) => backupDamage(path, encryption_key) === null) ?? null
}

/** Oldest first. */
export function listBackups(folder: string): string[] {
  if (!existsSync(backupFolder(folder))) return []
  const names = readdirSync(backupFolder(folder)).filter((name) => /^hearthd-\d.*\.db$/.test(name))
  return names.sort().map((name) => join(backupFolder(folder), name))
}

/** Keeps the last five automatic backups and all manual ones. */
export function pruneBackups(folder: string): void {
  const own = listBackups(folder).filter((path) =>
    automatic.test(path.slice(backupFolder(folder).length + 1)),
  )
  for (const path of own.slice(0, -keptAutomatic)) rmSync(path, { force: true })
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Replaces the database with a backup. The previous database is kept next to it; returns its path, or null.
 * The caller holds the lock of the folder.
 */
export function restoreStore(data_dir: string, backup: string, encryption_key?: string): string | null {
  const damage = backupDamage(backup, encryption_key)
  if (damage) throw new StoreDamaged(`${backup} cannot be restored: ${damage}`)
  const path = databasePath(data_dir)
  const fresh = `${path}.restoring`
  copyFileSync(backup, fresh)
  chmodSync(fresh, 0o600)
  syncFile(fresh)
  const kept = keepOld(path)
  renameSync(fresh, path)
  const marker = readMarker(data_dir)
  const initialised_at = marker?.initialised_at || new Date().toISOString()
  const encrypted = encryption_key !== undefined
  writeMarker(data_dir, { ...marker, initialised_at, encrypted, clean: lookOf(path) })
  return kept
}

function keepOld(path: string): string | null {
  const kept = `${path}.before-restore.${new Date().toISOString().replace(/[-:.]/g, '')}`
  const there = existsSync(path)
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  }
  return there ? kept : null
}
