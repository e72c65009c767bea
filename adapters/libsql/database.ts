import { chmodSync, statSync } from 'node:fs'
import Database from 'libsql'

/** Milliseconds that a statement waits for another process; the daemon stands still for so long. */
const busyTimeout = 200

/** The driver takes more options than its types say. */
interface DriverOptions extends Database.Options {
  encryptionKey?: string
}

/**
 * Pages of the log from which a commit copies them itself. The log is copied beside the event loop long before; this
 * bounds it where that fails.
 */
const mostPages = 8_000

/** What a connection to our file takes. */
export function driverOptions(encryption_key?: string): Database.Options {
  const options: DriverOptions = { timeout: busyTimeout }
  if (encryption_key) options.encryptionKey = encryption_key
  return options
}

/** A connection as all of ours are: WAL, an fsync per commit, foreign keys, a short patience. */
export function openDatabase(path: string, encryption_key?: string): Database.Database {
  const db = new Database(path, driverOptions(encryption_key))
  try {
    db.exec('PRAGMA foreign_keys = ON')
    db.exec('PRAGMA synchronous = FULL')
    db.exec(`PRAGMA wal_autocheckpoint = ${mostPages}`)
    return db
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/** Bytes of a file; zero when it is not there. */
export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

export function writeAheadLog(db: Database.Database, path: string): void {
  db.exec('PRAGMA journal_mode = WAL')
  for (const suffix of ['', '-wal', '-shm']) {
    if (fileBytes(path + suffix) > 0) chmodSync(path + suffix, 0o600)
  }
}
