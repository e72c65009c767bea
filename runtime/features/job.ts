import type { EventInput } from '../events/event.ts'
import type { Host } from '../host.ts'
import type { Work } from '../work/schema.ts'
import type { LiveInstall } from './live.ts'
import { liveInstalls } from './live.ts'
import type { InstallJob } from './schema.ts'
import { latestInstall } from './store.ts'

/** Name of the work that installs a pack. */
export const installKind = 'features.install'

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

/** Of a job that its process has left behind. */
export const cut = 'hearthd stopped before it was done; nothing was changed'

/** The job as it is shown: its row, and what this process knows of its progress while it runs. */
export function jobOf(work: Work, live?: LiveInstall): InstallJob {
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
    error: status === 'error' ? (outcome.error ?? cut) : null,
  }
}

/** Events are kept for a while, so they carry the end of the log only. */
export const jobUpdated = (job: InstallJob): EventInput => {
  const progress = { ...job.progress, log: job.progress.log.slice(-3) }
  return { type: 'feature.job.updated', data: { job: { ...job, progress } } }
}

/** The last installation of a pack; null when there was none for a while. */
export async function latestJob(host: Host, pack_id: string): Promise<InstallJob | null> {
  const work = await latestInstall(host, installKind, pack_id)
  return work && jobOf(work, liveInstalls(host).of(work.id))
}
