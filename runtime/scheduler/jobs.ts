import { ownerOf } from '../auth/owner.ts'
import { callerTimeZone } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { conflict, invalidField } from '../fault.ts'
import { newId } from '../id.ts'
import { deleteBudgetsOf, insertBudget } from '../ledger/budget-store.ts'
import { againIfLost } from '../lost-race.ts'
import type { Statement } from '../ports/sql.ts'
import { required } from '../required.ts'
import type { Schedule } from '../schedules/schedule.ts'
import { type Target, targetOf } from '../schedules/targets.ts'
import { iso, laterThan } from '../time.ts'
import type { Trust } from '../trust.ts'
import { dropQueuedWork } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { chainWork, openChainRunsWith } from './chain-store.ts'
import { conditions } from './conditions.ts'
import { checkDelivery } from './delivery-format.ts'
import { sealDelivery } from './delivery-secret.ts'
import { nextDue } from './due.ts'
import type { Orphan } from './end.ts'
import { deleteJob, findOwnJob, insertJob, publicJob, type StoredJob, updateJob } from './job-store.ts'
import { catchUpKind, runKind, stopKind } from './kinds.ts'
import { openRuns } from './run-store.ts'
import type { Job, JobChanges, NewJob } from './schema.ts'

export const requireJob = required('job', findOwnJob)

export async function addJob(context: Context, input: NewJob, trust: Trust = 'owner'): Promise<Job> {
  const { job, statements, events } = await draftJob(context, input, trust)
  await context.commit(statements, events, { answer: publicJob(job) })
  context.process.wake()
  return publicJob(job)
}

interface JobChange {
  statements: Statement[]
  events: EventInput[]
}

/** A new job, checked, with the statements and events of the commit that creates it. */
export async function draftJob(
  context: Context,
  input: NewJob,
  trust: Trust = 'owner',
): Promise<JobChange & { job: StoredJob }> {
  const target = await checkSettings(context, input)
  const ids = await target.check(context, { ...input, agent_id: input.agent_id ?? null })
  const now = iso(context.clock.now())
  const job: StoredJob = {
    ...input,
    id: newId('job', context.clock.now()),
    owner_id: ownerOf(context),
    schedule: await withZone(context, input.schedule),
    agent_id: ids.agent_id,
    target: { ...input.target, id: ids.id },
    delivery: await sealDelivery(context, input.delivery, null),
    status: 'active',
    paused_reason: null,
    next_run_at: null,
    last_run_at: null,
    last_status: null,
    run_count: 0,
    consecutive_failures: 0,
    anchor_at: now,
    trust,
    created_at: now,
    updated_at: now,
  }
  job.next_run_at = requireNext(context, job)
  return {
    job,
    statements: [insertJob(job, now), ...budgetsOf(job)],
    events: [{ type: 'job.created', data: { job_id: job.id, name: job.name } }],
  }
}

/** Changes the given fields. A new schedule counts from now; a finished job with a next due time becomes active. */
export const changeJob = (context: Context, id: string, changes: JobChanges): Promise<Job> =>
  againIfLost(() => changeOnce(context, id, changes))

async function changeOnce(context: Context, id: string, changes: JobChanges): Promise<Job> {
  const read = await requireJob(context, id)
  const fields = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const now = iso(context.clock.now())
  const job: StoredJob = { ...stamped(context, read), ...fields }
  // A form sends the goal back as it was.
  if (job.goal !== read.goal) job.trust = 'owner'
  // A new target names the agent, unless the request does.
  if (changes.target?.id && changes.agent_id === undefined && job.target.kind === 'agent') job.agent_id = null
  const target = await checkSettings(context, job)
  if (startFields.some((name) => JSON.stringify(job[name]) !== JSON.stringify(read[name]))) {
    const ids = await target.check(context, job)
    job.agent_id = ids.agent_id
    job.target = { ...job.target, id: ids.id }
  }
  if (changes.delivery !== undefined) job.delivery = await sealDelivery(context, changes.delivery, read.delivery)
  const replanned = changes.schedule !== undefined || changes.ends_at !== undefined || changes.max_runs !== undefined
  if (changes.schedule !== undefined) {
    job.schedule = await withZone(context, changes.schedule)
    job.anchor_at = now
  }
  if (replanned && job.status !== 'paused') {
    job.next_run_at = requireNext(context, job)
    job.status = 'active'
  }
  return save(context, job, read)
}

async function save(context: Context, job: StoredJob, read: StoredJob): Promise<Job> {
  const budgets = job.budget === read.budget ? [] : budgetsOf(job)
  await context.commit(
    [updateJob(job, read, iso(context.clock.now())), ...budgets],
    [{ type: 'job.updated', data: { job_id: job.id } }],
    { answer: publicJob(job) },
  )
  context.process.wake()
  return publicJob(job)
}

