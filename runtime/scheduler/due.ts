import { nextRun } from '../schedules/next-run.ts'
import { iso, minute, second } from '../time.ts'
import type { StoredJob } from './job-store.ts'
import type { RunTrigger } from './schema.ts'

/** Later than this counts as missed: the daemon did not run, or the machine slept. */
const grace = 1 * minute

/** Missed due times that get a row each; one more row represents the rest. */
const maxRows = 500

/** The decision about one due time. */
export interface Slot {
  /** Milliseconds since the epoch. */
  at: number
  status: 'queued' | 'skipped' | 'missed'
  trigger: Extract<RunTrigger, 'schedule' | 'catchup'>
  /** Why it does not run; null if it does. */
  reason: string | null
}

export interface DuePlan {
  slots: Slot[]
  /** The next due time after now; null if there is none. */
  next: number | null
}

type Planned = Pick<
  StoredJob,
  'schedule' | 'next_run_at' | 'anchor_at' | 'misfire' | 'overlap' | 'max_runs' | 'run_count' | 'ends_at'
>

/**
 * Decides what to do about a job's due times up to now, and when it is due next. Pure. `open` is the number
 * of its open runs. At most one run makes up for missed due times, except under `run_all`.
 */
export function planDue(job: Planned, now: number, open: number): DuePlan {
  const times = dueTimes(job, now)
  const onTime = times.each.filter((at) => now - at <= grace)
  const late = times.each.filter((at) => now - at > grace)
  const plan = new Plan(job, open)
  for (const slot of lateSlots(job, { late, now, covered: onTime.at(0) })) plan.add(slot)
  if (times.rest) plan.add(missed(times.rest.from, `Missed, as was every due time until ${iso(times.rest.to)}`))
  for (const at of onTime) plan.add({ at, status: 'queued', trigger: 'schedule', reason: null })
  return { slots: plan.slots, next: plan.isUsedUp ? null : nextDue(job, now) }
}

export function nextDue(job: Pick<StoredJob, 'schedule' | 'anchor_at' | 'ends_at'>, after: number): number | null {
  const next = nextRun(job.schedule, after, { zone: 'UTC', anchor: Date.parse(job.anchor_at) })
  return next === null || (job.ends_at !== null && next > Date.parse(job.ends_at)) ? null : next
}

/** Counts open runs while the due times are decided. */
class Plan {
  readonly slots: Slot[] = []
  readonly #job: Planned
  #open: number
  #queued = 0

  constructor(job: Planned, open: number) {
    this.#job = job
    this.#open = open
  }

  /** Whether all its runs have been queued. */
  get isUsedUp(): boolean {
    return this.#job.max_runs !== null && this.#job.run_count + this.#queued >= this.#job.max_runs
  }

  add(slot: Slot): void {
    const refusal = slot.status === 'queued' ? this.#refusal(slot) : null
    this.slots.push(refusal === null ? slot : { ...slot, status: 'skipped', reason: refusal })
    if (slot.status !== 'queued' || refusal !== null) return
    this.#open += 1
    this.#queued += 1
  }

  #refusal({ trigger }: Slot): string | null {
    const { overlap, misfire } = this.#job
    if (this.isUsedUp) return 'The job has reached its maximum number of runs'
    if (trigger === 'catchup' && misfire.policy === 'run_all') return null
    if (overlap === 'skip' && this.#open > 0) return 'The previous run has not ended'
    if (overlap === 'buffer_one' && this.#open > 1) return 'Another run is already waiting'
    return null
  }
}

const missed = (at: number, reason: string): Slot => ({ at, status: 'missed', trigger: 'schedule', reason })

function lateSlots(
  { misfire }: Pick<Planned, 'misfire'>,
  { late, now, covered }: { late: number[]; now: number; covered: number | undefined },
): Slot[] {
  const within = (at: number) => now - at <= misfire.window_seconds * second
  const chosen = misfire.policy === 'run_once' && covered === undefined ? late.at(-1) : undefined
  return late.map((at): Slot => {
    if (!within(at)) return missed(at, 'Missed for longer than its window')
    if (misfire.policy === 'skip') return missed(at, 'Missed while the daemon was not running')
    if (misfire.policy === 'run_all' || at === chosen) return { at, status: 'queued', trigger: 'catchup', reason: null }
    return missed(at, `Missed; replaced by the run of ${iso(chosen ?? covered ?? at)}`)
  })
}

interface DueTimes {
  each: number[]
  /** The due times between the first and the last of `each` that are left out of it. */
  rest: { from: number; to: number } | null
}

/** The due times up to now; if there are very many, the first ones and the latest. */
function dueTimes(job: Planned, now: number): DueTimes {
  const each: number[] = []
  let at: number | null = job.next_run_at === null ? null : Date.parse(job.next_run_at)
  for (; at !== null && at <= now && each.length < maxRows; at = nextDue(job, at)) each.push(at)
  if (at === null || at > now) return { each, rest: null }
  const latest = latestUpTo(job, at, now)
  const rest = latest.find((time) => time > at) === undefined ? null : { from: at, to: latest[0] ?? at }
  return rest === null ? { each: [...each, at], rest } : { each: [...each, ...latest], rest }
}

/** The due times within the grace period, or else only the latest one; searched backwards from now. */
function latestUpTo(job: Planned, first: number, now: number): number[] {
  for (let span = grace; ; span *= 2) {
    const from = Math.max(first, now - span)
    const times: number[] = []
    for (let at = nextDue(job, from - 1); at !== null && at <= now; at = nextDue(job, at)) times.push(at)
    if (times.length > 0 || from === first) return span === grace ? times : times.slice(-1)
  }
}
