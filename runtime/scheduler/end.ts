import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import type { WorkEnding, WorkKind } from '../work/kind.ts'
import { dropQueuedWork } from '../work/select.ts'
import { insertWork, resumeOldest } from '../work/store.ts'
import { chainUnit } from './chains/progress.ts'
import { ifInChain, moveStep } from './chains/store.ts'
import { jobChanged } from './events.ts'
import { closeJob, findJob, noteRun, pauseFailing, type StoredJob } from './job-store.ts'
import { catchUpKind, deliveryKind, endKind, runKind, stopKind } from './kinds.ts'
import { retryDelay } from './retry.ts'
import { isFailure, isOpen, type RunEnd } from './run-schema.ts'
import { addCost, endRun, findRun, insertRun, type StoredRun } from './run-store.ts'
import { targetOf } from './targets.ts'

/** Closes a run whose turn has ended: its row, its job, the next try and what waited for it, in one commit. */
export const runEnd: WorkKind = {
  kind: endKind,
  max_running: 100,
  after_crash: 'retry',
  async run(work, context) {
    const run = await findRun(context, work.subject)
    const job = run && (await findJob(context, run.job_id))
    if (!run || !job) return { status: 'succeeded' }
    const end = await (await targetOf(job.target.kind))?.ending(context, run)
    if (!end) return { status: 'succeeded' }
    if (isOpen(run)) return { status: 'succeeded', ...endingOf(context, { job, run }, end) }
    const { input_tokens = 0, output_tokens = 0, cost_usd = 0 } = end
    return { status: 'succeeded', statements: [addCost(run.id, { input_tokens, output_tokens, cost_usd })] }
  },
}

interface Ended {
  job: StoredJob
  run: StoredRun
}

/** Everything that belongs to the end of a run. Its first statement is guarded: of several ends one holds. */
export function endingOf(context: Context, ended: Ended, end: RunEnd): WorkEnding {
  const { job, run } = ended
  const now = iso(context.clock.now())
  const again = nextTry(context, ended, end)
  const delivered = again === null && isDelivered(job, end)
  return {
    statements: [
      endRun(run.id, { ...end, at: now, delivery_status: delivered ? 'pending' : 'none' }),
      ...(delivered ? [insertWork(context, { kind: deliveryKind, subject: run.id }).statement] : []),
      ...(again?.statements ?? []),
      ...(again ? [] : [ifInChain(chainUnit(context, run.id), job.id)]),
      ...jobAfter(ended, end, again !== null),
      dropQueuedWork({ kind: stopKind, subject: run.id }),
      resumeParked(job.id),
      ...(run.trigger === 'catchup' ? [resumeOldest(catchUpKind)] : []),
    ],
    events: eventsOf(ended, end, again !== null),
    announce: () => context.process.wake(),
  }
}

/** Another try is a run of its own, so that each can be seen. */
function nextTry(context: Context, { job, run }: Ended, end: RunEnd): { statements: Statement[] } | null {
  if (!isFailure(end.status) || end.final || run.attempt >= job.retry.max_attempts) return null
  const now = context.clock.now()
  const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
  const due = now + retryDelay(job.retry, run.attempt, byte / 256)
  const id = newId('run', now)
  const row = insertRun({
    id,
    job_id: job.id,
    status: 'queued',
    trigger: 'retry',
    scheduled_for: run.scheduled_for,
    attempt: run.attempt + 1,
    error: null,
    created_at: iso(now),
    completed_at: null,
    chain_run_id: run.chain_run_id,
  })
  const { statement } = insertWork(context, { kind: runKind, subject: id, due })
  return { statements: [row, statement, moveStep(run.id, id)] }
}

function jobAfter({ job, run }: Ended, end: RunEnd, again: boolean): Statement[] {
  const failed = isFailure(end.status)
  const failures = end.status === 'succeeded' ? 0 : failed && !again ? 1 : null
  const note = noteRun(job.id, { last_run_at: run.started_at, last_status: end.status, failures })
  if (again) return [note]
  const most = job.auto_pause_after
  const reason = `It failed ${most} times in a row; the last time: ${end.error ?? end.status}`
  const closing = job.schedule.type === 'at' && end.status !== 'succeeded' && end.status !== 'skipped'
  return [
    note,
    ...(failed && most !== null ? [pauseFailing(job.id, most, reason)] : []),
    closeJob(job.id, closing ? 'failed' : 'completed'),
  ]
}

/** Lets the runs of a job that wait for each other look again. */
const resumeParked = (job: string): Statement => ({
  sql: `UPDATE work SET status = 'queued' WHERE kind IN ('${runKind}', '${catchUpKind}') AND status = 'waiting' AND subject IN (
    SELECT id FROM scheduler_runs WHERE job_id = ? AND status = 'queued')`,
  args: [job],
})

/** What came of a run is brought to where its job says, once the tries are over. */
const isDelivered = ({ delivery }: StoredJob, { status }: RunEnd): boolean =>
  delivery.channel !== 'none' && ['succeeded', 'failed', 'timed_out', 'lost'].includes(status)

function eventsOf({ job, run }: Ended, end: RunEnd, again: boolean): EventInput[] {
  const { id: run_id, trigger, attempt, scheduled_for, conversation_id } = run
  const data = { job_id: job.id, name: job.name, run_id, trigger, attempt, scheduled_for, conversation_id }
  const told = { ...data, status: end.status, error: end.error ?? null, will_retry: again }
  const type = isFailure(end.status) ? 'job.run.failed' : 'job.run.finished'
  return [{ type, data: told }, jobChanged(job.id)]
}
