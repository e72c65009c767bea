import { existsSync, readSync, renameSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'libsql'
import { readJson, withFile, writeJson } from '../process/files.ts'
import { fileBytes } from './database.ts'

/** The database cannot be used; nothing replaced it. The message is one line for the operator. */
export class StoreDamaged extends Error {
  override name = 'StoreDamaged'
}

/** The database cannot be read with the key that was given; nothing was moved. */
export class WrongEncryptionKey extends Error {
  override name = 'WrongEncryptionKey'
}

const magic = 'SQLite format 3\u0000'

/** Files up to this size are checked at every start: it takes a few milliseconds. */
const alwaysChecked = 4 * 1024 * 1024

/** Why the file cannot be a whole database, judged without opening it; null if no damage was found. */
export function outerDamage(path: string, marker: Marker | null, encrypted: boolean): string | null {
  if (!existsSync(path)) return marker || existsSync(`${path}-wal`) ? 'the file is missing' : null
  const { size } = requireFile(path)
  if (size === 0) return marker ? 'the file is empty' : null
  if (encrypted) return null
  const header = firstBytes(path, 100)
  if (header.length < 100 || header.toString('latin1', 0, 16) !== magic) return 'it is not a database'
  return isCut(path, header, size) ? 'it was cut short' : null
}

/** Anything but a file is not ours, so it is not moved. */
function requireFile(path: string): Stats {
  const file = statSync(path)
  if (!file.isFile()) throw new StoreDamaged(`The database ${path} is not a file; move it away`)
  return file
}

/**
 * SQLite's header (file format, section 1.3) counts the pages; with a log still to be copied the file may be
 * shorter.
 */
function isCut(path: string, header: Buffer, size: number): boolean {
  if (fileBytes(`${path}-wal`) > 0) return false
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const countIsValid = header.readUInt32BE(24) === header.readUInt32BE(92)
  return countIsValid && header.readUInt32BE(28) * pageSize > size
}

const firstBytes = (path: string, length: number): Buffer =>
  withFile(path, 'r', (file) => {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, 0))
  })

/**
 * True when the file is exactly as the last clean shutdown left it, so that reading all of it would find
 * nothing.
 */
export function looksUntouched(path: string, marker: Marker | null): boolean {
  if (!marker?.clean || fileBytes(`${path}-wal`) > 0) return false
  const look = lookOf(path)
  if (look.bytes <= alwaysChecked) return false
  return look.bytes === marker.clean.bytes && look.modified_ns === marker.clean.modified_ns
}

/** The damage that a check finds; null if the database is intact. `integrity_check` also compares indexes with their tables. */
export function innerDamage(
  db: Database.Database,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): string | null {
  const [row] = db.prepare(`PRAGMA ${check}(1)`).all() as Record<string, string>[]
  const message = row?.[check] ?? 'no answer'
  return message === 'ok' ? null : message.replace(/\s+/g, ' ').slice(0, 200)
}

export const isDamageCode = (thrown: unknown) =>
  /^SQLITE_(NOTADB|CORRUPT)/.test(String((thrown as { code?: unknown } | null)?.code))

/** Renames the damaged file and its log and returns an error that says what to do. Nothing replaces them. */
export function setAside(folder: string, path: string, what: string, backup: string | null): StoreDamaged {
  const kept = `${path}.corrupt.${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
  const moved = existsSync(path)
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  }
  const where = moved ? `; it is kept as ${kept}` : ''
  const offer = backup
    ? `Restore the last good backup: hearthd restore ${backup}`
    : `There is no backup here: run hearthd restore <file> with one of yours, or remove ${markerFile(folder)} to start with an empty database`
  return new StoreDamaged(`The database ${path} cannot be used: ${what}${where}. ${offer}`)
}

/**
 * The record about the store outside the database: that it has been used, so that an empty file is a
 * loss and not a fresh start, and the state of its file after the last clean shutdown.
 */
export interface Marker {
  /** ISO 8601, UTC. */
  initialised_at: string
  encrypted: boolean
  /** Null while a daemon runs and after it was killed. */
  clean: FileLook | null
  /** Id of the master key that sealed the stored secrets. */
  key_id?: string | undefined
}

interface FileLook {
  bytes: number
  modified_ns: string
}

export const markerFile = (folder: string) => join(folder, 'store.json')

/** Of a marker that is incomplete or was edited, its existence counts. */
export function readMarker(folder: string): Marker | null {
  if (!existsSync(markerFile(folder))) return null
  const blank = { initialised_at: '', encrypted: false, clean: null }
  return { ...blank, ...readJson<Partial<Marker>>(markerFile(folder)) }
}

export function writeMarker(folder: string, marker: Marker): void {
  writeJson(markerFile(folder), marker)
}

/** The next start takes whatever master key it finds. */
export function forgetKey(folder: string): void {
  const marker = readMarker(folder)
  if (marker) writeMarker(folder, { ...marker, key_id: undefined })
}

export function lookOf(path: string): FileLook {
  const stat = statSync(path, { bigint: true })
  return { bytes: Number(stat.size), modified_ns: String(stat.mtimeNs) }
}
