import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { iso, second } from '../time.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import type { Work } from '../work/schema.ts'
import { insertWork } from '../work/store.ts'
import { unmet } from './conditions.ts'
import { endingOf } from './end.ts'
import { findJob, type StoredJob } from './job-store.ts'
import { catchUpKind, runKind, stopKind } from './kinds.ts'
import { beginRun, countRunningCatchUps, findRun, openRuns, type StoredRun } from './run-store.ts'
import { stopRun } from './stop.ts'
import { targets } from './targets.ts'

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
  const refusal = await unmet(context, job, run)
  if (refusal !== null) return over(context, { job, run }, { status: 'skipped', error: refusal })
  try {
    return await started(context, job, run)
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

async function started(context: Context, job: StoredJob, run: StoredRun): Promise<WorkOutcome> {
  const target = targets[job.target.kind]
  if (!target) throw new Fault(422, 'unsupported', `A ${job.target.kind} cannot be started here`)
  const begun = await target.begin(context, job, run)
  const now = context.clock.now()
  const due = now + job.timeout_seconds * second
  const { conversation_id, message_id } = begun
  const data = {
    job_id: job.id,
    name: job.name,
    run_id: run.id,
    trigger: run.trigger,
    attempt: run.attempt,
    conversation_id,
  }
  return {
    status: 'succeeded',
    statements: [
      beginRun(run.id, { at: iso(now), conversation_id, message_id }),
      ...begun.statements,
      insertWork(context, { kind: stopKind, subject: run.id, due }).statement,
    ],
    events: [...begun.events, { type: 'job.run.started', data }],
    announce: () => context.process.wake(),
  }
}
