import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type Database from 'libsql'
import { pendingMigrations } from '../../runtime/migrations/migrate.ts'
import type { Sql } from '../../runtime/ports/sql.ts'
import { BackgroundConnection } from './background-connection.ts'
import { backUp, backupPath, lastGoodBackup, pruneBackups } from './backup.ts'
import {
  innerDamage,
  isDamageCode,
  lookOf,
  looksUntouched,
  type Marker,
  outerDamage,
  readMarker,
  setAside,
  WrongEncryptionKey,
  writeMarker,
} from './damage.ts'
import { databasePath, driverOptions, fileBytes, openDatabase, shrinkable, writeAheadLog } from './database.ts'
import { repairText } from './invalid-text.ts'
import { LocalSql } from './local.ts'
import { guardFile } from './lock.ts'
import { lostLog } from './lost-log.ts'
import { FileWatch } from './watch.ts'
import { Flusher } from './write-ahead-log.ts'

export interface StoreOptions {
  /** Folder of the local database, its marker and its backups. The caller holds its lock (`lockFolder`). */
  data_dir: string
  /** Encrypts the local file (AES-256). */
  encryption_key?: string
  /** `libsql://`, `https://` or `http://` of a shared server; the local file when absent. */
  url?: string
  auth_token?: string
}

export interface Store {
  sql: Sql
  /** True when other daemons may use the same database. */
  remote: boolean
  /** Damage that was found and survived, one sentence each. */
  warnings: string[]
  /** Id of the master key that was used before; undefined at the first start. */
  key_id: string | undefined
  /**
   * Throws `StoreRemoved` if the file or its folder was removed or replaced; then nothing is written either.
   */
  check(): void
  /** Call once the schema exists: from now on an empty file is a loss and not a fresh start. */
  markInitialised(key_id?: string): void
  /** Closes cleanly: pending writes are flushed, and the next start need not check the file. */
  close(): Promise<void>
}

/**
 * Opens the durable store. A damaged, missing or emptied database that has been used before is never replaced
 * by an empty one: it is renamed, and `StoreDamaged` says what to do. A backup is made before pending
 * migrations. A database of a newer release throws `NewerSchema`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  if (options.url) return openRemote(options.url, options.auth_token)
  const { data_dir, encryption_key } = options
  const path = databasePath(data_dir)
  const marker = readMarker(data_dir)
  const warnings: string[] = []
  const db = openSound(options, { path, marker, warnings })
  const watch = new FileWatch([data_dir, path, `${path}-wal`, guardFile(data_dir)])
  const connection = new BackgroundConnection(path, driverOptions(encryption_key))
  const sql = new LocalSql(db, async () => ({ bytes: fileBytes(path), wal_bytes: fileBytes(`${path}-wal`) }), {
    connection,
    flusher: new Flusher(`${path}-wal`, () => connection.emptyLog()),
    hasRoom: (bytes) => hasRoom(data_dir, bytes),
    watch,
  })
  try {
    const used = await backUpBeforeMigration(db, sql, options)
    if (used) writeMarker(data_dir, markerOf(marker, encryption_key))
  } catch (thrown) {
    await sql.close()
    throw thrown
  }
  return localStore(options, path, { sql, watch, warnings, key_id: marker?.key_id })
}

function localStore(
  { data_dir, encryption_key }: StoreOptions,
  path: string,
  { sql, watch, warnings, key_id }: Pick<Store, 'sql' | 'warnings' | 'key_id'> & { watch: FileWatch },
): Store {
  return {
    sql,
    remote: false,
    warnings,
    key_id,
    check: () => watch.check(),
    markInitialised: (key_id) => writeMarker(data_dir, { ...markerOf(readMarker(data_dir), encryption_key), key_id }),
    async close() {
      await sql.close()
      if (watch.missing()) return
      const marker = readMarker(data_dir)
      // A log that is not empty was not copied, because another process is reading the database.
      if (marker && fileBytes(`${path}-wal`) === 0) writeMarker(data_dir, { ...marker, clean: lookOf(path) })
    },
  }
}

async function openRemote(url: string, auth_token: string | undefined): Promise<Store> {
  const { openRemoteSql } = await import('./remote.ts')
  const sql = openRemoteSql(url, auth_token)
  const nothing = () => undefined
  const warnings = await clockWarnings(sql)
  const local = { warnings, key_id: undefined, check: nothing, markInitialised: nothing }
  return { ...local, sql, remote: true, close: () => sql.close() }
}

/** Milliseconds. Leases are times of the daemons' own clocks. */
const maxDifference = 10_000

