import { iso, minute, second } from '../time.ts'
import type { StoredJob } from './job-store.ts'
import { nextRun } from './next-run.ts'
import type { RunTrigger } from './run-schema.ts'

/** What is later than this was missed: the daemon did not run, or the machine slept. */
const grace = 1 * minute

/** Due times that get a row each when very many were missed; one more row stands for the rest. */
const mostRows = 500

/** What becomes of one due time. */
export interface Slot {
  /** Milliseconds since the epoch. */
  at: number
  status: 'queued' | 'skipped' | 'missed'
  trigger: Extract<RunTrigger, 'schedule' | 'catchup'>
  /** Why it does not run. */
  reason: string | null
}

export interface Moved {
  slots: Slot[]
  /** The next due time behind now, or null when none comes. */
  next: number | null
}

type Planned = Pick<
  StoredJob,
  'schedule' | 'next_run_at' | 'anchor_at' | 'misfire' | 'overlap' | 'max_runs' | 'run_count' | 'ends_at'
>

/**
 * What becomes of the due times of a job that have come, and when it is due next. Pure.
 * `open` is how many of its runs have not ended. At most one run makes up for what was missed, but under `run_all`.
 */
export function planDue(job: Planned, now: number, open: number): Moved {
  const times = dueTimes(job, now)
  const onTime = times.each.filter((at) => now - at <= grace)
  const late = times.each.filter((at) => now - at > grace)
  const plan = new Plan(job, open)
  for (const slot of makeUps(job, { late, now, covered: onTime.at(0) })) plan.add(slot)
  if (times.rest) plan.add(missed(times.rest.from, `Missed, like every due time until ${iso(times.rest.to)}`))
  for (const at of onTime) plan.add({ at, status: 'queued', trigger: 'schedule', reason: null })
  return { slots: plan.slots, next: plan.full ? null : nextOf(job, now) }
}

/** The next due time behind `after`, heeding the job's own end. */
export function nextOf(
  job: Pick<StoredJob, 'schedule' | 'anchor_at' | 'ends_at'>,
  after: number,
): number | null {
  const next = nextRun(job.schedule, after, { zone: 'UTC', anchor: Date.parse(job.anchor_at) })
  return next === null || (job.ends_at !== null && next > Date.parse(job.ends_at)) ? null : next
}

/** Keeps count of what is open while the due times are gone through. */
class Plan {
  readonly slots: Slot[] = []
  readonly #job: Planned
  #open: number
  #begun = 0

  constructor(job: Planned, open: number) {
    this.#job = job
    this.#open = open
  }

  /** Its last run has been asked for. */
  get full(): boolean {
    return this.#job.max_runs !== null && this.#job.run_count + this.#begun >= this.#job.max_runs
  }

  add(slot: Slot): void {
    const refusal = slot.status === 'queued' ? this.#refusal(slot) : null
    this.slots.push(refusal === null ? slot : { ...slot, status: 'skipped', reason: refusal })
    if (slot.status !== 'queued' || refusal !== null) return
    this.#open += 1
    this.#begun += 1
  }

  #refusal({ trigger }: Slot): string | null {
    const { overlap, misfire } = this.#job
    if (this.full) return 'The job has had all its runs'
    if (trigger === 'catchup' && misfire.policy === 'run_all') return null
    if (overlap === 'skip' && this.#open > 0) return 'The run before it has not ended'
    if (overlap === 'buffer_one' && this.#open > 1) return 'One run waits already'
    return null
  }
}

const missed = (at: number, reason: string): Slot => ({ at, status: 'missed', trigger: 'schedule', reason })

function makeUps(
  { misfire }: Pick<Planned, 'misfire'>,
  { late, now, covered }: { late: number[]; now: number; covered: number | undefined },
): Slot[] {
  const within = (at: number) => now - at <= misfire.window_seconds * second
  const chosen = misfire.policy === 'run_once' && covered === undefined ? late.at(-1) : undefined
  return late.map((at): Slot => {
    if (!within(at)) return missed(at, 'Missed for longer than its window')
    if (misfire.policy === 'skip') return missed(at, 'Missed while the daemon did not run')
    if (misfire.policy === 'run_all' || at === chosen)
      return { at, status: 'queued', trigger: 'catchup', reason: null }
    return missed(at, `Missed; made up for by the run of ${iso(chosen ?? covered ?? at)}`)
  })
}

interface DueTimes {
  each: number[]
  /** The due times between the first of `each` and its last that have no place in it. */
  rest: { from: number; to: number } | null
}

/** Every due time up to now; of very many the first ones and the latest. */
function dueTimes(job: Planned, now: number): DueTimes {
  const each: number[] = []
  let at: number | null = job.next_run_at === null ? null : Date.parse(job.next_run_at)
  for (; at !== null && at <= now && each.length < mostRows; at = nextOf(job, at)) each.push(at)
  if (at === null || at > now) return { each, rest: null }
  const latest = latestUpTo(job, at, now)
  const rest = latest.find((time) => time > at) === undefined ? null : { from: at, to: latest[0] ?? at }
  return rest === null ? { each: [...each, at], rest } : { each: [...each, ...latest], rest }
}

/** The due times within the last grace, or else only the latest: looked for from now backwards. */
function latestUpTo(job: Planned, first: number, now: number): number[] {
  for (let span = grace; ; span *= 2) {
    const from = Math.max(first, now - span)
    const found: number[] = []
    for (let at = nextOf(job, from - 1); at !== null && at <= now; at = nextOf(job, at)) found.push(at)
    if (found.length > 0 || from === first) return span === grace ? found : found.slice(-1)
  }
}
