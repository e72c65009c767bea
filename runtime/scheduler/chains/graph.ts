import { isFailure } from '../run-schema.ts'
import type { ChainRun, Edge, EdgeType, StepStatus } from './schema.ts'

export interface Graph {
  jobs: readonly string[]
  edges: readonly Edge[]
}

/** Jobs that nothing leads to: where a chain begins. */
export function rootsOf({ jobs, edges }: Graph): string[] {
  const led = new Set(edges.map(({ to }) => to))
  return jobs.filter((job) => !led.has(job))
}

/** The jobs of one cycle, in order; null when there is none. */
export function findCycle({ jobs, edges }: Graph): string[] | null {
  const next = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  for (const start of jobs) {
    const path: string[] = []
    const open = [{ job: start, left: (next.get(start) ?? []).map(({ to }) => to) }]
    if (done.has(start)) continue
    path.push(start)
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const to = top.left.pop()
      if (to === undefined) {
        done.add(top.job)
        path.pop()
        open.pop()
      } else if (path.includes(to)) return path.slice(path.indexOf(to))
      else if (!done.has(to)) {
        path.push(to)
        open.push({ job: to, left: (next.get(to) ?? []).map((edge) => edge.to) })
      }
    }
  }
  return null
}

/** Whether an edge leads on from a job that has ended so. */
export function fires(type: EdgeType, status: StepStatus): boolean {
  if (status === 'running' || status === 'left_out') return false
  if (type === 'on_success') return status === 'succeeded'
  return type === 'on_complete' || isFailure(status)
}

export interface Advance {
  /** Jobs whose time has come. */
  begin: string[]
  /** Jobs that nothing leads to any more. */
  leave: string[]
  /** How the whole has ended; null while it goes on. */
  end: Exclude<ChainRun['status'], 'running'> | null
}

/**
 * What follows from the steps so far. Pure. A job begins once, when every job before it has ended or is left out and at
 * least one edge leads on to it; when none does, it is left out.
 */
export function advance({ jobs, edges }: Graph, steps: ReadonlyMap<string, StepStatus>): Advance {
  const known = new Map(steps)
  const before = Map.groupBy(edges, ({ to }) => to)
  const begin: string[] = []
  const leave: string[] = []
  for (let moved = true; moved; ) {
    moved = false
    for (const job of jobs) {
      if (known.has(job)) continue
      const incoming = (before.get(job) ?? []).map(({ from, type }) => ({ type, status: known.get(from) }))
      if (incoming.some(({ status }) => status === undefined || status === 'running')) continue
      const led = incoming.some(({ type, status }) => status !== undefined && fires(type, status))
      known.set(job, led ? 'running' : 'left_out')
      ;(led ? begin : leave).push(job)
      moved = true
    }
  }
  return { begin, leave, end: endOf({ jobs, edges }, known) }
}

/** A failure that an edge has taken up does not fail the whole. */
function endOf({ jobs, edges }: Graph, known: ReadonlyMap<string, StepStatus>): Advance['end'] {
  const statuses = jobs.map((job) => ({ job, status: known.get(job) ?? 'running' }))
  if (statuses.some(({ status }) => status === 'running')) return null
  const heeded = (job: string, status: StepStatus) =>
    edges.some(({ from, type }) => from === job && fires(type, status))
  const unheeded = statuses.filter(({ job, status }) => !heeded(job, status))
  if (unheeded.some(({ status }) => status !== 'left_out' && isFailure(status))) return 'failed'
  return unheeded.some(({ status }) => status === 'cancelled') ? 'cancelled' : 'succeeded'
}
