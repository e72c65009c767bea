import type { z } from 'zod'
import { auditStatement } from '../../auth/audit.ts'
import { profile } from '../../auth/profile.ts'
import { readSecurity } from '../../auth/security.ts'
import type { Context } from '../../context.ts'
import { Fault, invalidField, notFound, unavailable, unsupported } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { migrations } from '../../migrations/migrate.ts'
import { BackupError, type BackupFile } from '../../ports/backups.ts'
import { nextRun } from '../../schedules/next-run.ts'
import type { Subset } from '../../sections/merge.ts'
import { changeSection, readSection } from '../../sections/section.ts'
import { dropQueuedWork, enqueueOnce, listWork } from '../../work/select.ts'
import { type BackupDetails, type BackupSettings, backupSettings } from './schema.ts'

/** The daily backup; its unit of work is queued for the next due time. */
export const scheduledKind = 'settings.scheduled_backup'
/** Only one unit of work accesses backups at a time. */
export const backupLane = 'settings.backup'

export function requireSupported({ backups }: Pick<Host, 'backups'>): void {
  if (backups.unsupported !== null) throw unsupported(backups.unsupported)
}

/** Turns an error of the backup port into a conflict. */
export async function asConflict<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (thrown) {
    throw thrown instanceof BackupError ? new Fault(409, 'conflict', thrown.message) : thrown
  }
}

export async function listBackups(host: Host): Promise<BackupFile[]> {
  requireSupported(host)
  const { folder } = await readSection(host, backupSettings)
  return host.backups.list(folder)
}

export async function requireBackup(host: Host, name: string): Promise<BackupFile> {
  const backup = (await listBackups(host)).find((backup) => backup.name === name)
  if (!backup) throw notFound(`The backup ${name}`)
  return backup
}

export async function inspectBackup(context: Context, name: string): Promise<z.output<typeof BackupDetails>> {
  const backup = await requireBackup(context, name)
  const { release, schema_version, rows } = await asConflict(context.backups.inspect(backup))
  const areas = context.areas.map(({ name: area, tables = [] }) => {
    const counted = tables.flatMap((table) => (rows[table] ? [{ table, rows: rows[table] }] : []))
    return { area, rows: counted.reduce((sum, table) => sum + table.rows, 0), tables: counted }
  })
  const newer = schema_version > (migrations.at(-1)?.version ?? 0)
  return {
    backup,
    release,
    schema_version,
    areas: areas.filter((area) => area.rows > 0),
    refused: newer ? `It belongs to hearthd ${release}; use that version or a newer one to restore it` : null,
  }
}

export async function removeBackup(context: Context, name: string): Promise<void> {
  const backup = await requireBackup(context, name)
  await context.backups.remove(backup)
  await context.commit([auditStatement(context, { action: 'backup.deleted', target: name })])
}

export async function receiveBackup(context: Context, pieces: AsyncIterable<Uint8Array>): Promise<BackupFile> {
  requireSupported(context)
  const backup = await asConflict(context.backups.receive(pieces))
  await context.commit([auditStatement(context, { action: 'backup.uploaded', target: backup.name })])
  return backup
}

export async function downloadBackup(context: Context, name: string, part: 'backup' | 'key'): Promise<Response> {
  const backup = await requireBackup(context, name)
  const content = await context.backups.read(backup, part)
  if (!content) throw notFound(part === 'key' ? 'The master key of this backup' : 'The backup')
  const target = part === 'key' ? `${name}.master.key` : backup.files ? name.replace(/db$/, 'tar') : name
  await context.commit([auditStatement(context, { action: 'backup.downloaded', target })])
  const headers: Record<string, string> = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${target}"`,
    'cache-control': 'no-store',
    ...(content.bytes !== null && { 'content-length': String(content.bytes) }),
  }
  return new Response(content.content, { headers })
}

/** Stores the schedule and queues the next backup. */
export async function changeBackupSettings(context: Context, change: Subset<BackupSettings>): Promise<void> {
  if (change.folder) await requireFolder(context, change.folder)
  await changeSection(context, backupSettings, change)
  await scheduleBackup(context)
}

async function requireFolder(host: Host, path: string): Promise<string> {
  const { allowed_paths } = await readSecurity(host)
  const folder = await host.files.machineFolder(path, allowed_paths)
  if (folder.ok) return folder.path
  const reasons = {
    missing: 'does not exist',
    outside: 'is not in one of the allowed folders of the security settings',
    private: 'belongs to hearthd itself',
    unsupported: 'cannot be used: this host has no file system',
  }
  throw invalidField('folder', reasons[folder.reason])
}

/** The folder of scheduled backups. It is checked again, because the rules or the disk may have changed. */
export async function scheduledFolder(host: Host, { folder }: BackupSettings): Promise<string | null> {
  if (folder === null) return null
  try {
    return await requireFolder(host, folder)
  } catch (thrown) {
    if (thrown instanceof Fault) throw unavailable(`${folder} cannot be used: ${thrown.message}`)
    throw thrown
  }
}

/** Milliseconds since the epoch; null if backups are not scheduled. */
export async function nextBackup(host: Host): Promise<number | null> {
  if (host.backups.unsupported !== null) return null
  const { enabled, time } = await readSection(host, backupSettings)
  if (!enabled) return null
  const { timezone } = await readSection(host, profile)
  const now = host.clock.now()
  const [hour, minute] = time.split(':').map(Number)
  const schedule = { type: 'cron' as const, expression: `${minute} ${hour} * * *`, timezone }
  return nextRun(schedule, now, { zone: timezone, anchor: now })
}

/** Queues the next scheduled backup, replacing the queued one. */
export async function scheduleBackup(host: Host): Promise<void> {
  const due = await nextBackup(host)
  await host.sql.write([dropQueuedWork({ kind: scheduledKind }), ...queueBackup(host, due)])
  host.process.wake()
}

/** Statements for the end of a scheduled backup. */
export const queueBackup = (host: Host, due: number | null) =>
  due === null ? [] : [enqueueOnce(host, { kind: scheduledKind, subject: 'backup', lane: backupLane, due })]

/** ISO 8601; null if none is scheduled. */
export async function nextBackupAt(host: Host): Promise<string | null> {
  const [queued] = await listWork(host, { kind: scheduledKind, status: 'queued' })
  return queued?.due_at ?? null
}