/** A paused job has no next due time. The current run finishes. */
export const pauseJob = (context: Context, id: string, reason: string | null = null): Promise<Job> =>
  againIfLost(() => pauseOnce(context, id, reason))

async function pauseOnce(context: Context, id: string, reason: string | null): Promise<Job> {
  const read = await requireJob(context, id)
  if (read.status === 'paused') return publicJob(read)
  if (read.status !== 'active') throw conflict(`The job is ${read.status}`)
  return save(context, { ...stamped(context, read), status: 'paused', paused_reason: reason, next_run_at: null }, read)
}

/** Continues with the next due time after now: due times during the pause are dropped. */
export const resumeJob = (context: Context, id: string): Promise<Job> => againIfLost(() => resumeOnce(context, id))

async function resumeOnce(context: Context, id: string): Promise<Job> {
  const read = await requireJob(context, id)
  if (read.status === 'active') return publicJob(read)
  const next = nextDue(read, context.clock.now())
  if (next === null || isUsedUp(read)) throw conflict(`The job is ${read.status} and its schedule has no next due time`)
  const job = {
    ...stamped(context, read),
    status: 'active' as const,
    paused_reason: null,
    consecutive_failures: 0,
  }
  return save(context, { ...job, next_run_at: iso(next) }, read)
}

const stamped = (context: Context, job: StoredJob): StoredJob => ({
  ...job,
  updated_at: laterThan(job.updated_at, context.clock.now()),
})

const isUsedUp = ({ max_runs, run_count }: StoredJob) => max_runs !== null && run_count >= max_runs

export async function removeJob(context: Context, id: string): Promise<void> {
  const { statements, events } = await removalOf(context, await requireJob(context, id))
  await context.commit(statements, events)
  context.process.wake()
}

export async function removalOf(context: Context, job: StoredJob): Promise<JobChange> {
  const { id } = job
  const open = await openRuns(context, id)
  const stops = open.flatMap((run): Statement[] => {
    const { message_id, started_id } = run
    const payload: Orphan = { target: job.target.kind, message_id, started_id }
    const stop = insertWork(context, { kind: stopKind, subject: run.id, payload: { ...payload } })
    const queued = dropQueuedWork({ kind: [runKind, catchUpKind, stopKind], subject: run.id })
    return run.status === 'running' ? [queued, stop.statement] : [queued]
  })
  const budgets = budgetsOf({ ...job, budget: null })
  const chains = (await openChainRunsWith(context, id)).map((run) => chainWork(context, run))
  return {
    statements: [...stops, ...budgets, deleteJob(id), ...chains],
    events: [{ type: 'job.deleted', data: { job_id: id } }],
  }
}

function requireNext(context: Context, job: StoredJob): string {
  const next = nextDue(job, context.clock.now())
  if (next !== null && !isUsedUp(job)) return iso(next)
  if (isUsedUp(job)) throw invalidField('max_runs', `the job has already run ${job.run_count} times`)
  if (job.schedule.type === 'at') throw invalidField('schedule.datetime', 'is in the past')
  throw invalidField('ends_at', 'is before the first due time')
}

async function withZone(context: Context, schedule: Schedule): Promise<Schedule> {
  return { ...schedule, timezone: schedule.timezone ?? (await callerTimeZone(context)) }
}

/** The fields that a target checks. */
const startFields = ['agent_id', 'target', 'execution_mode', 'model'] as const

async function checkSettings(
  context: Context,
  { target, condition, delivery }: Pick<Job, 'target' | 'condition' | 'delivery'>,
): Promise<Target> {
  const startable = await targetOf(context, target.kind)
  if (!startable) throw invalidField('target.kind', `jobs cannot start a ${target.kind} here`)
  const problem = condition && (await conditions[condition.type].problem(condition.expression))
  if (problem !== null) throw invalidField('condition.expression', problem)
  checkDelivery(delivery)
  return startable
}

/** The budget of a job as budgets of the ledger, replacing those it had. People see them among the others. */
function budgetsOf({ id, owner_id, budget, updated_at }: StoredJob): Statement[] {
  const limits = [
    ['run', budget?.run_usd ?? null],
    ['day', budget?.daily_usd ?? null],
  ] as const
  const inserted = limits.flatMap(([window, limit_usd]) =>
    limit_usd === null
      ? []
      : insertBudget({
          id: `budget_${id}_${window}`,
          owner_id,
          scope: { kind: 'job', id },
          window,
          limit_usd,
          limit_tokens: null,
          warn_pct: [80],
          action: 'block',
          paused: false,
          created_at: updated_at,
          updated_at,
        }),
  )
  return [deleteBudgetsOf('job', id), ...inserted]
}
