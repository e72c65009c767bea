import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { StoreUnavailable, type Value } from '../../runtime/ports/sql.ts'

/** Milliseconds that a statement waits for another process, which blocks the daemon. */
const busyTimeout = 200

/** The driver takes more options than its types say. */
interface DriverOptions extends Database.Options {
  encryptionKey?: string
}

/**
 * Pages of the log after which a commit copies it. The log is normally copied in the background long before;
 * this bounds it where that fails.
 */
const maxLogPages = 8_000

/** The options of a connection to our file. */
export function driverOptions(encryption_key?: string): Database.Options {
  const options: DriverOptions = { timeout: busyTimeout }
  if (encryption_key) options.encryptionKey = encryption_key
  return options
}

/** A connection with our settings: WAL, an fsync per commit, foreign keys, a short busy timeout. */
export function openDatabase(path: string, encryption_key?: string): Database.Database {
  const db = new Database(path, driverOptions(encryption_key))
  try {
    db.exec('PRAGMA foreign_keys = ON')
    db.exec('PRAGMA synchronous = FULL')
    db.exec(`PRAGMA wal_autocheckpoint = ${maxLogPages}`)
    return db
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/** Lets free pages be returned to the system in steps. Takes effect in an empty file, or with the next VACUUM. */
export const shrinkable = 'PRAGMA auto_vacuum = INCREMENTAL'

export const databasePath = (data_dir: string) => join(data_dir, 'hearthd.db')

/** Bytes of a file; zero if it does not exist. */
export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

export function writeAheadLog(db: Database.Database, path: string): void {
  db.exec('PRAGMA journal_mode = WAL')
  for (const suffix of ['', '-wal', '-shm']) {
    if (fileBytes(path + suffix) > 0) chmodSync(path + suffix, 0o600)
  }
}

/**
 * The driver binds numbers as REAL, unless they are big integers, cuts texts at U+0000 when it reads them, and aborts the
 * process on a boolean, which an unchecked value can be in spite of its type.
 */
export function bind(value: Value | boolean) {
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
}

export const columnsOf = (statement: { columns(): { name: string }[] }): string[] =>
  statement.columns().map(({ name }) => name)

/** A row as the port returns it. The driver needs longer to make an object than to list the values. */
export function toRow<Row extends object>(columns: readonly string[], values: ArrayLike<unknown>): Row {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index += 1) {
    const value = values[index]
    row[columns[index] as string] = Buffer.isBuffer(value) ? viewOf(value) : value
  }
  return row as Row
}

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer) => new Uint8Array(buffer, byteOffset, byteLength)

const unavailableCodes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED)/

/** Turns errors that mean an unusable store into `StoreUnavailable`. */
export function translate(thrown: unknown): unknown {
  const code = (thrown as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || !unavailableCodes.test(code)) return thrown
  return new StoreUnavailable((thrown as Error).message, { cause: thrown })
}
