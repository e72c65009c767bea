import type { Work } from '../../work/schema.ts'
import { type JobKind, JobOrder, type MemoryJob } from './schema.ts'

/** Kind of the work that is a job of the memory. */
export const memoryJobKind = 'memory.job'

/** Jobs of one kind run one after the other. */
export const laneOf = (kind: JobKind) => `memory:${kind}`

/** Reading entities anew changes the same rows as a consolidation, so it counts as one. */
export const kindOf = (order: JobOrder): JobKind => (order.task === 'generate' ? 'generate' : 'consolidate')

export function newJob(order: JobOrder, { id, at }: { id: string; at: string }): MemoryJob {
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

/** The job of a unit that another process began. */
export const jobOf = (work: Work): MemoryJob =>
  newJob(JobOrder.parse(work.payload.order), { id: work.subject, at: work.started_at ?? work.created_at })
