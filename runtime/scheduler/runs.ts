import type { Context } from '../context.ts'
import { conflict, invalidField, notFound } from '../fault.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { nextDue } from './due.ts'
import { stopRun } from './end.ts'
import { countRun } from './job-store.ts'
import { requireJob } from './jobs.ts'
import { coveredTimes, draftRun, enqueueRun, findRun, insertBackfill, insertRun, showRun } from './run-store.ts'
import { isOpen, type ShownRun } from './schema.ts'

/** Due times of one backfill. */
const maxBackfill = 500

export async function triggerJob(context: Context, id: string): Promise<{ run_id: string }> {
  const { run_id, statements } = await newRun(context, id)
  const answer = { run_id }
  await context.commit(statements, [], { answer })
  return answer
}

/** A run of a job that starts now, for the commit of what has caused it. */
export async function newRun(context: Context, id: string): Promise<{ run_id: string; statements: Statement[] }> {
  const job = await requireJob(context, id)
  const run = draftRun(context, { job_id: job.id, trigger: 'manual', at: context.clock.now() })
  return { run_id: run.id, statements: [countRun(job.id), insertRun(run), enqueueRun(context, run)] }
}

/**
 * Runs a job for each due time of a past period that has not succeeded and is not in progress. A preview only returns
 * their number.
 */
export async function backfillJob(
  context: Context,
  id: string,
  span: { start: string; end: string; preview?: boolean },
): Promise<{ run_ids: string[]; count: number; due_times: number }> {
  const job = await requireJob(context, id)
  const [start, end] = [Date.parse(span.start), Date.parse(span.end)]
  if (end < start) throw invalidField('end', 'is before start')
  if (end > context.clock.now()) throw invalidField('end', 'is in the future')
  const times: number[] = []
  const past = { ...job, ends_at: null }
  for (let at = nextDue(past, start - 1); at !== null && at <= end; at = nextDue(past, at)) {
    times.push(at)
    if (times.length > maxBackfill)
      throw invalidField('end', `at most ${maxBackfill} due times at once; choose a shorter period`)
  }
  const covered = await coveredTimes(context, job.id, times.map(iso))
  const open = times.filter((at) => !covered.has(iso(at)))
  const answerOf = (run_ids: string[], count = run_ids.length) => ({
    run_ids,
    count,
    due_times: times.length,
  })
  if (span.preview) return answerOf([], open.length)
  const runs = open.map((at) => draftRun(context, { job_id: job.id, trigger: 'backfill', at }))
  // Work without a stored run does nothing.
  const work = runs.map((run) => enqueueRun(context, run))
  const answer = answerOf(runs.map(({ id }) => id))
  const written = await context.commit([...runs.map(insertBackfill), ...work], [], { answer })
  // Without those that another request has just covered.
  return answerOf(answer.run_ids.filter((_, index) => (written[index]?.changes ?? 0) > 0))
}

export async function requireRun(context: Context, job: string, id: string): Promise<ShownRun> {
  await requireJob(context, job)
  const run = await showRun(context, job, id)
  if (!run) throw notFound(`The run ${id}`)
  return run
}

export async function cancelRun(context: Context, jobId: string, id: string): Promise<ShownRun> {
  const job = await requireJob(context, jobId)
  const run = await findRun(context, id)
  if (run?.job_id !== jobId) throw notFound(`The run ${id}`)
  if (!isOpen(run)) throw conflict(`The run is already ${run.status}`)
  await stopRun(context, { job, run }, { status: 'cancelled', error: 'Cancelled by a person' })
  return requireRun(context, jobId, id)
}
