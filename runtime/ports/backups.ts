import type { BackupFile, BackupFiles, BackupReason } from '../backup-file.ts'

export type { BackupFile, BackupFiles, BackupReason }

/** Identifies a backup. */
export type BackupRef = Pick<BackupFile, 'name' | 'folder'>

export type BackupPhase = 'copying' | 'verifying'

export interface BackupProgress {
  phase: BackupPhase
  done_bytes: number
  total_bytes: number
}

export interface BackupOptions {
  signal: AbortSignal
  onProgress(progress: BackupProgress): void
}

export interface BackupContents {
  schema_version: number
  release: string
  /** Rows by table. */
  rows: Record<string, number>
}

export interface BackupContent {
  content: ReadableStream<Uint8Array>
  /** Null if unknown. */
  bytes: number | null
}

/** The last restore of this data folder. */
export interface RestoreRecord {
  /** The backup that was restored. */
  name: string
  /** Who requested it: a name for the audit log. */
  by: string
  /** ISO 8601, UTC. */
  at: string
  /** Name of the backup of the data that was replaced; null if there was none. */
  previous: string | null
  /** Why the restore was rolled back; null if it succeeded. */
  error: string | null
}

/** Thrown if a backup operation fails. The message is safe to show. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/**
 * Verified copies of the database and of files. An unfinished copy has a temporary name and is never listed.
 * Rejects with `BackupError` if a backup is damaged, belongs to a newer release, or cannot be written.
 */
export interface Backups {
  /** Why this host cannot make backups; null if it can. */
  unsupported: string | null
  /** The completed backups in the daemon's backup folder and in `folder`, newest first. */
  list(folder: string | null): Promise<BackupFile[]>
  /**
   * Copies the database as of the start of the call, while it is in use, and verifies the copy. `keys` also copies the
   * master key, and `files` the files.
   */
  create(
    options: BackupOptions & { reason: BackupReason; folder: string | null; keys: boolean; files: boolean },
  ): Promise<BackupFile>
  /** The files that a backup would include now. */
  measure(): Promise<BackupFiles>
  /** Verifies the checksums and integrity of a backup. Resolves with the damage, or null. */
  verify(backup: BackupRef, options: BackupOptions): Promise<string | null>
  inspect(backup: BackupRef): Promise<BackupContents>
  /** Streams the backup (a tar archive if it has files) or its master key; null if there is none. */
  read(backup: BackupRef, part: 'backup' | 'key'): Promise<BackupContent | null>
  /** Verifies and stores a backup from elsewhere: a database, or an archive from `read`. */
  receive(pieces: AsyncIterable<Uint8Array>): Promise<BackupFile>
  /** False if it does not exist. */
  remove(backup: BackupRef): Promise<boolean>
  /**
   * Verifies a backup and stages it for the next start, which replaces the database with it. `keys` also restores the
   * master key, and `files` replaces the files if the backup has some.
   */
  stage(backup: BackupRef, options: BackupOptions & { keys: boolean; files: boolean; by: string }): Promise<void>
  /** Restarts this daemon gracefully in the same process. */
  restart(): void
  /** The restore that the last start completed or rolled back; later calls return null. */
  restored(): Promise<RestoreRecord | null>
}
