import { z } from 'zod'
import { BackupFile } from '../../backup-file.ts'
import { MachinePath } from '../../paths.ts'
import { TimeOfDay } from '../../schedules/schedule.ts'
import { defineSection } from '../../sections/section.ts'

/** The contents of a backup. */
export const BackupDetails = z.object({
  backup: BackupFile,
  schema_version: z.int(),
  release: z.string(),
  /** Rows per area; areas without rows are omitted. */
  areas: z.array(
    z.object({
      area: z.string(),
      rows: z.int(),
      tables: z.array(z.object({ table: z.string(), rows: z.int() })),
    }),
  ),
  /** Why this release cannot restore it; null if it can. */
  refused: z.string().nullable(),
})

export const BackupJob = z.object({
  id: z.string(),
  action: z.enum(['create', 'verify', 'restore']),
  status: z.enum(['running', 'done', 'error']),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  progress: z.object({
    phase: z.enum(['waiting', 'copying', 'verifying', 'restarting']),
    done_bytes: z.int(),
    total_bytes: z.int(),
  }),
  /** The backup that is created, verified or restored; null until it exists. */
  backup: z.string().nullable(),
  error: z.string().nullable(),
})
export type BackupJob = z.output<typeof BackupJob>

export const NewBackup = z.strictObject({
  /** Store the master key next to the backup. Without it, only this installation can decrypt the backup's secrets. */
  keys: z.boolean().default(false),
  /** Include uploaded files, workspaces and recordings. */
  files: z.boolean().default(true),
})

export const Restore = z.strictObject({
  /** The name of the backup, as a confirmation. */
  confirm: z.string().max(200),
  /** Also restore the master key stored next to the backup. */
  keys: z.boolean().default(false),
  /** Replace uploaded files, workspaces and recordings with those of the backup, if it has them. */
  files: z.boolean().default(true),
})

const kept = (title: string, description: string) => z.int().min(0).max(365).meta({ title, description })

export const BackupSettings = z.object({
  enabled: z.boolean().meta({ title: 'Back up every day' }),
  time: TimeOfDay.meta({
    title: 'Time',
    description: 'In the time zone of the first administrator',
    format: 'time-of-day',
  }),
  keep_daily: kept('Daily backups to keep', 'Days for which the newest scheduled backup is kept').min(1),
  keep_weekly: kept('Weekly backups to keep', 'Earlier weeks for which the newest scheduled backup is kept').max(104),
  folder: MachinePath.nullable().meta({
    title: 'Folder',
    description:
      'For example, on another disk. Must be inside an allowed folder of the security settings. Default: backups in the data folder',
    format: 'path',
  }),
  files: z.boolean().meta({
    title: 'Include files',
    description:
      'Uploaded files, workspaces and recordings. Each backup then takes as much space as they do. They are not encrypted',
  }),
  keys: z.boolean().meta({
    title: 'Include the master key',
    description:
      'Anyone with the backup can then read all stored secrets. Without the key, they can be read only on this installation',
  }),
})
export type BackupSettings = z.output<typeof BackupSettings>

export const backupSettings = defineSection({
  name: 'backup',
  title: 'the backup schedule',
  access: 'admin',
  kept_on_reset: true,
  schema: BackupSettings,
  defaults: (): BackupSettings => ({
    enabled: false,
    time: '03:30',
    keep_daily: 7,
    keep_weekly: 4,
    folder: null,
    files: true,
    keys: false,
  }),
})
