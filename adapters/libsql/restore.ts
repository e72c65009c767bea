import { chmodSync, copyFileSync, existsSync, renameSync } from 'node:fs'
import { backupDamage, syncFile } from './backup.ts'
import { StoreDamaged } from './damage.ts'
import { readMarker, writeMarker } from './marker.ts'
import { databasePath } from './open.ts'

/**
 * Puts a backup in the place of the database. What was there is kept beside it; returns where, or null.
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
  const initialised_at = readMarker(data_dir)?.initialised_at || new Date().toISOString()
  writeMarker(data_dir, { initialised_at, encrypted: encryption_key !== undefined, clean: null })
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
