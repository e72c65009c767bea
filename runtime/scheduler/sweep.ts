import { commit } from '../events/commit.ts'
import type { EventInput } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso, second } from '../time.ts'
import { workContext } from '../work/run.ts'
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
import { startOf } from './start.ts'
import { schedulerState } from './state.ts'

/** Jobs that are moved on in one commit. */
const batch = 100

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
    schedulerState(host).jobs_checked = checked
  },
  async nextDue(host) {
    const next = await nextDueJob(host)
    return next === null ? null : Date.parse(next)
  },
  clockSetBack,
}

async function moveAll(host: Host, jobs: StoredJob[]): Promise<void> {
  const ids = jobs.map(({ id }) => id)
  const open = await countOpenRuns(host, ids)
  const moves = await Promise.all(jobs.map((job) => moveOrPause(host, job, open.get(job.id) ?? 0)))
  try {
    await commitMoves(
      host,
      moves.map(({ queued, started }) => started ?? queued),
    )
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    for (const { queued } of moves) await commitMoves(host, [queued]).catch(takenByAnother)
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

interface Choice {
  queued: Move
  /** The same with the run begun in the same commit, where nothing has to be waited for. */
  started: Move | null
}

/** One job whose schedule cannot be read must not hold up the rest. */
async function moveOrPause(host: Host, job: StoredJob, open: number): Promise<Choice> {
  try {
    const moved = planDue(job, host.clock.now(), open)
    return {
      queued: move(host, job, moved),
      started: open === 0 ? await startAtOnce(host, job, moved) : null,
    }
  } catch (cause) {
    host.log.write('error', 'the due times of a job cannot be told', { job: job.id, cause })
    const reason = 'Its schedule cannot be read: give it a new one'
    return {
      queued: { statements: [pauseBroken(job.id, reason)], events: [jobChanged(job.id)] },
      started: null,
    }
  }
}

function move(host: Host, job: StoredJob, moved: Moved): Move {
  const rows = moved.slots.map((slot) => {
    const row = rowOf(host, job, slot)
    return slot.status === 'queued' ? withWork(host, job, { row, slot }) : row
  })
  return movedOn(host, job, moved, rows)
}

/** The usual case: a run on time that nothing keeps from beginning. Null where it must be looked at first. */
async function startAtOnce(host: Host, job: StoredJob, moved: Moved): Promise<Move | null> {
  const runs = moved.slots.filter(({ status }) => status === 'queued')
  const plain = job.jitter_seconds === 0 && job.condition === null && runs[0]?.trigger === 'schedule'
  if (!plain || runs.length !== 1) return null
  const context = workContext(host, { id: job.id }, host.process.stopping)
  const rows: Move[] = []
  for (const slot of moved.slots) {
    const row = rowOf(host, job, slot)
    if (slot.status !== 'queued') {
      rows.push(row)
      continue
    }
    const start = await startOf(context, job, { id: row.id, trigger: slot.trigger, attempt: 1 }).catch(
      refused,
    )
    if (start === null) return null
    rows.push({ statements: [...row.statements, ...start.statements], events: start.events })
  }
  return movedOn(host, job, moved, rows)
}

/** Its unit finds out again, and says so in the run's row. */
function refused(thrown: unknown): null {
  if (thrown instanceof Fault) return null
  throw thrown
}

function movedOn(host: Host, job: StoredJob, moved: Moved, rows: Move[]): Move {
  const now = iso(host.clock.now())
  const begun = moved.slots.filter(({ status }) => status === 'queued').length
  const next = moved.next === null ? null : iso(moved.next)
  return {
    statements: [
      moveOn(job, { next, now, begun }),
      ...rows.flatMap(({ statements }) => statements),
      ...(next === null ? [closeJob(job.id, endOf(job, moved))] : []),
    ],
    events: rows.flatMap(({ events }) => events),
  }
}

/** A job for one moment that it has missed has failed. */
const endOf = ({ schedule }: StoredJob, { slots }: Moved) =>
  schedule.type === 'at' && slots.every(({ status }) => status === 'missed') ? 'failed' : 'completed'

function rowOf(host: Host, job: StoredJob, slot: Slot): Move & { id: string } {
  const now = host.clock.now()
  const id = newId('run', now)
  const row = insertRun({
    id,
    job_id: job.id,
    status: slot.status,
    trigger: slot.trigger,
    scheduled_for: iso(slot.at),
    attempt: 1,
    error: slot.reason,
    created_at: iso(now),
    completed_at: slot.status === 'queued' ? null : iso(now),
  })
  const data = { job_id: job.id, run_id: id, scheduled_for: iso(slot.at), reason: slot.reason }
  return { id, statements: [row], events: slot.status === 'missed' ? [{ type: 'job.run.missed', data }] : [] }
}

/** With the unit that begins it; none where its due time had a row before. */
function withWork(
  host: Host,
  job: StoredJob,
  { row, slot }: { row: Move & { id: string }; slot: Slot },
): Move {
  const kind = slot.trigger === 'catchup' ? catchUpKind : runKind
  const due = Math.max(host.clock.now(), slot.at + jitterOf(job, slot.at))
  const { statement } = insertWork(host, { kind, subject: row.id, due })
  return { ...row, statements: [...row.statements, ifRun(statement, row.id)] }
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
