import { requireDefaultAgent } from '../agents/agents.ts'
import { findAgent } from '../agents/store.ts'
import type { Context } from '../context.ts'
import { conflict, invalidField, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { zoneOfDays } from '../monitoring/budget-limits.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { dropQueuedWork } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { budgetsOf } from './budget.ts'
import { chainUnit } from './chains/progress.ts'
import { openChainRunsWith } from './chains/store.ts'
import { conditions } from './conditions.ts'
import { checkDelivery } from './delivery/check.ts'
import { sealDelivery } from './delivery/secret.ts'
import { nextOf } from './due.ts'
import { jobChanged } from './events.ts'
import { deleteJob, findJob, insertJob, publicJob, type StoredJob, updateJob } from './job-store.ts'
import { catchUpKind, runKind, stopKind } from './kinds.ts'
import { openRuns } from './run-store.ts'
import type { Job, JobChanges, NewJob, Schedule } from './schema.ts'

/** What can be started here. */
const startable = ['agent']

/** The job, or a 404. */
export async function requireJob(context: Context, id: string): Promise<StoredJob> {
  const job = await findJob(context, id)
  if (!job) throw notFound(`The job ${id}`)
  return job
}

export async function addJob(context: Context, input: NewJob): Promise<Job> {
  await checkSettings(input)
  const agent = input.agent_id ?? input.target.id ?? (await requireDefaultAgent(context)).id
  await checkAgent(context, agent, input.agent_id === undefined ? 'target.id' : 'agent_id')
  const now = iso(context.clock.now())
  const job: StoredJob = {
    ...input,
    id: newId('job', context.clock.now()),
    schedule: await withZone(context, input.schedule),
    agent_id: agent,
    target: { ...input.target, id: agent },
    delivery: await sealDelivery(context, input.delivery, null),
    status: 'active',
    paused_reason: null,
    next_run_at: null,
    last_run_at: null,
    last_status: null,
    run_count: 0,
    consecutive_failures: 0,
    anchor_at: now,
    created_at: now,
    updated_at: now,
  }
  job.next_run_at = requireNext(context, job)
  await context.commit(
    [insertJob(job, now), ...budgetsOf(job)],
    [{ type: 'job.created', data: { job_id: job.id, name: job.name } }],
  )
  context.process.wake()
  return publicJob(job)
}

/** Changes what is given. A changed schedule counts from now; a finished job with a time to come goes on. */
export async function changeJob(context: Context, id: string, changes: JobChanges): Promise<Job> {
  const read = await requireJob(context, id)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const now = iso(context.clock.now())
  const job: StoredJob = { ...read, ...given, updated_at: now }
  await checkSettings(job)
  if (changes.delivery !== undefined)
    job.delivery = await sealDelivery(context, changes.delivery, read.delivery)
  if (changes.agent_id !== undefined) await checkAgent(context, changes.agent_id, 'agent_id')
  const replanned =
    changes.schedule !== undefined || changes.ends_at !== undefined || changes.max_runs !== undefined
  if (changes.schedule !== undefined) {
    job.schedule = await withZone(context, changes.schedule)
    job.anchor_at = now
  }
  if (replanned && job.status !== 'paused') {
    job.next_run_at = requireNext(context, job)
    job.status = 'active'
  }
  return store(context, job, read)
}

async function store(context: Context, job: StoredJob, read: StoredJob): Promise<Job> {
  const budgets = job.budget === read.budget ? [] : budgetsOf(job)
  await context.commit([updateJob(job, read, iso(context.clock.now())), ...budgets], [jobChanged(job.id)])
  context.process.wake()
  return publicJob(job)
}

/** A paused job has no next time. What runs goes on to its end. */
export async function pauseJob(context: Context, id: string, reason: string | null = null): Promise<Job> {
  const read = await requireJob(context, id)
  if (read.status === 'paused') return publicJob(read)
  if (read.status !== 'active') throw conflict(`The job is ${read.status}`)
  return store(
    context,
    { ...stamped(context, read), status: 'paused', paused_reason: reason, next_run_at: null },
    read,
  )
}

/** Goes on with the next time behind now: what came due while it was paused was never due. */
export async function resumeJob(context: Context, id: string): Promise<Job> {
  const read = await requireJob(context, id)
  if (read.status === 'active') return publicJob(read)
  const next = nextOf(read, context.clock.now())
  if (next === null || isUsedUp(read))
    throw conflict(`The job is ${read.status} and its schedule has no next time`)
  const job = {
    ...stamped(context, read),
    status: 'active' as const,
    paused_reason: null,
    consecutive_failures: 0,
  }
  return store(context, { ...job, next_run_at: iso(next) }, read)
}

const stamped = (context: Context, job: StoredJob): StoredJob => ({
  ...job,
  updated_at: iso(context.clock.now()),
})

const isUsedUp = ({ max_runs, run_count }: StoredJob) => max_runs !== null && run_count >= max_runs

/** Deletes a job with its runs; what they do is stopped. */
export async function removeJob(context: Context, id: string): Promise<void> {
  const job = await requireJob(context, id)
  const open = await openRuns(context, id)
  const stops = open.flatMap((run): Statement[] => {
    const payload = { target: job.target.kind, message_id: run.message_id }
    const stop = insertWork(context, { kind: stopKind, subject: run.id, payload })
    const queued = [runKind, catchUpKind, stopKind].map((kind) =>
      dropQueuedWork({ kind: kind, subject: run.id }),
    )
    return run.status === 'running' ? [...queued, stop.statement] : queued
  })
  const budgets = budgetsOf({ ...job, budget: null })
  const chains = (await openChainRunsWith(context, id)).map((run) => chainUnit(context, run))
  await context.commit(
    [...stops, ...budgets, deleteJob(id), ...chains],
    [{ type: 'job.deleted', data: { job_id: id } }],
  )
  context.process.wake()
}

function requireNext(context: Context, job: StoredJob): string {
  const next = nextOf(job, context.clock.now())
  if (next !== null && !isUsedUp(job)) return iso(next)
  if (isUsedUp(job)) throw invalidField('max_runs', `the job has run ${job.run_count} times already`)
  if (job.schedule.type === 'at') throw invalidField('schedule.datetime', 'lies in the past')
  throw invalidField('ends_at', 'lies before the first due time')
}

async function withZone(context: Context, schedule: Schedule): Promise<Schedule> {
  return { ...schedule, timezone: schedule.timezone ?? (await zoneOfDays(context)) }
}

async function checkSettings({
  target,
  condition,
  delivery,
}: Pick<Job, 'target' | 'condition' | 'delivery'>): Promise<void> {
  if (!startable.includes(target.kind))
    throw invalidField('target.kind', `a ${target.kind} cannot be started by a schedule here`)
  const problem = condition && (await conditions[condition.type].problem(condition.expression))
  if (problem !== null) throw invalidField('condition.expression', problem)
  checkDelivery(delivery)
}

async function checkAgent(context: Context, id: string, path: string): Promise<void> {
  const agent = await findAgent(context, id)
  if (!agent) throw invalidField(path, 'names no agent')
  if (!agent.enabled) throw invalidField(path, `${agent.name} is disabled`)
}
