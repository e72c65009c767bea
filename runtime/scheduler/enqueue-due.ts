import type { Context } from '../context.ts'
import { commit } from '../events/commit.ts'
import { type EventInput, event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import { wonRace } from '../lost-race.ts'
import type { Statement } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { iso, second } from '../time.ts'
import { workContext } from '../work/run.ts'
import type { WorkSource } from '../work/source.ts'
import { startOf } from './begin.ts'
import { type DuePlan, nextDue, planDue, type Slot } from './due.ts'
import {
  advanceJob,
  closeJob,
  dueJobs,
  jobsPlannedAfter,
  nextDueJob,
  pauseBroken,
  type StoredJob,
} from './job-store.ts'
import { catchUpKind, runKind } from './kinds.ts'
import { countOpenRuns, deleteEarlyMisses, draftRun, enqueueRun, insertRun } from './run-store.ts'

/** For `GET /api/scheduler/status`. `jobs_checked`: jobs that were due at the last tick. */
export const schedulerState = processState(() => ({ jobs_checked: 0 }))

/** Jobs per commit. */
const batchSize = 100

/**
 * Turns due times into runs. Each becomes a row, and queued work if it runs, in the commit that advances its
 * job: a crash leaves either both or neither, and of two daemons one wins.
 */
export const schedule: WorkSource = {
  async queueDue(host) {
    let checked = 0
    for (let full = true; full; ) {
      const jobs = await dueJobs(host, iso(host.clock.now()), batchSize)
      if (jobs.length > 0) await advanceAll(host, jobs)
      checked += jobs.length
      full = jobs.length === batchSize && !host.process.stopping.aborted
    }
    schedulerState(host).jobs_checked = checked
  },
  async nextDue(host) {
    const next = await nextDueJob(host)
    return next === null ? null : Date.parse(next)
  },
  clockSetBack,
}

interface Batch {
  statements: Statement[]
  events: EventInput[]
}

/** `queued` lets the queue start the runs, `started` starts them in the same commit. */
interface Choice {
  queued: Batch
  started: Batch | null
}

async function advanceAll(host: Host, jobs: StoredJob[]): Promise<void> {
  const open = await countOpenRuns(
    host,
    jobs.map(({ id }) => id),
  )
  const choices = await Promise.all(jobs.map((job) => advance(host, job, open.get(job.id) ?? 0)))
  const batches = choices.map(({ queued, started }) => started ?? queued)
  if (await wonRace(commitAll(host, batches))) return
  // Another daemon was faster, or a person changed one of the jobs meanwhile.
  for (const { queued } of choices) await wonRace(commitAll(host, [queued]))
}

const commitAll = (host: Host, batches: Batch[]) =>
  commit(
    host,
    batches.flatMap(({ statements }) => statements),
    batches.flatMap(({ events }) => events),
  )

async function advance(host: Host, job: StoredJob, open: number): Promise<Choice> {
  const context = workContext(host, job, host.process.stopping)
  // One commit advances the jobs of many owners.
  const owned = (batch: Batch): Batch => ({
    ...batch,
    events: batch.events.map((one) => ({ ...one, owner_id: job.owner_id })),
  })
  try {
    const plan = planDue(job, host.clock.now(), open)
    const queued = advanced(
      host,
      job,
      plan,
      plan.slots.map((slot) => rowOf(context, job, slot)),
    )
    const started = open === 0 ? await startAtOnce(context, job, plan) : null
    return { queued: owned(queued), started: started && owned(started) }
  } catch (cause) {
    host.log.write('error', "cannot compute the job's due times", { job: job.id, cause })
    const paused = pauseBroken(job.id, 'Its schedule cannot be computed: give it a new one')
    const updated = event('job.updated', { job_id: job.id })
    return { queued: owned({ statements: [paused], events: [updated] }), started: null }
  }
}

/** The usual case: one run on time that nothing delays. Null if the queue has to decide. */
async function startAtOnce(context: Context, job: StoredJob, plan: DuePlan): Promise<Batch | null> {
  const runs = plan.slots.filter(({ status }) => status === 'queued')
  const isPlain = job.jitter_seconds === 0 && job.condition === null && runs[0]?.trigger === 'schedule'
  if (!isPlain || runs.length !== 1) return null
  const batches: Batch[] = []
  for (const slot of plan.slots) {
    if (slot.status !== 'queued') batches.push(rowOf(context, job, slot))
    else {
      const run = draftRun(context, { job_id: job.id, trigger: slot.trigger, at: slot.at })
      // The queue finds the refusal again, and records it in the run.
      const started = await startOf(context, job, run).catch((thrown: unknown) => {
        if (thrown instanceof Fault) return null
        throw thrown
      })
      if (started === null) return null
      batches.push({ statements: [insertRun(run), ...started.statements], events: started.events })
    }
  }
  return advanced(context, job, plan, batches)
}

function advanced(host: Host, job: StoredJob, plan: DuePlan, rows: Batch[]): Batch {
  const queued = plan.slots.filter(({ status }) => status === 'queued').length
  const next = plan.next === null ? null : iso(plan.next)
  const hasMissed = job.schedule.type === 'at' && plan.slots.every(({ status }) => status === 'missed')
  return {
    statements: [
      advanceJob(job, { next, now: iso(host.clock.now()), queued }),
      ...rows.flatMap(({ statements }) => statements),
      ...(next === null ? [closeJob(job.id, hasMissed ? 'failed' : 'completed')] : []),
    ],
    events: rows.flatMap(({ events }) => events),
  }
}

function rowOf(context: Context, job: StoredJob, { at, status, trigger, reason }: Slot): Batch {
  const now = context.clock.now()
  const isQueued = status === 'queued'
  const completed_at = isQueued ? null : iso(now)
  const run = draftRun(context, { job_id: job.id, trigger, at, status, error: reason, completed_at })
  const kind = trigger === 'catchup' ? catchUpKind : runKind
  const due = Math.max(now, at + jitterOf(job, at))
  const data = { job_id: job.id, name: job.name, run_id: run.id, scheduled_for: run.scheduled_for, reason }
  return {
    statements: [insertRun(run), ...(isQueued ? [enqueueRun(context, run, { kind, due })] : [])],
    events: status === 'missed' ? [{ type: 'job.run.missed', data }] : [],
  }
}

/** 0 to `jitter_seconds`, in milliseconds; always the same for the same due time. */
function jitterOf({ id, jitter_seconds }: StoredJob, at: number): number {
  let hash = 2_166_136_261
  for (const letter of `${id} ${at}`) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619)
  return Math.floor(((hash >>> 0) / 2 ** 32) * jitter_seconds * second)
}

/** Recomputes jobs that were planned on a clock that was ahead. Due times that have run keep their rows. */
async function clockSetBack(host: Host): Promise<void> {
  const now = host.clock.now()
  for (let full = true; full; ) {
    const jobs = await jobsPlannedAfter(host, iso(now), batchSize)
    for (const job of jobs) {
      const next = nextDue(job, now)
      const to = { next: next === null ? job.next_run_at : iso(next), now: iso(now), queued: 0 }
      await wonRace(commit(host, [deleteEarlyMisses(job.id, iso(now)), advanceJob(job, to)]))
    }
    full = jobs.length === batchSize
  }
}
