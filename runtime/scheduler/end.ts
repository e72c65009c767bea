import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { wonRace } from '../lost-race.ts'
import type { Statement } from '../ports/sql.ts'
import type { RunOutcome, TargetKind } from '../schedules/targets.ts'
import { type StartedRun, stopTarget, targetOf } from '../schedules/targets.ts'
import { hour, iso, second } from '../time.ts'
import type { WorkKind } from '../work/kind.ts'
import { runningTimeOf } from '../work/running-time.ts'
import type { Work } from '../work/schema.ts'
import { dropQueuedWork, resumeWork } from '../work/select.ts'
import { insertWork, resumeOldest } from '../work/store.ts'
import { chainWork, isInChain, moveStep } from './chain-store.ts'
import type { JobRun } from './delivery-format.ts'
import { nextDue } from './due.ts'
import { closeJob, findJob, pauseFailing, recordRun, uncountRun } from './job-store.ts'
import { catchUpKind, deliveryKind, endKind, runKind, stopKind } from './kinds.ts'
import { draftRun, endRun, enqueueRun, findRun, insertRun, isQueuedRun, setCost } from './run-store.ts'
import { isFailure, isOpen, type Retry } from './schema.ts'

/** Closes a run whose work has ended: its row, its job, the retry and what waited for it, in one commit. */
export const runEnd: WorkKind = {
  kind: endKind,
  max_running: 100,
  after_crash: 'retry',
  async run({ subject }, context) {
    const run = await findRun(context, subject)
    const job = run && (await findJob(context, run.job_id))
    if (!run || !job) return { status: 'succeeded' }
    const outcome = await (await targetOf(context, job.target.kind))?.outcome(context, run)
    if (!outcome) return { status: 'succeeded' }
    if (isOpen(run)) return { status: 'succeeded', ...(await closeRun(context, { job, run }, outcome)) }
    return { status: 'succeeded', statements: [setCost(run.id, outcome)] }
  },
}

/** Ends a run that has timed out or was stopped, and stops its work in whichever process it runs. */
export const runStop: WorkKind = {
  kind: stopKind,
  max_running: 50,
  after_crash: 'retry',
  // Another daemon may run the work, and takes this unit sooner or later.
  retry: { max_attempts: Number.POSITIVE_INFINITY, delay_seconds: () => 1 },
  async run(work, context) {
    const orphan = orphanOf(work)
    if (orphan) return stopped(await stopTarget(orphan.target, context, orphan))
    const run = await findRun(context, work.subject)
    const job = run && (await findJob(context, run.job_id))
    if (!run || !job) return { status: 'succeeded' }
    if (isOpen(run)) {
      const due = await deadlineOf(context, { job, run })
      if (due > context.clock.now()) {
        const later = insertWork(context, { kind: stopKind, subject: run.id, due })
        return { status: 'succeeded', statements: [later.statement] }
      }
      const error = `It took longer than ${job.timeout_seconds} s`
      await commitEnd(context, { job, run }, { status: 'timed_out', error })
    }
    return stopped(await stopTarget(job.target.kind, context, run))
  },
}

/** Minimum time between two checks of the limit of a run that has waited, in milliseconds. */
const checkEvery = 10 * second

/** When the time limit of a run ends at the earliest. Only the time in which its work runs counts. */
async function deadlineOf(context: Context, { job, run }: JobRun): Promise<number> {
  const limit = job.timeout_seconds * second
  const now = context.clock.now()
  const elapsed = now - Date.parse(run.started_at ?? run.scheduled_for)
  if (elapsed < limit) return now + limit - elapsed
  const target = await targetOf(context, job.target.kind)
  const left = limit - (target ? await runningTimeOf(context, await target.subjects(context, run)) : elapsed)
  return left > 0 ? now + Math.max(left, checkEvery) : now
}

/** The work of a deleted job, for the payload of `scheduler.stop`. */
export interface Orphan extends StartedRun {
  target: TargetKind
}

function orphanOf({ payload }: Work): Orphan | null {
  const { target, message_id = null, started_id = null } = payload as Partial<Orphan>
  return target === undefined ? null : { target, message_id, started_id }
}

function stopped(isStopped: boolean): { status: 'succeeded' } {
  if (!isStopped) throw new Error('another daemon runs it')
  return { status: 'succeeded' }
}

/** Ends a run early. Its end is stored before its work is stopped, so a crash in between loses nothing. */
export async function stopRun(context: Context, jobRun: JobRun, outcome: RunOutcome): Promise<void> {
  const { job, run } = jobRun
  const stop = insertWork(context, { kind: stopKind, subject: run.id }).statement
  await commitEnd(context, jobRun, outcome, run.status === 'running' ? [stop] : [])
  await stopTarget(job.target.kind, context, run)
}

