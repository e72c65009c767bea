import { commit } from '../events/commit.ts'
import type { EventInput } from '../events/event.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso, second } from '../time.ts'
import type { WorkSource } from '../work/source.ts'
import { insertWork } from '../work/store.ts'
import { type Moved, nextOf, planDue, type Slot } from './due.ts'
import { jobChanged } from './events.ts'
import {
  closeJob,
  dueJobs,
  jobsPlannedAfter,
  moveOn,
  nextDueJob,
  pauseBroken,
  type StoredJob,
} from './job-store.ts'
import { catchUpKind, runKind } from './kinds.ts'
import { countOpenRuns, forgetEarlyMisses, ifRun, insertRun } from './run-store.ts'

/** Jobs that are moved on in one commit. */
const batch = 200

/**
 * The calendar of jobs. Each due time becomes a row, and a unit of work where it runs, in the commit that moves its
 * job on to the next one: a crash at any moment leaves either both or neither, and of two daemons one wins.
 */
export const schedule: WorkSource = {
  async queueDue(host) {
    let checked = 0
    for (let full = true; full; ) {
      const jobs = await dueJobs(host, iso(host.clock.now()), batch)
      if (jobs.length > 0) await moveAll(host, jobs)
      checked += jobs.length
      full = jobs.length === batch && !host.process.stopping.aborted
    }
    host.process.scheduler.checked = checked
  },
  async nextDue(host) {
    const next = await nextDueJob(host)
    return next === null ? null : Date.parse(next)
  },
  clockSetBack,
}

async function moveAll(host: Host, jobs: StoredJob[]): Promise<void> {
  const open = await countOpenRuns(
    host,
    jobs.map(({ id }) => id),
  )
  const moves = jobs.map((job) => moveOrPause(host, job, open.get(job.id) ?? 0))
  try {
    await commitMoves(host, moves)
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    for (const one of moves) await commitMoves(host, [one]).catch(takenByAnother)
  }
}

/** Another daemon was quicker, or a person changed the job in this very moment. */
function takenByAnother(thrown: unknown): void {
  if (!(thrown instanceof GuardFailed)) throw thrown
}

interface Move {
  statements: Statement[]
  events: EventInput[]
}

const commitMoves = (host: Host, moves: Move[]) =>
  commit(
    host,
    moves.flatMap(({ statements }) => statements),
    moves.flatMap(({ events }) => events),
  )

/** One job whose schedule cannot be read must not hold up the rest. */
function moveOrPause(host: Host, job: StoredJob, open: number): Move {
  try {
    return move(host, job, open)
  } catch (cause) {
    host.log.write('error', 'the due times of a job cannot be told', { job: job.id, cause })
    const reason = 'Its schedule cannot be read: give it a new one'
    return { statements: [pauseBroken(job.id, reason)], events: [jobChanged(job.id)] }
  }
}

function move(host: Host, job: StoredJob, open: number): Move {
  const now = host.clock.now()
  const moved = planDue(job, now, open)
  const begun = moved.slots.filter(({ status }) => status === 'queued').length
  const next = moved.next === null ? null : iso(moved.next)
  const rows = moved.slots.map((slot) => rowOf(host, job, slot))
  return {
    statements: [
      moveOn(job, { next, now: iso(now), begun }),
      ...rows.flatMap(({ statements }) => statements),
      ...(next === null ? [closeJob(job.id, endOf(job, moved))] : []),
    ],
    events: rows.flatMap(({ events }) => events),
  }
}

/** A job for one moment that it has missed has failed. */
const endOf = ({ schedule }: StoredJob, { slots }: Moved) =>
  schedule.type === 'at' && slots.every(({ status }) => status === 'missed') ? 'failed' : 'completed'

function rowOf(host: Host, job: StoredJob, slot: Slot): Move {
  const now = host.clock.now()
  const id = newId('run', now)
  const queued = slot.status === 'queued'
  const row = insertRun({
    id,
    job_id: job.id,
    status: slot.status,
    trigger: slot.trigger,
    scheduled_for: iso(slot.at),
    attempt: 1,
    error: slot.reason,
    created_at: iso(now),
    completed_at: queued ? null : iso(now),
  })
  if (queued)
    return { statements: [row, queueRun(host, job, { id, at: slot.at, trigger: slot.trigger })], events: [] }
  const data = { job_id: job.id, run_id: id, scheduled_for: iso(slot.at), reason: slot.reason }
  return { statements: [row], events: slot.status === 'missed' ? [{ type: 'job.run.missed', data }] : [] }
}

/** The work of a run that is stored in the same commit; none where its due time had a row before. */
function queueRun(
  host: Host,
  job: StoredJob,
  run: { id: string; at: number; trigger: Slot['trigger'] },
): Statement {
  const kind = run.trigger === 'catchup' ? catchUpKind : runKind
  const due = Math.max(host.clock.now(), run.at + jitterOf(job, run.at))
  return ifRun(insertWork(host, { kind, subject: run.id, due }).statement, run.id)
}

/** The same for the same due time: 0 to `jitter_seconds`, in milliseconds. */
function jitterOf({ id, jitter_seconds }: StoredJob, at: number): number {
  let mixed = 2_166_136_261
  for (const letter of `${id} ${at}`) mixed = Math.imul(mixed ^ (letter.codePointAt(0) ?? 0), 16_777_619)
  return Math.floor(((mixed >>> 0) / 2 ** 32) * jitter_seconds * second)
}

/** Jobs whose next time was computed on a clock that was ahead. Due times that have run keep their rows. */
async function clockSetBack(host: Host): Promise<void> {
  const now = host.clock.now()
  for (let full = true; full; ) {
    const jobs = await jobsPlannedAfter(host, iso(now), batch)
    for (const job of jobs) {
      const next = nextOf(job, now)
      const to = { next: next === null ? job.next_run_at : iso(next), now: iso(now), begun: 0 }
      await commit(host, [forgetEarlyMisses(job.id, iso(now)), moveOn(job, to)]).catch(takenByAnother)
    }
    full = jobs.length === batch
  }
}
