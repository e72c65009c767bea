import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { Statement } from '../ports/sql.ts'
import type { RunOutcome } from '../schedules/targets.ts'
import { targetOf } from '../schedules/targets.ts'
import { iso, second } from '../time.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import type { Work } from '../work/schema.ts'
import { resumeWork } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { judge } from './conditions.ts'
import type { JobRun } from './delivery-format.ts'
import { closeRun, stopRun } from './end.ts'
import { findJob, type StoredJob } from './job-store.ts'
import { catchUpKind, runKind, stopKind } from './kinds.ts'
import { countRunningCatchUps, findRun, isStartable, openRuns, startRun } from './run-store.ts'
import type { Run } from './schema.ts'

/** Runs for missed due times that are active at once. */
const maxCatchUps = 5

/**
 * Starts one run: its work is queued in the commit that makes it running, so it starts once or not at all.
 * The unit ends there; the queued work reports when it has ended.
 */
export const runBegin: WorkKind = { kind: runKind, max_running: 100, after_crash: 'retry', run: begin }

/** Catch-up runs start one at a time, so that they can be counted. */
export const catchUpBegin: WorkKind = { ...runBegin, kind: catchUpKind, max_running: 1 }

async function begin(work: Work, context: Context): Promise<WorkOutcome> {
  const run = await findRun(context, work.subject)
  const job = run && (await findJob(context, run.job_id))
  if (!job || run.status !== 'queued') return { status: 'succeeded' }
  const jobRun = { job, run }
  if (await mustWait(context, jobRun)) return waiting(jobRun)
  const { refusal, statements, events } = await judge(context, jobRun)
  if (refusal !== null) return over(context, jobRun, { status: 'skipped', error: refusal }, events)
  try {
    const started = await startOf(context, job, run)
    return {
      status: 'succeeded',
      statements: [...started.statements, ...statements],
      events: started.events,
    }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return over(context, jobRun, { status: 'failed', error: thrown.message, final: true })
  }
}

async function over(
  context: Context,
  jobRun: JobRun,
  outcome: RunOutcome,
  events: EventInput[] = [],
): Promise<WorkOutcome> {
  const ending = await closeRun(context, jobRun, outcome)
  return { status: 'succeeded', ...ending, events: [...ending.events, ...events] }
}

/** Manual runs start at once; others wait for the active runs of their job, by its `overlap`. */
async function mustWait(context: Context, { job, run }: JobRun): Promise<boolean> {
  if (run.trigger === 'catchup' && (await countRunningCatchUps(context)) >= maxCatchUps) return true
  if (job.overlap === 'allow' || run.trigger === 'manual') return false
  const others = (await openRuns(context, job.id)).filter(({ id }) => id !== run.id)
  const replaces = job.overlap === 'cancel_other' && run.trigger === 'schedule'
  const replaced = others.filter((other) => replaces && isReplaced(other, run))
  for (const other of replaced)
    await stopRun(context, { job, run: other }, { status: 'cancelled', error: 'Replaced by a newer run' })
  return others.some((other) => other.status === 'running' && !replaced.includes(other))
}

/** A newer run on time replaces older ones and their retries; missed runs that have not started keep their place. */
const isReplaced = (other: Run, { scheduled_for }: Run): boolean =>
  other.scheduled_for <= scheduled_for && (other.status === 'running' || other.trigger !== 'catchup')

/** Waits until another run ends. If that happened before this was stored, it is resumed at once. */
function waiting({ job, run }: JobRun): WorkOutcome {
  const startable = isStartable(run, { overlaps: job.overlap === 'allow', max_catchups: maxCatchUps })
  const resumed = resumeWork({ kind: [runKind, catchUpKind], subject: run.id }, startable)
  return { status: 'waiting', statements: [resumed] }
}

/**
 * Starts a queued run: its work, its timeout and its events, for one commit. Throws a `Fault` that says why
 * it cannot start.
 */
export async function startOf(
  context: Context,
  job: StoredJob,
  run: Pick<Run, 'id' | 'trigger' | 'attempt'>,
): Promise<{ statements: Statement[]; events: EventInput[] }> {
  const target = await targetOf(context, job.target.kind)
  if (!target) throw new Fault(422, 'unsupported', `A ${job.target.kind} cannot be started here`)
  const started = await target.start(context, job, run)
  const { conversation_id, statements, events } = started
  const now = context.clock.now()
  const timeout = { kind: stopKind, subject: run.id, due: now + job.timeout_seconds * second }
  const { trigger, attempt } = run
  const data = { job_id: job.id, name: job.name, run_id: run.id, trigger, attempt, conversation_id }
  return {
    statements: [startRun(run.id, { ...started, at: iso(now) }), ...statements, insertWork(context, timeout).statement],
    events: [...events, { type: 'job.run.started', data }],
  }
}