/** Changes nothing if the run has ended meanwhile. */
async function commitEnd(context: Context, jobRun: JobRun, outcome: RunOutcome, more: Statement[] = []) {
  const { statements, events } = await closeRun(context, jobRun, outcome)
  await wonRace(context.commit([...statements, ...more], events))
}

/** Everything that belongs to the end of a run. The first statement is guarded: of several ends one wins. */
export async function closeRun(context: Context, jobRun: JobRun, outcome: RunOutcome) {
  const { job, run } = jobRun
  const now = iso(context.clock.now())
  const retry = retryOf(context, jobRun, outcome)
  const delivers =
    !retry && job.delivery.channel !== 'none' && ['succeeded', 'failed', 'timed_out', 'lost'].includes(outcome.status)
  const chained = !retry && (await isInChain(context, job.id))
  return {
    statements: [
      endRun(run.id, { ...outcome, at: now, delivery_status: delivers ? 'pending' : 'none' }),
      ...(delivers ? [insertWork(context, { kind: deliveryKind, subject: run.id }).statement] : []),
      ...(retry ?? []),
      ...(chained ? [chainWork(context, run.id)] : []),
      ...updateJobOf(context, jobRun, outcome, retry !== null),
      dropQueuedWork({ kind: stopKind, subject: run.id }),
      resumeWork({ kind: [runKind, catchUpKind] }, isQueuedRun('subject', job.id)),
      ...(run.trigger === 'catchup' ? [resumeOldest(catchUpKind)] : []),
    ],
    events: eventsOf(jobRun, outcome, retry !== null),
  }
}

/** Each attempt is a separate run, so that people can see it. */
function retryOf(context: Context, { job, run }: JobRun, outcome: RunOutcome): Statement[] | null {
  if (!isFailure(outcome.status) || outcome.final || run.attempt >= job.retry.max_attempts) return null
  const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
  const due = context.clock.now() + retryDelay(job.retry, run.attempt, byte / 256)
  const retry = draftRun(context, {
    job_id: job.id,
    trigger: 'retry',
    at: Date.parse(run.scheduled_for),
    attempt: run.attempt + 1,
    chain_run_id: run.chain_run_id,
  })
  return [insertRun(retry), enqueueRun(context, retry, { due }), moveStep(run.id, retry.id)]
}

/**
 * Milliseconds before the attempt after `attempt` (from 1). Pure; `random` is at least 0 and less than 1, and
 * spreads the attempts by 10 % either way.
 */
export function retryDelay({ strategy, base_delay }: Retry, attempt: number, random: number): number {
  const factor = { fixed: 1, linear: attempt, exponential: 2 ** (attempt - 1) }[strategy]
  return Math.min(hour, Math.round(base_delay * second * factor * (0.9 + 0.2 * random)))
}

function updateJobOf(
  context: Context,
  { job, run }: JobRun,
  { status, error }: RunOutcome,
  retried: boolean,
): Statement[] {
  const failed = isFailure(status)
  const failures = status === 'succeeded' ? 0 : failed && !retried ? 1 : null
  const recorded = recordRun(job.id, { last_run_at: run.started_at, last_status: status, failures })
  if (retried) return [recorded]
  const max = job.auto_pause_after
  const reason = `It failed ${max} times in a row; the last error: ${error ?? status}`
  const isLost = job.schedule.type === 'at' && status !== 'succeeded' && status !== 'skipped'
  return [
    recorded,
    ...(status === 'skipped' && counted.includes(run.trigger) ? [uncount(context, job)] : []),
    ...(failed && max !== null ? [pauseFailing(job.id, max, reason)] : []),
    closeJob(job.id, isLost ? 'failed' : 'completed'),
  ]
}

/** Triggers whose runs count toward `max_runs`. */
const counted = ['schedule', 'catchup', 'manual', 'chain']

function uncount(context: Context, job: JobRun['job']): Statement {
  const now = context.clock.now()
  const isUsedUp = job.max_runs !== null && job.run_count - 1 >= job.max_runs
  const next = isUsedUp ? null : nextDue(job, now)
  return uncountRun(job.id, { next: next === null ? null : iso(next), now: iso(now) })
}

function eventsOf({ job, run }: JobRun, outcome: RunOutcome, will_retry: boolean): EventInput[] {
  const { id: run_id, trigger, attempt, scheduled_for, conversation_id } = run
  const data = {
    job_id: job.id,
    name: job.name,
    run_id,
    trigger,
    attempt,
    scheduled_for,
    conversation_id,
    status: outcome.status,
    error: outcome.error ?? null,
    will_retry,
  }
  const type = isFailure(outcome.status) ? 'job.run.failed' : 'job.run.finished'
  return [
    { type, data },
    { type: 'job.updated', data: { job_id: job.id } },
  ]
}
