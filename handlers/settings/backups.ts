import { z } from 'zod'
import { BackupFile } from '../../runtime/backup-file.ts'
import type { Context } from '../../runtime/context.ts'
import { Fault } from '../../runtime/fault.ts'
import { piecesWithin } from '../../runtime/http/body.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted } from '../../runtime/http/page.ts'
import { file } from '../../runtime/http/returns.ts'
import {
  downloadBackup,
  inspectBackup,
  listBackups,
  nextBackupAt,
  receiveBackup,
  removeBackup,
} from '../../runtime/settings/backup/backups.ts'
import { requireJob, runningJob, startJob, startRestore } from '../../runtime/settings/backup/jobs.ts'
import { BackupDetails, BackupJob, NewBackup, Restore } from '../../runtime/settings/backup/schema.ts'

const access = 'admin'

export const create = endpoint('POST /api/settings/backup', {
  summary: 'Back up the database and the files while they are in use; the backup is listed after it is verified',
  access,
  body: NewBackup,
  body_optional: true,
  returns: BackupJob,
  status: 202,
  run: ({ body }, context) => startJob(context, { action: 'create', ...body }),
})

export const job = endpoint('GET /api/settings/backup/jobs/{id}', {
  summary: 'Get the progress of a backup, a verification or a restore',
  access,
  returns: BackupJob,
  run: ({ params }, context) => requireJob(context, params.id),
})

export const list = endpoint('GET /api/settings/backups', {
  summary: 'List completed backups, newest first, and the time of the next scheduled one',
  access,
  returns: z.object({
    backups: z.array(BackupFile),
    total: z.int(),
    next_at: z.string().nullable(),
    /** The running job. */
    job: BackupJob.nullable(),
  }),
  async run(_, context) {
    const backups = await listBackups(context)
    const [next_at, running] = await Promise.all([nextBackupAt(context), runningJob(context)])
    return { backups, total: backups.length, next_at, job: running }
  },
})

/** The body is the file, as `application/octet-stream`. */
export const upload = endpoint('POST /api/settings/backups', {
  summary: 'Upload a backup; it is verified and listed, not restored',
  access,
  body_kind: 'raw',
  idempotent: false,
  returns: BackupFile,
  status: 201,
  run: ({ request }, context) => receiveBackup(context, piecesWithin(request, context.config.backup_limit, tooLarge)),
})

const tooLarge = (limit: number) =>
  new Fault(413, 'payload_too_large', `The backup is larger than ${limit} bytes (SERVICE_BACKUP_LIMIT_BYTES)`)

export const show = endpoint('GET /api/settings/backups/{name}', {
  summary: 'Get the contents of a backup: its version, rows per area and files per folder',
  access,
  returns: BackupDetails,
  run: ({ params }, context) => inspectBackup(context, params.name),
})

export const content = endpoint('GET /api/settings/backups/{name}/content', {
  summary: 'Download a backup: a database, or a tar archive if it includes files',
  access,
  returns: file('application/octet-stream'),
  run: ({ params }, context: Context) => downloadBackup(context, params.name, 'backup'),
})

export const key = endpoint('GET /api/settings/backups/{name}/key', {
  summary: 'Download the master key stored with a backup',
  access,
  returns: file('application/octet-stream'),
  run: ({ params }, context: Context) => downloadBackup(context, params.name, 'key'),
})

export const remove = endpoint('DELETE /api/settings/backups/{name}', {
  summary: 'Delete a backup and the files and key stored with it',
  access,
  returns: Deleted,
  async run({ params }, context) {
    await removeBackup(context, params.name)
    return { deleted: true, id: params.name }
  },
})

export const verify = endpoint('POST /api/settings/backups/{name}/verify', {
  summary: 'Verify the checksums and integrity of a backup',
  access,
  returns: BackupJob,
  status: 202,
  run: ({ params }, context) => startJob(context, { action: 'verify', name: params.name }),
})

export const restore = endpoint('POST /api/settings/backups/{name}/restore', {
  summary:
    'Replace all data, users and keys included, with a backup; the current data is backed up, and the daemon restarts',
  access,
  body: Restore,
  returns: BackupJob,
  status: 202,
  run: ({ params, body }, context) => startRestore(context, params.name, body),
})
