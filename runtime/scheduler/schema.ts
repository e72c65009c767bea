import { z } from 'zod'
import { changesOf, readOf } from '../fields.ts'
import { reference, referenceBy } from '../references.ts'
import { Schedule } from '../schedules/schedule.ts'
import { TargetKind } from '../schedules/targets.ts'
import { ExecutionMode } from '../tools/modes.ts'

/** Seconds; one leap year. */
const maxInterval = 366 * 24 * 3_600

export const JobStatus = z.enum(['active', 'paused', 'completed', 'failed'])
export type JobStatus = z.output<typeof JobStatus>

const Misfire = z.object({
  policy: z
    .enum(['run_once', 'run_all', 'skip'])
    .default('run_once')
    .meta({
      title: 'Missed runs',
      description: 'For example while the machine was off',
      labels: { run_once: 'Run once, late', run_all: 'Run once for each missed time', skip: 'Skip' },
    }),
  window_seconds: z.int().min(0).max(maxInterval).default(86_400).meta({
    title: 'Maximum delay',
    description: 'A missed run older than this is skipped',
    unit: 'seconds',
  }),
})

const Retry = z.object({
  max_attempts: z.int().min(1).max(20).default(1).meta({ title: 'Attempts', description: 'Including the first' }),
  strategy: z
    .enum(['fixed', 'linear', 'exponential'])
    .default('exponential')
    .meta({
      title: 'Further attempts',
      labels: {
        fixed: 'Same wait each time',
        linear: 'Longer wait each time',
        exponential: 'Double the wait each time',
      },
    }),
  base_delay: z.int().min(0).max(3_600).default(60).meta({ title: 'Wait before the second attempt', unit: 'seconds' }),
})
export type Retry = z.output<typeof Retry>

/** Characters. A character takes up to four bytes, so a goal fits into a message. */
const maxGoal = 50 * 1024

const usd = z.number().min(0).max(1_000_000).nullable().default(null)

const text = {
  name: z.string().trim().min(1).max(200).meta({ title: 'Name' }),
  goal: z
    .string()
    .max(maxGoal)
    .refine((goal) => goal.trim() !== '', 'must not be empty')
    .meta({ title: 'Task', description: 'What should be done, in your own words', format: 'multiline' }),
}

/** What a condition of each type compares or reads. */
const conditionOf = <Type extends string>(type: Type, title: string, description: string) =>
  z.object({
    type: z.literal(type),
    expression: z.string().min(1).max(4_000).meta({ title, description, format: 'line' }),
  })

const Condition = z.discriminatedUnion('type', [
  conditionOf('previous_status', 'Status', 'succeeded, failed, timed_out, cancelled or lost'),
  conditionOf('http', 'URL', 'Runs if the response is a success (2xx)'),
  conditionOf('file_changed', 'File', 'Runs if the file has changed since the previous run'),
  conditionOf('expression', 'Expression', 'JSONata with job, last_run, now, memory and system'),
])

const settings = {
  target: z
    .object({
      kind: TargetKind.default('agent'),
      id: referenceBy('kind', { agent: 'agent', workflow: 'workflow', project: 'project', loop: 'loop' })
        .nullable()
        .default(null),
    })
    .prefault({}),
  delivery: z
    .object({
      /** `none`, `chat`, `email`, `webhook` or the id of a channel. */
      channel: reference('delivery_channel').min(1).default('none').meta({ title: 'Deliver to' }),
      format: z.enum(['text', 'markdown', 'json', 'summary']).default('text').meta({ title: 'Format' }),
      /**
       * Email: comma-separated addresses (default: the sender's own). Chat: the id of a conversation. A channel: the id of
       * a chat on the platform (default: the paired owner).
       */
      to: referenceBy('channel', { chat: 'conversation' }, 1_000).trim().nullable().default(null),
      /** Webhook: the address that receives the result. */
      url: z.string().trim().max(2_000).nullable().default(null).meta({ title: 'URL' }),
      /** Shown as dots, and kept when left out of a change. */
      secret: z.string().min(8).max(1_000).nullable().optional().meta({
        title: 'Secret',
        description: 'Signs the request; stored encrypted',
        format: 'secret',
      }),
    })
    .prefault({}),
  condition: Condition.nullable()
    .default(null)
    .meta({
      title: 'Run only if',
      labels: {
        null: 'Always',
        previous_status: 'The previous run ended with a status',
        http: 'A URL responds',
        file_changed: 'A file has changed',
        expression: 'An expression is true',
      },
    }),
  retry: Retry.prefault({}),
  misfire: Misfire.prefault({}),
  overlap: z
    .enum(['skip', 'buffer_one', 'allow', 'cancel_other'])
    .default('skip')
    .meta({
      title: 'If the previous run is still active',
      labels: {
        skip: 'Skip the new run',
        buffer_one: 'Queue one run',
        allow: 'Run both',
        cancel_other: 'Cancel the previous run',
      },
    }),
  jitter_seconds: z.int().min(0).max(3_600).default(0).meta({
    title: 'Random delay',
    description: 'Up to this many seconds, to spread the load',
    unit: 'seconds',
  }),
  timeout_seconds: z
    .int()
    .min(1)
    .max(7 * 24 * 3_600)
    .default(3_600)
    .meta({ title: 'Maximum duration of a run', unit: 'seconds' }),
  max_runs: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .meta({
      title: 'Maximum number of runs',
      labels: { null: 'No limit' },
    }),
  ends_at: z.iso.datetime({ offset: true }).nullable().default(null).meta({ title: 'End date' }),
  auto_pause_after: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .default(10)
    .meta({
      title: 'Pause after consecutive failures',
      labels: { null: 'Never' },
    }),
  execution_mode: ExecutionMode.default('auto').meta({ title: 'Approval' }),
  /** `provider/model`; null for the agent's model. */
  model: reference('model', 264)
    .min(1)
    .nullable()
    .default(null)
    .meta({
      title: 'Model',
      labels: { null: 'The agent’s model' },
    }),
  budget: z
    .object({
      run_usd: usd.meta({ title: 'Budget per run', unit: 'USD', labels: { null: 'No limit' } }),
      daily_usd: usd.meta({ title: 'Budget per day', unit: 'USD', labels: { null: 'No limit' } }),
    })
    .nullable()
    .default(null),
  tags: z.array(z.string().trim().min(1).max(64)).max(20).default([]).meta({ title: 'Tags', format: 'tags' }),
}

