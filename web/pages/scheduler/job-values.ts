import type { useForm } from '@mantine/form'
import type { Job } from '../../../runtime/scheduler/schema.ts'
import type { Schedule } from '../../../runtime/schedules/schedule.ts'

/** Fields cannot hold null, so "not set" is an empty text. */
type Blankable<Members> = {
  [Name in keyof Members]: null extends Members[Name] ? Exclude<Members[Name], null> | '' : Members[Name]
}

type Direct = Blankable<
  Pick<
    Job,
    | 'name'
    | 'goal'
    | 'agent_id'
    | 'model'
    | 'execution_mode'
    | 'retry'
    | 'misfire'
    | 'overlap'
    | 'jitter_seconds'
    | 'timeout_seconds'
    | 'max_runs'
    | 'ends_at'
    | 'auto_pause_after'
    | 'tags'
  >
>

/** The form of a job, named like the members of a job. */
export interface JobValues extends Direct, Record<string, unknown> {
  /** Null until the plain English text is parsed. */
  schedule: Schedule | null
  target: Blankable<Job['target']>
  condition: Job['condition']
  delivery: Blankable<Required<Job['delivery']>>
  budget: Blankable<NonNullable<Job['budget']>>
}

export type JobForm = ReturnType<typeof useForm<JobValues>>

/** The daemon's own defaults, except that results are delivered to a chat: a reminder that nobody sees is useless. */
export const newJob: JobValues = {
  name: '',
  goal: '',
  schedule: null,
  target: { kind: 'agent', id: '' },
  agent_id: '',
  model: '',
  execution_mode: 'auto',
  delivery: { channel: 'chat', format: 'text', to: '', url: '', secret: '' },
  condition: null,
  retry: { max_attempts: 1, strategy: 'exponential', base_delay: 60 },
  misfire: { policy: 'run_once', window_seconds: 86_400 },
  overlap: 'skip',
  jitter_seconds: 0,
  timeout_seconds: 3_600,
  max_runs: '',
  ends_at: '',
  auto_pause_after: 10,
  budget: { run_usd: '', daily_usd: '' },
  tags: [],
}

export function valuesOf(job: Job): JobValues {
  const values = Object.fromEntries(Object.keys(newJob).map((name) => [name, job[name as keyof Job] ?? '']))
  return {
    ...(values as unknown as JobValues),
    // The agent is a field of its own.
    target: { kind: job.target.kind, id: (job.target.kind !== 'agent' && job.target.id) || '' },
    condition: job.condition,
    delivery: { ...newJob.delivery, ...blankForNull(job.delivery) },
    budget: { ...newJob.budget, ...blankForNull(job.budget ?? {}) },
  }
}

/** The request body. Without an agent the daemon chooses. */
export function bodyOf({ name, goal, agent_id, target, delivery, budget, ...rest }: Partial<JobValues>) {
  const limits = budget && nullForBlank(budget)
  return {
    ...(name !== undefined && { name }),
    ...(goal !== undefined && { goal }),
    ...(agent_id && { agent_id }),
    ...(target && { target: { kind: target.kind, id: target.id || null } }),
    ...(delivery && { delivery: nullForBlank(delivery) }),
    ...(limits && { budget: Object.values(limits).every((usd) => usd === null) ? null : limits }),
    ...nullForBlank(rest),
  }
}

/** The body of a new job, whose name, goal and schedule are set. */
export const newBodyOf = (values: JobValues) => ({
  ...bodyOf(values),
  name: values.name,
  goal: values.goal,
  schedule: values.schedule as Schedule,
})

const blankForNull = (members: object) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? '']))

const nullForBlank = (members: object) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value === '' ? null : value]))
