import type { Context } from '../../context.ts'
import { iso } from '../../time.ts'
import type { WorkKind, WorkOutcome } from '../../work/kind.ts'
import { Stopping } from '../../work/run.ts'
import type { Work } from '../../work/schema.ts'
import { dropBuilding } from '../graph/generations.ts'
import { jobOf, memoryJobKind } from './job.ts'
import { jobUpdated, Progress } from './progress.ts'
import { JobOrder, type MemoryJob } from './schema.ts'

/**
 * The jobs that take their time. One that is cut by a crash or a stop is over: what it has stored is whole, and the
 * half of a graph that it was making is gone.
 */
export const memoryJob: WorkKind = {
  kind: memoryJobKind,
  // One of each kind.
  max_running: 2,
  after_crash: 'lose',
  async run(work, context) {
    const latest = context.process.memory_jobs.latest(jobOf(work).kind)
    const job = latest?.id === work.subject ? latest : jobOf(work)
    context.process.memory_jobs.set(job)
    try {
      return end(context, job, { result: await perform(work, context, job) })
    } catch (thrown) {
      if (context.signal.reason instanceof Stopping) throw thrown
      const cause: unknown = context.signal.aborted ? context.signal.reason : thrown
      return end(context, job, { error: cause instanceof Error ? cause.message : String(cause) })
    }
  },
  async ended(work, status, context) {
    const job = context.process.memory_jobs.latest(jobOf(work).kind)
    if (job?.id === work.subject) return end(context, job, { error: `The job was ${status}` })
    return { statements: jobOf(work).kind === 'consolidate' ? [dropBuilding] : [] }
  },
}

/** What a job does is loaded with the first that does it. */
async function perform(work: Work, context: Context, job: MemoryJob): Promise<Record<string, unknown>> {
  const order = JobOrder.parse(work.payload.order)
  const progress = new Progress(context, job)
  if (order.task === 'generate') {
    const { generateEpisodes } = await import('./generate.ts')
    return generateEpisodes(context, order, progress)
  }
  if (order.task === 'backfill') {
    const { backfillEntities } = await import('./backfill.ts')
    return backfillEntities(context, order, progress)
  }
  const { consolidate } = await import('./consolidate.ts')
  return consolidate(context, order, { progress, job_id: job.id })
}

/** The job counts as running until its end is stored, so that the next one cannot be refused by an ended one. */
function end(
  context: Context,
  job: MemoryJob,
  outcome: Pick<Partial<MemoryJob>, 'result' | 'error'>,
): WorkOutcome {
  const failed = outcome.error !== undefined
  const finished_at = iso(context.clock.now())
  const ended: MemoryJob = { ...job, ...outcome, status: failed ? 'error' : 'done', finished_at }
  return {
    status: failed ? 'failed' : 'succeeded',
    output: { job_id: job.id, ...outcome },
    statements: failed && job.kind === 'consolidate' ? [dropBuilding] : [],
    events: [jobUpdated(ended)],
    announce: () => context.process.memory_jobs.set(ended),
  }
}