/** The settings of a job, without its name, goal and schedule. */
export const JobSettings = z.object(readOf(settings))
export type JobSettings = z.output<typeof JobSettings>
export type Delivery = JobSettings['delivery']

export const Job = z.object({
  id: z.string(),
  ...text,
  schedule: Schedule,
  /** The schedule in English, in its own time zone. */
  human_readable: z.string(),
  status: JobStatus,
  /** Why the scheduler paused it; null if a person did. */
  paused_reason: z.string().nullable(),
  agent_id: z.string().nullable(),
  next_run_at: z.string().nullable(),
  last_run_at: z.string().nullable(),
  last_status: z.string().nullable(),
  run_count: z.int(),
  consecutive_failures: z.int(),
  ...JobSettings.shape,
  created_at: z.string(),
  updated_at: z.string(),
})
export type Job = z.output<typeof Job>

/** A schedule in plain words. */
export const ScheduleWords = z.string().max(500)

export const NewJob = z.object({
  ...text,
  schedule: Schedule,
  agent_id: reference('agent').optional(),
  ...settings,
})
export type NewJob = z.output<typeof NewJob>

export const JobChanges = changesOf(NewJob.shape)
export type JobChanges = z.output<typeof JobChanges>

export const RunStatus = z.enum([
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'skipped',
  'missed',
  'lost',
])
export type RunStatus = z.output<typeof RunStatus>

export const RunTrigger = z.enum(['schedule', 'manual', 'retry', 'catchup', 'chain', 'backfill'])
export type RunTrigger = z.output<typeof RunTrigger>

export const DeliveryStatus = z.enum(['none', 'pending', 'delivered', 'failed'])
export type DeliveryStatus = z.output<typeof DeliveryStatus>

/** One attempt at one due time. Every due time has a row, whatever its outcome. */
export const Run = z.object({
  id: z.string(),
  job_id: z.string(),
  status: RunStatus,
  trigger: RunTrigger,
  scheduled_for: z.string(),
  attempt: z.int(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  duration_seconds: z.number().nullable(),
  output: z.string().nullable(),
  /** What went wrong, or why the run was skipped or missed. */
  error: z.string().nullable(),
  conversation_id: z.string().nullable(),
  message_id: z.string().nullable(),
  /** The project, loop run or workflow execution that it started; null for an agent. */
  started_id: z.string().nullable(),
  delivery_status: DeliveryStatus,
  delivery_attempts: z.int(),
  delivery_error: z.string().nullable(),
  delivered_at: z.string().nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number(),
  created_at: z.string(),
})
export type Run = z.output<typeof Run>

/** A run as the API returns it, with whether it waits for an approval. */
export const ShownRun = Run.extend({ waiting_approval: z.boolean() })
export type ShownRun = z.output<typeof ShownRun>

export const isOpen = ({ status }: Pick<Run, 'status'>): boolean => status === 'queued' || status === 'running'

export const isFailure = (status: RunStatus): boolean =>
  status === 'failed' || status === 'timed_out' || status === 'lost'

export const EdgeType = z.enum(['on_success', 'on_failure', 'on_complete'])
export type EdgeType = z.output<typeof EdgeType>

export const jobId = reference('job').min(1)

export const Edge = z.object({ from: jobId, to: jobId, type: EdgeType.default('on_success') })
export type Edge = z.output<typeof Edge>

/** `running`, then the status of its run; `left_out` if no edge led to it. */
export const StepStatus = z.enum([
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'skipped',
  'lost',
  'left_out',
])
export type StepStatus = z.output<typeof StepStatus>

export const Step = z.object({ job_id: z.string(), run_id: z.string().nullable(), status: StepStatus })
export type Step = z.output<typeof Step>

export const ChainRun = z.object({
  id: z.string(),
  status: z.enum(['running', 'succeeded', 'failed', 'cancelled']),
  started_at: z.string(),
  completed_at: z.string().nullable(),
  steps: z.array(Step),
})
export type ChainRun = z.output<typeof ChainRun>

export const CalendarEvent = z.object({
  job_id: z.string(),
  name: z.string(),
  at: z.string(),
  kind: z.enum(['planned', 'run']),
  status: z.string(),
  /** Null if the event represents several runs. */
  run_id: z.string().nullable(),
  count: z.int().meta({ description: 'Runs that the event represents' }),
})
export type CalendarEvent = z.output<typeof CalendarEvent>
