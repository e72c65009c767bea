import { auditStatement } from '../../auth/audit.ts'
import { requireAccess } from '../../auth/authorise.ts'
import { actingFor, everyone, nobody, ownerOf } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import { type EventInput, event } from '../../events/event.ts'
import { conflict, Fault } from '../../fault.ts'
import { newId } from '../../id.ts'
import { GuardFailed, type Statement } from '../../ports/sql.ts'
import { processState } from '../../process-state.ts'
import { errorMessage } from '../../thrown.ts'
import { iso, second } from '../../time.ts'
import { newUnit } from '../../work/begin.ts'
import type { WorkKind, WorkOutcome } from '../../work/kind.ts'
import { Postponed } from '../../work/postponed.ts'
import { Stopping } from '../../work/run.ts'
import type { Work } from '../../work/schema.ts'
import { listWork } from '../../work/select.ts'
import { dropBuilding, guardNoWork, keptGraphs, restoreGraph } from '../graph/generation-store.ts'
import { type JobKind, JobOrder, type MemoryJob } from '../schema.ts'
import { jobKind } from '../work-store.ts'

/** The latest job of each kind and owner in this process. A restart forgets them. */
const latestJobs = processState(() => new Map<string, MemoryJob>())

const latestJob = (host: Context, kind: JobKind, owner_id: string): MemoryJob | null =>
  latestJobs(host).get(`${kind} ${owner_id}`) ?? null

const noteJob = (host: Context, job: MemoryJob, owner_id: string): unknown =>
  latestJobs(host).set(`${job.kind} ${owner_id}`, job)

/** Jobs of one kind run one after the other. */
const laneOf = (kind: JobKind) => `memory:${kind}`

/** A backfill writes the same rows as a consolidation, so it counts as one. */
const kindOf = (order: JobOrder): JobKind => (order.task === 'generate' ? 'generate' : 'consolidate')

function newJob(order: JobOrder, { id, at }: { id: string; at: string }): MemoryJob {
  const { task, agent_id = null, ...params } = order
  return {
    id,
    kind: kindOf(order),
    agent_id,
    params: task === 'backfill' ? { ...params, wipe: false, backfill: true } : params,
    status: 'running',
    started_at: at,
    finished_at: null,
    progress: { phase: 'starting', done: 0, total: 0 },
    result: null,
    error: null,
  }
}

/** The job of a unit that another process started. */
const jobOf = (work: Work): MemoryJob =>
  newJob(JobOrder.parse(work.payload.order), { id: work.subject, at: work.started_at ?? work.created_at })

const jobUpdated = (job: MemoryJob): EventInput => ({ type: 'memory.job.updated', data: { job: { ...job } } })

/** Starts a job. A 409 with the running job if there is one of the same kind. A rebuild with `wipe` needs an administrator. */
export async function startJob(context: Context, order: JobOrder): Promise<MemoryJob> {
  const wipe = order.task === 'consolidate' && order.wipe
  if (wipe) requireAccess('admin', context)
  const kind = kindOf(order)
  const job = newJob(order, { id: newId('memjob', context.clock.now()), at: iso(context.clock.now()) })
  const unit = newUnit(context, memoryJob, { subject: job.id, lane: laneOf(kind), payload: { order } })
  const audit = { action: 'memory.graph.rebuilt', target: order.agent_id ?? 'memory' }
  try {
    const written = await context.commit(
      [guardNoWork({ lane: laneOf(kind) }), unit.statement, ...(wipe ? [auditStatement(context, audit)] : [])],
      [jobUpdated(job)],
      { answer: { job } },
    )
    noteJob(context, job, ownerOf(context))
    unit.begin(written)
    return job
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    throw await jobRunning(context, kind)
  }
}

/** Somebody else's job is not shown. */
async function jobRunning(host: Context, kind: JobKind): Promise<Fault> {
  const job = await currentJob(host, kind)
  return conflict(`A ${kind} job is already running`, job ? { job } : {})
}

/** The owner's running job, also of another process, else the latest of this process. */
export async function currentJob(host: Context, kind: JobKind): Promise<MemoryJob | null> {
  const owner_id = ownerOf(host)
  const latest = latestJob(host, kind, owner_id)
  const [open] = await listWork(host, { lane: laneOf(kind), owner_id })
  return open && open.subject !== latest?.id ? jobOf(open) : latest
}

