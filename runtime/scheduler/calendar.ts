import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import { day, hour, iso, second } from '../time.ts'
import { dayOf, localOf } from '../zones/offsets.ts'
import { nextDue } from './due.ts'
import { dueJobs, type StoredJob } from './job-store.ts'
import { runsBetween, runsByHour } from './run-store.ts'
import type { CalendarEvent } from './schema.ts'

/** Events in one response. */
const maxEvents = 2_000
/** The longest period of one request. */
const maxSpan = 400 * day
/** Jobs whose due times are computed for a period that begins later. */
const maxJobs = 20_000
/** Jobs between two turns of the event loop. */
const jobsPerTurn = 200

interface Span {
  start: number
  end: number
}

/** Past and planned due times between two moments, oldest first. */
export async function calendar(context: Context, { start, end }: Span) {
  checkSpan({ start, end })
  const now = context.clock.now()
  const span = { start: iso(start), end: iso(end), limit: maxEvents + 1 }
  const past = await runsBetween(context, span, owned(context))
  const runs = past.map((run): CalendarEvent => ({ ...run, kind: 'run', count: 1 }))
  const planned = end > now ? await plannedBetween(context, Math.max(start, now), end) : []
  const events = [...runs, ...planned].sort((left, right) => left.at.localeCompare(right.at))
  return { events: events.slice(0, maxEvents), truncated: events.length > maxEvents }
}

function checkSpan({ start, end }: Span): void {
  if (end <= start) throw invalidField('end', 'must be after start')
  if (end - start > maxSpan) throw invalidField('end', 'must be at most 400 days after start')
}

/** Events in one response that counts. */
const maxCounts = 5_000
/** Hours of all jobs that are counted for one response. */
const maxHours = 50_000

/** Like `calendar`, but the runs of a job with one status are counted per hour or per day of `zone`. */
export async function countedCalendar(
  context: Context,
  { start, end, group, zone }: Span & { group: 'hour' | 'day'; zone: string },
) {
  checkSpan({ start, end })
  const now = context.clock.now()
  const span = { start: iso(start), end: iso(end), limit: maxHours }
  const past = await runsByHour(context, span, owned(context))
  const runs = past.map((run): CalendarEvent => ({ ...run, kind: 'run' }))
  const planned = end > now ? await plannedByHour(context, Math.max(start, now), end) : []
  const hours = [...runs, ...planned].sort((left, right) => left.at.localeCompare(right.at))
  const events = group === 'hour' ? hours : byDay(hours, zone)
  const truncated = events.length > maxCounts || runs.length >= maxHours || planned.length >= maxHours
  return { events: events.slice(0, maxCounts), truncated }
}

function byDay(hours: readonly CalendarEvent[], zone: string): CalendarEvent[] {
  const days = new Map<string, CalendarEvent>()
  for (const event of hours) {
    const key = `${event.job_id} ${event.status} ${dayOf(localOf(zone, Date.parse(event.at)))}`
    const first = days.get(key)
    days.set(key, first ? { ...first, run_id: null, count: first.count + event.count } : event)
  }
  return [...days.values()]
}

async function plannedByHour(context: Context, start: number, end: number): Promise<CalendarEvent[]> {
  const events: CalendarEvent[] = []
  for (const job of await dueJobs(context, iso(end - 1), maxJobs, owned(context))) {
    const countDue = dueCounter(job)
    const next = Date.parse(job.next_run_at ?? '')
    let left = runsLeft(job)
    let at = next >= start ? next : nextDue(job, start - 1)
    while (at !== null && at < end && left > 0) {
      if (events.length >= maxHours) return events
      if (events.length % jobsPerTurn === jobsPerTurn - 1) await context.clock.after(0)
      const until = Math.min(end, Math.floor(at / hour) * hour + hour)
      const count = Math.min(left, countDue(at, until))
      const planned = { kind: 'planned', status: 'planned', run_id: null } as const
      events.push({ job_id: job.id, name: job.name, at: iso(at), ...planned, count })
      left -= count
      at = nextDue(job, until - 1)
    }
  }
  return events
}

/** Counts the due times from `from`, which is one of them, until `until`, at most an hour later. */
function dueCounter(job: StoredJob): (from: number, until: number) => number {
  const { schedule, ends_at } = job
  // The minutes of a cron expression are the same in each hour, so they are counted once.
  const counts = new Map<number, number>()
  const count = (from: number, until: number) => {
    let total = 0
    for (let at: number | null = from; at !== null && at < until; at = nextDue(job, at)) total += 1
    return total
  }
  return (from, until) => {
    const whole = until % hour === 0 && (ends_at === null || Date.parse(ends_at) >= until)
    if (whole && schedule.type === 'every') return Math.floor((until - 1 - from) / (schedule.interval * second)) + 1
    if (!whole || schedule.type !== 'cron' || schedule.also) return count(from, until)
    const hourCount = counts.get(from % hour) ?? count(from, until)
    counts.set(from % hour, hourCount)
    return hourCount
  }
}

/**
 * The first due times of all jobs. The cost grows with the events in the response, and with the number of
 * jobs.
 */
async function plannedBetween(context: Context, start: number, end: number): Promise<CalendarEvent[]> {
  // Each job takes at least one event, so more jobs than events are not needed.
  const limit = start > context.clock.now() ? maxJobs : maxEvents + 1
  const jobs = await dueJobs(context, iso(end - 1), limit, owned(context))
  const queue = new DueQueue()
  for (const [index, job] of jobs.entries()) {
    if (index % jobsPerTurn === jobsPerTurn - 1) await context.clock.after(0)
    const next = Date.parse(job.next_run_at ?? '')
    queue.push({ job, at: next >= start ? next : nextDue(job, start - 1), left: runsLeft(job) })
  }
  const events: CalendarEvent[] = []
  for (let due = queue.pop(); due && due.at < end && events.length <= maxEvents; due = queue.pop()) {
    const { job, at, left } = due
    const planned = { kind: 'planned', status: 'planned', run_id: null, count: 1 } as const
    events.push({ job_id: job.id, name: job.name, at: iso(at), ...planned })
    queue.push({ job, at: left > 1 ? nextDue(job, at) : null, left: left - 1 })
  }
  return events
}

const runsLeft = ({ max_runs, run_count }: StoredJob) =>
  max_runs === null ? Number.POSITIVE_INFINITY : Math.max(0, max_runs - run_count)

interface Due {
  job: StoredJob
  at: number
  left: number
}

/** A binary heap with the earliest due time first. */
class DueQueue {
  readonly #heap: Due[] = []

  /** Ignores a job without a next due time. */
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
