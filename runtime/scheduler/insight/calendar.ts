import type { Context } from '../../context.ts'
import { invalidField } from '../../fault.ts'
import { day, iso } from '../../time.ts'
import { nextOf } from '../due.ts'
import { dueJobs, type StoredJob } from '../job-store.ts'
import { runsBetween } from './store.ts'

/** Events of one answer. */
const most = 2_000

const longest = 400 * day

export interface CalendarEvent {
  job_id: string
  name: string
  at: string
  kind: 'planned' | 'run'
  status: string
  run_id: string | null
}

/** What was due and what is to come between two moments, oldest first. */
export async function calendar(context: Context, span: { start: number; end: number }) {
  const { start, end } = span
  if (end <= start) throw invalidField('end', 'must lie behind start')
  if (end - start > longest) throw invalidField('end', 'at most 400 days at once')
  const now = context.clock.now()
  const been = await runsBetween(context, { start: iso(start), end: iso(end), limit: most + 1 })
  const runs = been.map((run): CalendarEvent => ({ ...run, kind: 'run' }))
  const planned = end > now ? await plannedBetween(context, Math.max(start, now), end) : []
  const events = [...runs, ...planned].sort((left, right) => left.at.localeCompare(right.at))
  return { events: events.slice(0, most), truncated: events.length > most }
}

/** The first due times of all jobs. What it costs follows from how many are shown and how many jobs there are. */
async function plannedBetween(context: Context, start: number, end: number): Promise<CalendarEvent[]> {
  // A due time costs one place, so of jobs that are due only later no more than the places can be needed.
  const limit = start > context.clock.now() ? mostJobs : most + 1
  const jobs = await dueJobs(context, iso(end - 1), limit)
  const queue = new DueQueue()
  for (const [index, job] of jobs.entries()) {
    if (index % perTurn === perTurn - 1) await context.clock.after(0)
    const next = Date.parse(job.next_run_at ?? '')
    queue.push({ job, at: next >= start ? next : nextOf(job, start - 1), left: runsLeft(job) })
  }
  const events: CalendarEvent[] = []
  for (let due = queue.pop(); due && due.at < end && events.length <= most; due = queue.pop()) {
    const { job, at, left } = due
    events.push({
      job_id: job.id,
      name: job.name,
      at: iso(at),
      kind: 'planned',
      status: 'planned',
      run_id: null,
    })
    queue.push({ job, at: left > 1 ? nextOf(job, at) : null, left: left - 1 })
  }
  return events
}

/** Jobs whose due times are computed for a stretch that begins later. */
const mostJobs = 20_000
/** Due times computed between two turns of the event loop. */
const perTurn = 200

const runsLeft = ({ max_runs, run_count }: StoredJob) =>
  max_runs === null ? Number.POSITIVE_INFINITY : Math.max(0, max_runs - run_count)

interface Due {
  job: StoredJob
  at: number
  left: number
}

/** The earliest due time first: a binary heap. */
class DueQueue {
  readonly #heap: Due[] = []

  /** A job without a next time is left out. */
  push({ job, at, left }: Omit<Due, 'at'> & { at: number | null }): void {
    if (at === null || left <= 0) return
    const heap = this.#heap
    heap.push({ job, at, left })
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1
      if (this.#at(parent) <= at) break
      this.#swap(child, parent)
      child = parent
    }
  }

  pop(): Due | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    heap[0] = last
    for (let parent = 0; ; ) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2]
      const child = this.#at(right) < this.#at(left) ? right : left
      if (this.#at(child) >= this.#at(parent)) return first
      this.#swap(child, parent)
      parent = child
    }
  }

  #at(index: number): number {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY
  }

  #swap(one: number, other: number): void {
    const [left, right] = [this.#heap[one], this.#heap[other]]
    if (left) this.#heap[other] = left
    if (right) this.#heap[one] = right
  }
}
