import { requireAgent } from '../../agents/agents.ts'
import type { Context } from '../../context.ts'
import { conflict } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import { GuardFailed, type Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import { newUnit } from '../../work/begin.ts'
import { listWork } from '../../work/select.ts'
import { jobOf, kindOf, laneOf, newJob } from './job.ts'
import { jobUpdated } from './progress.ts'
import type { JobKind, JobOrder, MemoryJob } from './schema.ts'
import { memoryJob } from './work.ts'

/** Starts a job, or refuses with the running one. */
export async function startJob(context: Context, order: JobOrder): Promise<MemoryJob> {
  if (order.agent_id !== undefined) await requireAgent(context, order.agent_id)
  const kind = kindOf(order)
  const job = newJob(order, { id: newId('memjob', context.clock.now()), at: iso(context.clock.now()) })
  const unit = newUnit(context, memoryJob, {
    subject: job.id,
    lane: laneOf(kind),
    payload: { order },
  })
  try {
    const written = await context.commit([guardFree(kind), unit.statement], [jobUpdated(job)])
    context.process.memory_jobs.set(job)
    unit.begin(written)
    return job
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    throw await refusal(context, kind)
  }
}

/** Lets the commit fail while a job of this kind runs, on whichever daemon. */
export const guardFree = (kind: JobKind): Statement => ({
  sql: `UPDATE graphs SET state = state WHERE state = 'live' AND NOT EXISTS (
    SELECT 1 FROM work WHERE lane = ? AND status IN ('queued', 'running', 'waiting'))`,
  args: [laneOf(kind)],
  guard: 'A job of this kind runs',
})

/** The 409 that names the running job. */
export async function refusal(host: Host, kind: JobKind) {
  const job = await currentJob(host, kind)
  return conflict(`A ${kind} job runs already`, job ? { job } : {})
}

/** The running job, also one of another daemon, else the latest since this one started. */
export async function currentJob(host: Host, kind: JobKind): Promise<MemoryJob | null> {
  const latest = host.process.memory_jobs.latest(kind)
  const [open] = await listWork(host, { lane: laneOf(kind) })
  return open && open.subject !== latest?.id ? jobOf(open) : latest
}