/** Restores the graph that the latest rebuild replaced. Returns how many older graphs are left. */
export async function undoRebuild(context: Context): Promise<{ restored: true; kept: number }> {
  const { latest } = await keptGraphs(context)
  if (latest === null)
    throw new Fault(
      404,
      'not_found',
      'There is no earlier graph; a consolidation with wipe keeps the one that it replaces',
    )
  try {
    await context.commit(
      [guardNoWork({ lane: laneOf('consolidate') }), ...restoreGraph(latest)],
      [{ type: 'memory.graph.restored', data: {} }],
    )
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    const job = await currentJob(context, 'consolidate')
    throw job?.status === 'running'
      ? await jobRunning(context, 'consolidate')
      : conflict('Another request has already restored it')
  }
  return { restored: true, kept: (await keptGraphs(context)).count }
}

/** A job interrupted by a crash or a stop is lost: completed batches stay, and an unfinished graph is dropped. */
export const memoryJob: WorkKind = {
  kind: jobKind,
  // One of each kind.
  max_running: 2,
  after_crash: 'lose',
  async run(work, context) {
    const latest = latestJob(context, jobOf(work).kind, work.owner_id)
    const job = latest?.id === work.subject ? latest : jobOf(work)
    noteJob(context, job, work.owner_id)
    try {
      return end(context, job, { result: await perform(work, context, job) })
    } catch (thrown) {
      if (context.signal.reason instanceof Stopping) throw thrown
      if (thrown instanceof Postponed && !context.signal.aborted) throw thrown
      const cause: unknown = context.signal.aborted ? context.signal.reason : thrown
      return end(context, job, { error: errorMessage(cause) })
    }
  },
  async ended(work, status, context) {
    const job = latestJob(context, jobOf(work).kind, work.owner_id)
    if (job?.id === work.subject) return end(context, job, { error: `The job was ${status}` })
    return { statements: jobOf(work).kind === 'consolidate' ? [dropBuilding] : [] }
  },
}

/** A job that the daemon started works on the memory of all owners. */
async function perform(work: Work, own: Context, job: MemoryJob): Promise<Record<string, unknown>> {
  const context = work.owner_id === nobody ? actingFor(own, everyone) : own
  const order = JobOrder.parse(work.payload.order)
  const progress = new Progress(own, job)
  if (order.task === 'generate') {
    const { generateEpisodes } = await import('./generate.ts')
    return generateEpisodes(context, order, progress)
  }
  const { backfillEntities, consolidate } = await import('./consolidate.ts')
  return order.task === 'backfill'
    ? backfillEntities(context, order, progress)
    : consolidate(context, order, { progress, job_id: job.id })
}

/** The job counts as running until its end is stored, so that an ended job never blocks the next one. */
function end(context: Context, job: MemoryJob, outcome: Pick<Partial<MemoryJob>, 'result' | 'error'>): WorkOutcome {
  const failed = outcome.error !== undefined
  const finished_at = iso(context.clock.now())
  const ended: MemoryJob = { ...job, ...outcome, status: failed ? 'error' : 'done', finished_at }
  return {
    status: failed ? 'failed' : 'succeeded',
    output: { job_id: job.id, ...outcome },
    statements: failed && job.kind === 'consolidate' ? [dropBuilding] : [],
    events: [jobUpdated(ended), ...consolidated(ended)],
    announce: () => noteJob(context, ended, ownerOf(context)),
  }
}

const consolidated = ({ id, kind, status, result }: MemoryJob): EventInput[] =>
  kind === 'consolidate' && status === 'done'
    ? [event('memory.consolidated', { job_id: id, result: result ?? {} })]
    : []

/** Minimum interval between progress events of one phase. */
const progressInterval = 1 * second

/** The progress of a job. */
export class Progress {
  readonly #context: Context
  readonly #job: MemoryJob
  #sentAt: number | null = null

  constructor(context: Context, job: MemoryJob) {
    this.#context = context
    this.#job = job
  }

  /** Commits rows together with the progress. A new phase is sent at once. Throws if the job was cancelled. */
  async commit(step: MemoryJob['progress'], statements: readonly Statement[] = [], events: EventInput[] = []) {
    this.#context.signal.throwIfAborted()
    const due = this.#due(step)
    this.#job.progress = step
    if (statements.length + events.length === 0 && !due) return
    await this.#context.commit(statements, due ? [...events, jobUpdated(this.#job)] : events)
    if (due) this.#sentAt = this.#context.clock.now()
  }

  #due({ phase }: MemoryJob['progress']): boolean {
    return (
      this.#sentAt === null ||
      phase !== this.#job.progress.phase ||
      this.#context.clock.now() - this.#sentAt >= progressInterval
    )
  }
}
