import type { Context } from '../context.ts'
import { conflict, invalidField, notFound } from '../fault.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { insertWork } from '../work/store.ts'
import { draftRun } from './draft-run.ts'
import { nextOf } from './due.ts'
import { countRun } from './job-store.ts'
import { requireJob } from './jobs.ts'
import { runKind } from './kinds.ts'
import { isOpen, type ShownRun } from './run-schema.ts'
import { countCovered, findRun, ifRun, insertBackfill, insertRun, type NewRun, showRun } from './run-store.ts'
import { stopRun } from './stop.ts'

/** Due times that one request may make up for. */
const mostBackfilled = 500

/** Runs a job now, whatever its schedule and its state say. Returns the id of the run. */
export async function triggerJob(context: Context, id: string): Promise<string> {
  const job = await requireJob(context, id)
  const run = draftRun(context, { job_id: job.id, trigger: 'manual', at: context.clock.now() })
  const { statement } = insertWork(context, { kind: runKind, subject: run.id })
  await context.commit([countRun(job.id), insertRun(run), statement])
  context.process.wake()
  return run.id
}

/**
 * Runs a job for each due time of a stretch of the past that has not succeeded and is not under way. A preview says how
 * many those are, and runs none.
 */
export async function backfillJob(
  context: Context,
  id: string,
  span: { start: string; end: string; preview?: boolean },
): Promise<{ run_ids: string[]; count: number; due_times: number }> {
  const job = await requireJob(context, id)
  const [start, end] = [Date.parse(span.start), Date.parse(span.end)]
  if (end < start) throw invalidField('end', 'lies before start')
  if (end > context.clock.now()) throw invalidField('end', 'lies in the future')
  const times: number[] = []
  const past = { ...job, ends_at: null }
  for (let at = nextOf(past, start - 1); at !== null && at <= end; at = nextOf(past, at)) {
    times.push(at)
    if (times.length > mostBackfilled)
      throw invalidField('end', `at most ${mostBackfilled} due times at once; choose a shorter stretch`)
  }
  if (span.preview) {
    const covered = await countCovered(context, job.id, times.map(iso))
    return { run_ids: [], count: times.length - covered, due_times: times.length }
  }
  const runs = times.map((at) => draftRun(context, { job_id: job.id, trigger: 'backfill', at }))
  const written = await context.commit(runs.flatMap((run) => [insertBackfill(run), workOf(context, run)]))
  context.process.wake()
  const stored = runs.filter((_, index) => (written[index * 2]?.changes ?? 0) > 0)
  return { run_ids: stored.map((run) => run.id), count: stored.length, due_times: times.length }
}

/** None where the run was not stored. */
function workOf(context: Context, run: NewRun): Statement {
  const { statement } = insertWork(context, { kind: runKind, subject: run.id })
  return ifRun(statement, run.id)
}

export async function requireRun(context: Context, job: string, id: string): Promise<ShownRun> {
  const run = await showRun(context, job, id)
  if (!run) throw notFound(`The run ${id}`)
  return run
}

/** Ends a run that waits or goes on; what it does is stopped. */
export async function cancelRun(context: Context, jobId: string, id: string): Promise<ShownRun> {
  const job = await requireJob(context, jobId)
  const run = await findRun(context, id)
  if (run?.job_id !== jobId) throw notFound(`The run ${id}`)
  if (!isOpen(run)) throw conflict(`The run is ${run.status} already`)
  const end = { status: 'cancelled' as const, error: 'Cancelled by a person' }
  await stopRun(context, { job, run }, end)
  return requireRun(context, jobId, id)
}
