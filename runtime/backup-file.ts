import { z } from 'zod'

/** The reason for a backup; part of its file name. */
export const BackupReason = z.enum([
  'manual',
  'scheduled',
  'uploaded',
  'before-restore',
  'before-migration',
  'before-repair',
])
export type BackupReason = z.output<typeof BackupReason>

/** Uploaded files, workspaces and recordings. */
export const BackupFiles = z.object({
  count: z.int(),
  bytes: z.int(),
  /** Files and folders that could not be read. */
  skipped: z.int(),
  folders: z.array(z.object({ folder: z.string(), count: z.int(), bytes: z.int() })),
})
export type BackupFiles = z.output<typeof BackupFiles>

/** A complete backup: `hearthd-<time>-<reason>.db`. */
export const BackupFile = z.object({
  name: z.string(),
  /** A folder on this machine; null for the backup folder in the daemon's data folder. */
  folder: z.string().nullable(),
  reason: BackupReason,
  /** ISO 8601, UTC. */
  created_at: z.string(),
  /** Of the database. */
  bytes: z.int(),
  /** Hex; null for a backup from a release that recorded no checksum. */
  sha256: z.string().nullable(),
  /** The release and schema of its database; null if not recorded. */
  release: z.string().nullable(),
  schema_version: z.int().nullable(),
  /** Whether the master key is stored next to it. */
  has_key: z.boolean(),
  /** Whether this daemon's master key encrypted its secrets; null if unknown. */
  same_key: z.boolean().nullable(),
  /** The files stored with it; null if there are none. */
  files: BackupFiles.nullable(),
})
export type BackupFile = z.output<typeof BackupFile>
