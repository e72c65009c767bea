import { type ChainRun, type Edge, type EdgeType, isFailure, type StepStatus } from './schema.ts'

export interface Graph {
  jobs: readonly string[]
  edges: readonly Edge[]
}

/** Jobs without an incoming edge: where a chain starts. */
export function rootsOf({ jobs, edges }: Graph): string[] {
  const targets = new Set(edges.map(({ to }) => to))
  return jobs.filter((job) => !targets.has(job))
}

/** Whether an edge is followed after a job that ended with this status. */
export function fires(type: EdgeType, status: StepStatus): boolean {
  if (status === 'running' || status === 'left_out') return false
  if (type === 'on_success') return status === 'succeeded'
  return type === 'on_complete' || isFailure(status)
}

export interface Advance {
  start: string[]
  /** Jobs that no edge can lead to any more. */
  leave_out: string[]
  /** How the run of the chain ended; null while it is running. */
  end: Exclude<ChainRun['status'], 'running'> | null
}

/**
 * What follows from the steps so far. Pure. A job starts once, when every previous job has ended or is left out and at
 * least one of its edges is followed; if none is, it is left out.
 */
export function advance({ jobs, edges }: Graph, steps: ReadonlyMap<string, StepStatus>): Advance {
  const statuses = new Map(steps)
  const before = Map.groupBy(edges, ({ to }) => to)
  const start: string[] = []
  const leave_out: string[] = []
  for (let moved = true; moved; ) {
    moved = false
    for (const job of jobs) {
      if (statuses.has(job)) continue
      const incoming = (before.get(job) ?? []).map(({ from, type }) => ({ type, status: statuses.get(from) }))
      if (incoming.some(({ status }) => status === undefined || status === 'running')) continue
      const isLed = incoming.some(({ type, status }) => status !== undefined && fires(type, status))
      statuses.set(job, isLed ? 'running' : 'left_out')
      ;(isLed ? start : leave_out).push(job)
      moved = true
    }
  }
  return { start, leave_out, end: endOf({ jobs, edges }, statuses) }
}

/** A failure that an edge handles does not fail the chain. */
function endOf({ jobs, edges }: Graph, byJob: ReadonlyMap<string, StepStatus>): Advance['end'] {
  const statuses = jobs.map((job) => ({ job, status: byJob.get(job) ?? 'running' }))
  if (statuses.some(({ status }) => status === 'running')) return null
  const isHandled = (job: string, status: StepStatus) =>
    edges.some(({ from, type }) => from === job && fires(type, status))
  const unhandled = statuses.filter(({ job, status }) => !isHandled(job, status))
  if (unhandled.some(({ status }) => status !== 'left_out' && isFailure(status))) return 'failed'
  return unhandled.some(({ status }) => status === 'cancelled') ? 'cancelled' : 'succeeded'
}
