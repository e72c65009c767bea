import { closeSync, existsSync, openSync, readSync, renameSync, type Stats, statSync } from 'node:fs'
import type Database from 'libsql'
import { fileBytes } from './database.ts'
import { lookOf, type Marker, markerFile } from './marker.ts'

/** The database cannot be used, and nothing was put in its place. The message is one line for the operator. */
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

/** Why the file cannot be a whole database, seen without opening it; null when nothing speaks against it. */
export function outerDamage(path: string, marker: Marker | null, encrypted: boolean): string | null {
  if (!existsSync(path)) return marker || existsSync(`${path}-wal`) ? 'the file is missing' : null
  const { size } = requireFile(path)
  if (size === 0) return marker ? 'the file is empty' : null
  if (encrypted) return null
  const header = firstBytes(path, 100)
  if (header.length < 100 || header.toString('latin1', 0, 16) !== magic) return 'it is not a database'
  return isCut(path, header, size) ? 'it was cut short' : null
}

/** Something else in the place of the database is not ours to move. */
function requireFile(path: string): Stats {
  const found = statSync(path)
  if (!found.isFile()) throw new StoreDamaged(`The database ${path} is not a file; move away what is there`)
  return found
}

/** SQLite's header (file format, section 1.3) counts the pages; with a log still to be copied the file may be shorter. */
function isCut(path: string, header: Buffer, size: number): boolean {
  if (fileBytes(`${path}-wal`) > 0) return false
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const countIsValid = header.readUInt32BE(24) === header.readUInt32BE(92)
  return countIsValid && header.readUInt32BE(28) * pageSize > size
}

function firstBytes(path: string, length: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, 0))
  } finally {
    closeSync(file)
  }
}

/** True when the file is exactly as the last orderly stop left it, so that reading all of it would find nothing. */
export function looksUntouched(path: string, marker: Marker | null): boolean {
  if (!marker?.clean || fileBytes(`${path}-wal`) > 0) return false
  const look = lookOf(path)
  if (look.bytes <= alwaysChecked) return false
  return look.bytes === marker.clean.bytes && look.modified_ns === marker.clean.modified_ns
}

/** What `quick_check` finds; null when the database is sound. */
export function innerDamage(db: Database.Database): string | null {
  const rows = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
  const found = rows[0]?.quick_check ?? 'no answer'
  return found === 'ok' ? null : found.replace(/\s+/g, ' ').slice(0, 200)
}

export const isDamageCode = (thrown: unknown) =>
  /^SQLITE_(NOTADB|CORRUPT)/.test(String((thrown as { code?: unknown } | null)?.code))

/** Moves the damaged file and its log aside and says what to do; never puts anything in their place. */
export function setAside(folder: string, path: string, what: string, backup: string | null): StoreDamaged {
  const kept = `${path}.corrupt.${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
  const moved = existsSync(path)
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  }
  const where = moved ? `; it is kept as ${kept}` : ''
  const offer = backup
    ? `Put the last good backup in its place: hearthd restore ${backup}`
    : `There is no backup here: run hearthd restore <file> with one of yours, or remove ${markerFile(folder)} to begin anew`
  return new StoreDamaged(`The database ${path} cannot be used: ${what}${where}. ${offer}`)
}
