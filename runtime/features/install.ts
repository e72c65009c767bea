import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { conflict } from '../fault.ts'
import type { Host } from '../host.ts'
import { wonRace } from '../lost-race.ts'
import { type InstallOptions, type InstallProgress, PackageError } from '../ports/packages.ts'
import { processState } from '../process-state.ts'
import { iso, second } from '../time.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import type { Work } from '../work/schema.ts'
import { guardOnlyWork, latestWork, listWork } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { requirePack, requireSupported } from './packs.ts'
import type { InstallJob } from './schema.ts'

const installKind = 'features.install'

/** Log lines that are kept. */
const maxLines = 50
/** Milliseconds between two progress events of one phase. */
const eventInterval = 0.5 * second

interface LiveInstall {
  progress: InstallProgress
  log: string[]
}

const liveInstalls = processState(() => new Map<string, LiveInstall>())

/** Installs a pack. An interrupted installation changes nothing and is not retried. */
export const packInstall: WorkKind = {
  kind: installKind,
  max_running: 1,
  timeout_seconds: 1_800,
  after_crash: 'lose',
  run: install,
  async ended(work, _, context) {
    liveInstalls(context).delete(work.id)
    return { events: [endEvent(work, context, 'failed', { error: interrupted })] }
  },
}

async function install(work: Work, context: Context): Promise<WorkOutcome> {
  const installs = liveInstalls(context)
  const live: LiveInstall = { progress: { phase: 'installing', done: 0, total: 0 }, log: [] }
  installs.set(work.id, live)
  const announce = () => void installs.delete(work.id)
  const pack = requirePack(work.subject)
  try {
    const { changed } = await context.packages.install(pack.packages, reporting(context, work, live))
    const output = { packages: pack.packages, changed, ...live }
    const ended = endEvent(work, context, 'succeeded', output)
    const installed = event('feature.installed', { pack_id: pack.id, packages: [...pack.packages] })
    const events = changed ? [ended, installed] : [ended]
    return { status: 'succeeded', output, events, announce }
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    const isKnown = thrown instanceof PackageError
    if (!isKnown) context.log.write('error', 'a pack was not installed', { cause: thrown })
    const error = isKnown ? thrown.message : 'It could not be installed; the log has the details'
    const output = { error, ...live }
    return { status: 'failed', output, events: [endEvent(work, context, 'failed', output)], announce }
  }
}

function endEvent(work: Work, context: Context, status: Work['status'], outcome: Record<string, unknown>) {
  return jobUpdated(jobOf({ ...work, status, outcome, finished_at: iso(context.clock.now()) }))
}

/** Keeps the progress and the log, and publishes them at a limited rate. */
function reporting(context: Context, work: Work, live: LiveInstall): InstallOptions {
  let published = 0
  const publish = () => {
    published = context.clock.now()
    void context.commit([], [jobUpdated(jobOf(work, live))]).catch((cause: unknown) => {
      context.log.write('warn', 'progress was not published', { cause })
    })
  }
  return {
    signal: context.signal,
    onLog(line) {
      live.log.push(line.slice(0, 500))
      if (live.log.length > maxLines) live.log.splice(0, live.log.length - maxLines)
    },
    onProgress(progress) {
      const isNewPhase = progress.phase !== live.progress.phase
      live.progress = progress
      if (isNewPhase || context.clock.now() - published >= eventInterval) publish()
    },
  }
}

const statuses: Record<Work['status'], InstallJob['status']> = {
  queued: 'running',
  waiting: 'running',
  running: 'running',
  succeeded: 'done',
  failed: 'error',
  cancelled: 'error',
  lost: 'error',
}

interface Outcome extends Partial<LiveInstall> {
  error?: string
  packages?: { name: string; version: string }[]
  changed?: boolean
}

const interrupted = 'hearthd stopped before it was done; nothing was changed'

type JobWork = Pick<Work, 'id' | 'subject' | 'status' | 'created_at' | 'started_at' | 'finished_at' | 'outcome'>

/** The job as the API returns it: the stored work with the live progress. */
function jobOf(work: JobWork, live?: LiveInstall): InstallJob {
  const outcome: Outcome = work.outcome ?? {}
  const status = statuses[work.status]
  const progress = live?.progress ?? outcome.progress ?? { phase: 'installing', done: 0, total: 0 }
  return {
    id: work.id,
    kind: 'install',
    pack_id: work.subject,
    status,
    started_at: work.started_at ?? work.created_at,
    finished_at: work.finished_at,
    progress: { ...progress, log: [...(live?.log ?? outcome.log ?? [])] },
    result: status === 'done' ? { packages: outcome.packages ?? [], changed: outcome.changed ?? true } : null,
    error: status === 'error' ? (outcome.error ?? interrupted) : null,
  }
}

/** Events are kept for a while, so they only contain the end of the log. */
const jobUpdated = (job: InstallJob): EventInput => {
  const progress = { ...job.progress, log: job.progress.log.slice(-3) }
  return { type: 'feature.job.updated', data: { job: { ...job, progress } } }
}

export async function latestJob(host: Host, pack_id: string): Promise<InstallJob | null> {
  const work = await latestWork(host, installKind, pack_id)
  return work && jobOf(work, liveInstalls(host).get(work.id))
}

/** Starts the installation of a pack. A 409 with the running job while any pack is being installed. */
export async function startInstall(context: Context, pack_id: string): Promise<InstallJob> {
  requireSupported(context, requirePack(pack_id))
  const { id, statement } = insertWork(context, { kind: installKind, subject: pack_id })
  const times = { created_at: iso(context.clock.now()), started_at: null, finished_at: null }
  const job = jobOf({ id, subject: pack_id, status: 'queued', ...times, outcome: null })
  const isRunning = 'Another installation is running'
  const audit = auditStatement(context, { action: 'feature.install', target: pack_id })
  const guard = guardOnlyWork(installKind, id, isRunning)
  if (await wonRace(context.commit([statement, guard, audit], [], { answer: { job } }))) return job
  const [work] = await listWork(context, { kind: installKind })
  throw conflict(isRunning, { job: work ? jobOf(work, liveInstalls(context).get(work.id)) : null })
}
