import { auditStatement } from '../../auth/audit.ts'
import { localContext } from '../../auth/local.ts'
import { profile } from '../../auth/profile.ts'
import type { Context } from '../../context.ts'
import { type EventInput, event } from '../../events/event.ts'
import { conflict, invalidField, notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { wonRace } from '../../lost-race.ts'
import { BackupError, type BackupOptions, type RestoreRecord } from '../../ports/backups.ts'
import type { Statement } from '../../ports/sql.ts'
import { processState } from '../../process-state.ts'
import { readSection } from '../../sections/section.ts'
import { iso, second } from '../../time.ts'
import type { WorkKind, WorkOutcome } from '../../work/kind.ts'
import type { Work } from '../../work/schema.ts'
import { guardOnlyWork, listWork } from '../../work/select.ts'
import { findWork, insertWork } from '../../work/store.ts'
import { zoneReader } from '../../zones/wall-clock.ts'
import {
  backupLane,
  listBackups,
  nextBackup,
  queueBackup,
  requireBackup,
  requireSupported,
  scheduledFolder,
  scheduledKind,
} from './backups.ts'
import { expiredBackups } from './rotation.ts'
import { type BackupJob, type BackupSettings, backupSettings } from './schema.ts'

const jobKind = 'settings.backup'

type Progress = BackupJob['progress']

/** Minimum interval between progress events, in milliseconds. */
const eventInterval = 0.5 * second

const noProgress: Progress = { phase: 'waiting', done_bytes: 0, total_bytes: 0 }

/** Progress of the jobs in this process, by work id. */
const liveProgress = processState(() => new Map<string, Progress>())

interface Payload {
  action: BackupJob['action']
  /** The backup to verify or restore. */
  name?: string
  keys?: boolean
  files?: boolean
  /** Who requested it. */
  by?: string
}

/** Creates, verifies or restores a backup on request. An interrupted job leaves no files and is not retried. */
export const backupJob: WorkKind = {
  kind: jobKind,
  max_running: 1,
  timeout_seconds: 6 * 3_600,
  after_crash: 'lose',
  run: runJob,
  async ended(work, _, context) {
    liveProgress(context).delete(work.id)
    return { events: [endEvent(work, context, 'failed', { error: interrupted })] }
  },
}

async function runJob(work: Work, context: Context): Promise<WorkOutcome> {
  const payload = work.payload as unknown as Payload
  const progress = reporting(context, work)
  try {
    const { name, restart } = await perform(context, payload, progress)
    if (restart) liveProgress(context).set(work.id, { ...noProgress, phase: 'restarting' })
    const output = { backup: name, progress: liveProgress(context).get(work.id) }
    const announce = () => {
      liveProgress(context).delete(work.id)
      if (restart) context.backups.restart()
    }
    const created = payload.action === 'create' ? [event('backup.created', { name, reason: 'manual' })] : []
    const events = [endEvent(work, context, 'succeeded', output), ...created]
    return { status: 'succeeded', output, events, announce }
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    const error = explain(context, thrown)
    const output = { backup: payload.name ?? null, error }
    const failed = event('backup.failed', { action: payload.action, name: payload.name ?? null, error })
    const announce = () => void liveProgress(context).delete(work.id)
    const events = [endEvent(work, context, 'failed', output), failed]
    return { status: 'failed', output, events, announce }
  }
}

async function perform(
  context: Context,
  { action, name = '', keys = false, files = true, by = '' }: Payload,
  options: BackupOptions,
): Promise<{ name: string; restart: boolean }> {
  if (action === 'create') {
    const made = await context.backups.create({ ...options, reason: 'manual', folder: null, keys, files })
    return { name: made.name, restart: false }
  }
  const backup = await requireBackup(context, name)
  if (action === 'verify') {
    const damage = await context.backups.verify(backup, options)
    if (damage) throw new BackupError(`${name} is damaged: ${damage}`)
    return { name, restart: false }
  }
  await context.backups.stage(backup, { ...options, keys, files, by })
  return { name, restart: true }
}

function explain(context: Context, thrown: unknown): string {
  if (thrown instanceof BackupError || (thrown as Error)?.name === 'Fault') return (thrown as Error).message
  context.log.write('error', 'a backup job failed', { cause: thrown })
  return `The job failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`
}

/** Records the progress of a job and publishes it at a limited rate. */
function reporting(context: Context, work: Work): BackupOptions {
  let published = 0
  return {
    signal: context.signal,
    onProgress(progress) {
      const live = liveProgress(context)
      const isNew = live.get(work.id)?.phase !== progress.phase
      live.set(work.id, progress)
      if (!isNew && context.clock.now() - published < eventInterval) return
      published = context.clock.now()
      void context.commit([], [jobUpdated(jobOf(work, progress))]).catch((cause: unknown) => {
        context.log.write('warn', 'cannot publish progress', { cause })
      })
    },
  }
}

const attempts = 3

/** The daily backup. After three attempts, the failure is reported and the next day's backup is queued. */
export const scheduledBackup: WorkKind = {
  kind: scheduledKind,
  max_running: 1,
  timeout_seconds: 6 * 3_600,
  after_crash: 'retry',
  retry: { max_attempts: attempts, delay_seconds: (attempt) => 600 * attempt },
  async run(work, context) {
    const settings = await readSection(context, backupSettings)
    if (!settings.enabled) return { status: 'succeeded' }
    try {
      return await backUpOnSchedule(context, settings)
    } catch (thrown) {
      if (context.signal.aborted || work.attempt < attempts) throw thrown
      const error = explain(context, thrown)
      return { status: 'failed', output: { error }, ...(await scheduledFailure(context, error)) }
    }
  },
  ended: (_, status, context) => scheduledFailure(context, status === 'cancelled' ? null : interrupted),
}

async function backUpOnSchedule(context: Context, settings: BackupSettings): Promise<WorkOutcome> {
  const folder = await scheduledFolder(context, settings)
  const options = {
    signal: context.signal,
    onProgress: () => undefined,
    keys: settings.keys,
    files: settings.files,
  }
  const { name } = await context.backups.create({ ...options, reason: 'scheduled', folder })
  const removed = await rotate(context, settings)
  return {
    status: 'succeeded',
    output: { backup: name, removed },
    statements: await next(context),
    events: [event('backup.created', { name, reason: 'scheduled' })],
  }
}

const scheduledFailure = async (context: Context, error: string | null) => ({
  statements: await next(context),
  events: error === null ? [] : [event('backup.failed', { action: 'create', name: null, error })],
})

const next = async (context: Context): Promise<Statement[]> => queueBackup(context, await nextBackup(context))

/** Deletes the scheduled backups that the rotation no longer keeps. Returns their names. */
async function rotate(context: Context, settings: BackupSettings): Promise<string[]> {
  const { timezone } = await readSection(context, profile)
  const offset = zoneReader(timezone)(context.clock.now()).offset * 60_000
  const expired = expiredBackups(await listBackups(context), settings, offset)
  for (const backup of expired) await context.backups.remove(backup)
  return expired.map(({ name }) => name)
}

const statuses: Record<Work['status'], BackupJob['status']> = {
  queued: 'running',
  waiting: 'running',
  running: 'running',
  succeeded: 'done',
  failed: 'error',
  cancelled: 'error',
  lost: 'error',
}

const interrupted = 'hearthd stopped before the job was done; nothing was changed'

type JobWork = Pick<Work, 'id' | 'payload' | 'status' | 'created_at' | 'started_at' | 'finished_at' | 'outcome'>

interface Outcome {
  backup?: string | null
  error?: string
  progress?: Progress
}

function jobOf(work: JobWork, live?: Progress): BackupJob {
  const { action, name } = work.payload as unknown as Payload
  const outcome: Outcome = work.outcome ?? {}
  const status = statuses[work.status]
  return {
    id: work.id,
    action: action ?? 'create',
    status,
    started_at: work.started_at ?? work.created_at,
    finished_at: work.finished_at,
    progress: live ?? outcome.progress ?? noProgress,
    backup: outcome.backup ?? name ?? null,
    error: status === 'error' ? (outcome.error ?? interrupted) : null,
  }
}

function endEvent(work: Work, context: Context, status: Work['status'], outcome: Record<string, unknown>) {
  return jobUpdated(jobOf({ ...work, status, outcome, finished_at: iso(context.clock.now()) }))
}

const jobUpdated = (job: BackupJob): EventInput => event('backup.job.updated', { job })

export async function requireJob(host: Host, id: string): Promise<BackupJob> {
  const work = await findWork(host, id)
  if (work?.kind !== jobKind) throw notFound('The backup job')
  return jobOf(work, liveProgress(host).get(work.id))
}

/** The running job; null if there is none. */
export async function runningJob(host: Host): Promise<BackupJob | null> {
  const [work] = await listWork(host, { kind: jobKind })
  return work ? jobOf(work, liveProgress(host).get(work.id)) : null
}

export async function startRestore(
  context: Context,
  name: string,
  { confirm, keys, files }: { confirm: string; keys: boolean; files: boolean },
): Promise<BackupJob> {
  const backup = await requireBackup(context, name)
  if (confirm !== name) throw invalidField('confirm', 'must match the name of the backup')
  if (keys && !backup.has_key) throw invalidField('keys', 'requires a backup that includes its master key')
  return startJob(context, { action: 'restore', name, keys, files, by: context.caller.name })
}

/** Starts a job. A 409 that contains the running job if there is one. */
export async function startJob(context: Context, payload: Payload): Promise<BackupJob> {
  requireSupported(context)
  const new_work = {
    kind: jobKind,
    subject: payload.name ?? 'new',
    lane: backupLane,
    payload: { ...payload },
  }
  const { id, statement } = insertWork(context, new_work)
  const times = { created_at: iso(context.clock.now()), started_at: null, finished_at: null }
  const job = jobOf({ id, payload: new_work.payload, status: 'queued', ...times, outcome: null })
  const isRunning = 'Another backup or restore is running'
  const action = {
    create: 'backup.requested',
    verify: 'backup.verified',
    restore: 'backup.restore_requested',
  }
  const audit = auditStatement(context, { action: action[payload.action], target: payload.name ?? 'new' })
  const guard = guardOnlyWork(jobKind, id, isRunning)
  if (await wonRace(context.commit([statement, guard, audit], [], { answer: job }))) return job
  throw conflict(isRunning, { job: await runningJob(context) })
}

/** Records a restore in the restored database, whose history ends before it. */
async function announceRestored(host: Host, restored: RestoreRecord): Promise<void> {
  const context = localContext(host)
  const { name, by, previous, error } = restored
  const outcome = error === null ? ('ok' as const) : ('failed' as const)
  const target = by === '' ? name : `${name}, by ${by}`
  const happened =
    error === null
      ? event('backup.restored', { name, by, previous })
      : event('backup.failed', { action: 'restore', name, error })
  await context.commit([auditStatement(context, { action: 'backup.restored', target, outcome })], [happened])
}

/** Containers that still run would use the workspaces that a restore has replaced. */
async function stopContainers({ sandbox }: Host): Promise<void> {
  for (const engine of sandbox.engines) {
    if (!engine.persistent || !(await engine.status()).available) continue
    for (const { id, running } of await engine.list()) if (running) await engine.stop(id)
  }
}

/** At startup: reports a restore that this start completed, and queues the scheduled backup if it is not queued. */
export async function startBackups(host: Host): Promise<void> {
  if (host.backups.unsupported !== null) return
  await host.sql.write(queueBackup(host, await nextBackup(host)))
  const restored = await host.backups.restored()
  if (!restored) return
  if (restored.error === null) host.process.restored = restored.name
  await stopContainers(host).catch((cause: unknown) =>
    host.log.write('warn', 'cannot stop the containers of the replaced data', { cause }),
  )
  await announceRestored(host, restored).catch((cause: unknown) => {
    host.log.write('error', 'cannot report a restore', { cause, ...restored })
  })
}
