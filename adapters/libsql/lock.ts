import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { isCode, readJson, writeJson } from '../process/files.ts'
import { lookOf, readMarker, writeMarker } from './damage.ts'
import { databasePath, fileBytes } from './database.ts'

/** The content of the lock file: the daemon that owns a data folder. */
export interface Holder {
  pid: number
  /** Empty: every address of the machine. */
  host: string
  /** 0 until the daemon listens. */
  port: number
  /** ISO 8601, UTC. */
  started_at: string
  /**
   * The one-time token of a remote setup, for the same user's command line; empty if there is none.
   */
  setup_token?: string
  /** Null or absent: it speaks HTTP only. */
  tls?: HolderTls | null
}

/** `authority`: the SHA-256 fingerprint of its own one; null with a certificate of somebody else. */
export interface HolderTls {
  authority: string | null
}

/** Another daemon owns this data folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
  readonly holder: Holder | null

  constructor(folder: string, holder: Holder | null) {
    const who = holder
      ? `pid ${holder.pid}${holder.port ? `, ${holderUrl(holder)}` : ''}`
      : 'it is starting or stopping'
    super(`Another hearthd is using ${folder} (${who}); stop it first or choose another SERVICE_DATA_DIR`)
    this.holder = holder
  }
}

interface FolderLock {
  /** Publishes where this process listens. */
  announce(address: Pick<Holder, 'host' | 'port' | 'tls' | 'setup_token'>): void
  release(): void
}

const lockFile = (folder: string) => join(folder, 'hearthd.lock')
export const guardFile = (folder: string) => join(folder, 'hearthd.lock.db')

/** Milliseconds. A command that checks whether the folder is free holds the guard for less. */
const guardTimeout = 150

/**
 * Takes the folder for this process, or throws `FolderInUse`. The operating system holds the lock (a file
 * lock that SQLite takes on an empty file), so it ends with the process however that dies, and a reused pid
 * does no harm. `hearthd.lock` next to it only records the owner and its address.
 */
export function lockFolder(folder: string): FolderLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const guard = isOpenElsewhere(folder) ? null : takeGuard(folder)
  if (!guard) throw new FolderInUse(folder, readHolder(folder))
  const holder: Holder = { pid: process.pid, host: '', port: 0, started_at: new Date().toISOString() }
  writeJson(lockFile(folder), holder)
  return {
    announce: (address) => writeJson(lockFile(folder), { ...holder, ...address }),
    release() {
      if (!guard.open) return
      if (readHolder(folder)?.pid === process.pid) rmSync(lockFile(folder), { force: true })
      guard.close()
    },
  }
}

/** The running owner of a folder, or null. */
export function folderHolder(folder: string): Holder | null {
  const holder = readHolder(folder)
  if (!holder) return null
  const guard = takeGuard(folder, 0)
  if (!guard) return holder
  guard.close()
  return null
}

/** Where a client on this machine reaches the holder: over HTTP, which it answers here with HTTPS, too. */
export function holderUrl({ host, port }: Pick<Holder, 'host' | 'port'>): string {
  const everywhere = host === '' || host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/**
 * Whether a process has the database open although there is no guard: somebody removed it while that process
 * ran. Each connection to a database with a write-ahead log holds a shared lock on the file.
 */
function isOpenElsewhere(folder: string): boolean {
  if (existsSync(guardFile(folder)) || !existsSync(`${databasePath(folder)}-wal`)) return false
  const db = new Database(databasePath(folder), { timeout: guardTimeout })
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    db.exec('BEGIN IMMEDIATE')
    db.exec('ROLLBACK')
    return false
  } catch (thrown) {
    return isCode(thrown, 'SQLITE_BUSY')
  } finally {
    db.close()
  }
}

function takeGuard(folder: string, timeout = guardTimeout): Database.Database | null {
  const guard = new Database(guardFile(folder), { timeout })
  try {
    chmodSync(guardFile(folder), 0o600)
    guard.exec('BEGIN EXCLUSIVE')
    return guard
  } catch (thrown) {
    guard.close()
    if (isCode(thrown, 'SQLITE_BUSY')) return null
    throw thrown
  }
}

function readHolder(folder: string): Holder | null {
  const holder = readJson<Holder>(lockFile(folder))
  return Number.isInteger(holder?.pid) ? holder : null
}

/** Called by commands after they close the database: if the daemon was killed, they have copied its log. */
export function markCopied(folder: string): void {
  const marker = readMarker(folder)
  const path = databasePath(folder)
  if (!marker || marker.clean || fileBytes(`${path}-wal`) > 0 || folderHolder(folder)) return
  writeMarker(folder, { ...marker, clean: lookOf(path) })
}
