import type { Context } from '../context.ts'
import { GuardFailed } from '../ports/sql.ts'
import type { WorkKind } from '../work/kind.ts'
import type { Work } from '../work/schema.ts'
import { insertWork } from '../work/store.ts'
import { endingOf } from './end.ts'
import { findJob, type StoredJob } from './job-store.ts'
import { type Leftover, stopKind } from './kinds.ts'
import { isOpen, type RunEnd } from './run-schema.ts'
import { findRun, type StoredRun } from './run-store.ts'
import { stopTarget } from './targets.ts'

/** Ends a run whose time is up, and stops what it does wherever it runs. */
export const runStop: WorkKind = {
  kind: stopKind,
  max_running: 50,
  after_crash: 'retry',
  // Another daemon may run it, and takes this unit up sooner or later.
  retry: { max_attempts: Number.POSITIVE_INFINITY, delay_seconds: () => 1 },
  async run(work, context) {
    if (await stoppedAlone(context, work)) return { status: 'succeeded' }
    const run = await findRun(context, work.subject)
    const job = run && (await findJob(context, run.job_id))
    if (!run || !job) return { status: 'succeeded' }
    if (isOpen(run)) {
      const error = `It took longer than ${job.timeout_seconds} s`
      await close(context, { job, run }, { status: 'timed_out', error }, false)
    }
    if (await stopTarget(job.target.kind, context, run)) return { status: 'succeeded' }
    throw new Error('another daemon runs it')
  },
}

/** Of a job that was deleted only what it did is left, which the unit itself names. */
async function stoppedAlone(context: Context, { payload }: Work): Promise<boolean> {
  const { target, message_id } = payload as Partial<Leftover>
  if (target === undefined || message_id === undefined) return false
  if (await stopTarget(target, context, { message_id })) return true
  throw new Error('another daemon runs it')
}

interface Open {
  job: StoredJob
  run: StoredRun
}

/** Ends a run before its time. That it has ended is stored first; what it does is then stopped, also after a crash. */
export async function stopRun(context: Context, open: Open, end: RunEnd): Promise<void> {
  await close(context, open, end, open.run.status === 'running')
  await stopTarget(open.job.target.kind, context, open.run)
}

async function close(context: Context, open: Open, end: RunEnd, stopLater: boolean): Promise<void> {
  const ending = endingOf(context, open, end)
  const later = stopLater ? [insertWork(context, { kind: stopKind, subject: open.run.id }).statement] : []
  try {
    await context.commit([...(ending.statements ?? []), ...later], ending.events)
    ending.announce?.()
  } catch (thrown) {
    // It ended by itself in this very moment.
    if (!(thrown instanceof GuardFailed)) throw thrown
  }
}
