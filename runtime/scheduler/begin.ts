import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import type { Work } from '../work/schema.ts'
import { judge } from './conditions.ts'
import { endingOf } from './end.ts'
import { findJob, type StoredJob } from './job-store.ts'
import { catchUpKind, runKind } from './kinds.ts'
import { countRunningCatchUps, findRun, openRuns, type StoredRun } from './run-store.ts'
import { startOf } from './start.ts'
import { stopRun } from './stop.ts'

/** Runs that make up for missed ones, going on at once. */
const mostCatchUps = 5

/**
 * Begins one run: what it does is queued in the commit that makes it running, so it begins once or not at all. The
 * unit ends there; what it began says when it is over.
 */
export const runBegin: WorkKind = { kind: runKind, max_running: 100, after_crash: 'retry', run: begin }

/** One after the other, so that they can be counted. */
export const catchUpBegin: WorkKind = { ...runBegin, kind: catchUpKind, max_running: 1 }

async function begin(work: Work, context: Context): Promise<WorkOutcome> {
  const run = await findRun(context, work.subject)
  const job = run && (await findJob(context, run.job_id))
  if (!job || run.status !== 'queued') return { status: 'succeeded' }
  if (await mustWait(context, job, run)) return parked(work, job, run)
  const { refusal, statements, events } = await judge(context, job, run)
  if (refusal !== null) {
    const skipped = over(context, { job, run }, { status: 'skipped', error: refusal })
    return { ...skipped, events: [...(skipped.events ?? []), ...events] }
  }
  try {
    const start = await startOf(context, job, run)
    return {
      status: 'succeeded',
      statements: [...start.statements, ...statements],
      events: start.events,
      announce: () => context.process.wake(),
    }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return over(context, { job, run }, { status: 'failed', error: thrown.message, final: true })
  }
}

const over = (
  context: Context,
  ended: Parameters<typeof endingOf>[1],
  end: Parameters<typeof endingOf>[2],
): WorkOutcome => ({
  status: 'succeeded',
  ...endingOf(context, ended, end),
})

/** A person who asks for a run gets it at once; any other waits for those before it, as its job says. */
async function mustWait(context: Context, job: StoredJob, run: StoredRun): Promise<boolean> {
  if (run.trigger === 'catchup' && (await countRunningCatchUps(context)) >= mostCatchUps) return true
  if (job.overlap === 'allow' || run.trigger === 'manual') return false
  const running = (await openRuns(context, job.id)).filter(({ status }) => status === 'running')
  if (job.overlap === 'cancel_other' && run.trigger === 'schedule')
    for (const other of running)
      await stopRun(
        context,
        { job, run: other },
        { status: 'cancelled', error: 'A newer run took its place' },
      )
  return job.overlap !== 'cancel_other' && running.length > 0
}

/** Waits until another run ends; one that ended before this was stored lets it look again at once. */
function parked(work: Work, job: StoredJob, run: StoredRun): WorkOutcome {
  const full =
    run.trigger === 'catchup'
      ? ` AND (SELECT count(*) FROM scheduler_runs WHERE status = 'running' AND trigger = 'catchup') < ${mostCatchUps}`
      : ''
  const others = `SELECT 1 FROM scheduler_runs WHERE job_id = ? AND status = 'running'`
  const sql = `UPDATE work SET status = 'queued' WHERE id = ? AND status = 'waiting' AND (? OR NOT EXISTS (${others}))${full}`
  return {
    status: 'waiting',
    statements: [{ sql, args: [work.id, Number(job.overlap === 'allow'), job.id] }],
  }
}