async function clockWarnings(sql: Sql): Promise<string[]> {
  const [row] = await sql.read<{ now: string }>(`SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS now`)
  const difference = Date.now() - Date.parse(row?.now ?? '')
  if (!(Math.abs(difference) > maxDifference)) return []
  const seconds = Math.round(difference / 1_000)
  return [
    `This machine's clock differs by ${seconds} s from the database server's; with more than 10 s two daemons may run the same work: set the clocks`,
  ]
}

/** Whether a copy of the database fits on the disks of the data and of temporary files, with as much again to spare. */
const hasRoom = (data_dir: string, bytes: number): boolean =>
  [data_dir, tmpdir()].every((folder) => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > 3 * bytes
  })

function markerOf(marker: Marker | null, encryption_key: string | undefined): Marker {
  const initialised_at = marker?.initialised_at || new Date().toISOString()
  return { ...marker, initialised_at, encrypted: encryption_key !== undefined, clean: null }
}

/** What is known about the file at startup, and warnings about damage that does not prevent it. */
interface Opening {
  path: string
  marker: Marker | null
  warnings: string[]
}

function openSound(options: StoreOptions, opening: Opening): Database.Database {
  const { data_dir, encryption_key } = options
  const { path, marker } = opening
  const encrypted = encryption_key !== undefined
  if (marker?.encrypted && !encrypted) throw new WrongEncryptionKey(`${path} is encrypted: set SERVICE_ENCRYPTION_KEY`)
  const damaged = (what: string) => setAside(data_dir, path, what, lastGoodBackup(data_dir, encryption_key))
  const outside = outerDamage(path, marker, encrypted)
  if (outside) throw damaged(outside)
  const opened = openAndCheck(options, opening)
  if (typeof opened !== 'string') return opened
  if (encrypted) {
    throw new WrongEncryptionKey(
      `${path} cannot be read with this SERVICE_ENCRYPTION_KEY (${opened}); nothing was changed`,
    )
  }
  throw damaged(opened)
}

/** The open database, or what is wrong with it. */
function openAndCheck(
  { data_dir, encryption_key }: StoreOptions,
  { path, marker, warnings }: Opening,
): Database.Database | string {
  let db: Database.Database | undefined
  try {
    const untouched = looksUntouched(path, marker)
    const lost = marker && !marker.clean ? lostLog(path) : null
    if (lost) warnings.push(`The write-ahead log ${lost}; acknowledged changes may be lost`)
    db = openDatabase(path, encryption_key)
    const damage = untouched ? null : innerDamage(db)
    const empty = marker !== null && !hasSchema(db)
    if (!damage && !empty) {
      if (marker === null && !hasSchema(db)) db.exec(shrinkable)
      writeAheadLog(db, path)
      const opened = db
      const copy = () => backUp(opened, backupPath(data_dir, 'before-repair'), encryption_key)
      const repaired = untouched ? [] : repairText(db, copy)
      if (repaired.length > 0)
        warnings.push(`The database had invalid UTF-8, replaced by U+FFFD: ${repaired.join(', ')}`)
      return db
    }
    db.close()
    return damage ?? 'it is empty'
  } catch (thrown) {
    db?.close()
    if (isDamageCode(thrown)) return (thrown as Error).message
    throw thrown
  }
}

const hasSchema = (db: Database.Database) =>
  db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`).all([]).length > 0

/** Returns whether the database has been used before. */
async function backUpBeforeMigration(db: Database.Database, sql: Sql, options: StoreOptions): Promise<boolean> {
  if (!hasSchema(db)) return false
  const pending = await pendingMigrations(sql)
  if (pending.length === 0) return true
  backUp(db, backupPath(options.data_dir, 'before-migration'), options.encryption_key)
  pruneBackups(options.data_dir)
  return true
}
