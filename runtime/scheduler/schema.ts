import { z } from 'zod'
import { ExecutionMode } from '../agents/schema.ts'
import { messageLimit } from '../chat/schema.ts'
import { iso, isTimeZone } from '../time.ts'
import { readCron } from './cron.ts'

/** Seconds; a year. */
const longest = 366 * 24 * 3_600

const zone = z.string().max(64).refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')

const expression = z
  .string()
  .max(200)
  .superRefine((text, issue) => {
    try {
      readCron(text)
    } catch (thrown) {
      issue.addIssue({ code: 'custom', message: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  })

/** The engine reads 31 February as 3 March. */
const isDate = (text: string) => iso(Date.parse(text)).startsWith(text)

const datetime = z
  .string()
  .max(40)
  .refine(
    (text) =>
      /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) &&
      !Number.isNaN(Date.parse(text)) &&
      isDate(text.slice(0, 10)),
    'must be an ISO 8601 date and time such as 2026-03-01T09:00:00+01:00',
  )

/** Without a zone that of the owner's profile counts, and it is stored with the job. */
export const Schedule = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('cron'),
    expression,
    /** More of them: what one expression cannot say, such as 7:30 and 19:00. Due is what any of them asks for. */
    also: z.array(expression).min(1).max(24).optional(),
    timezone: zone.optional(),
  }),
  z.object({
    type: z.literal('every'),
    /** Seconds. */
    interval: z.number().int().min(1).max(longest),
    /**
     * The first due time; without it the job's creation is what counts, and the first is one interval later. Without an
     * offset it is on the wall clock of the zone, and so are intervals of whole days.
     */
    starts_at: datetime.optional(),
    timezone: zone.optional(),
  }),
  z.object({ type: z.literal('at'), datetime, timezone: zone.optional() }),
])
export type Schedule = z.output<typeof Schedule>

export const JobStatus = z.enum(['active', 'paused', 'completed', 'failed'])
export type JobStatus = z.output<typeof JobStatus>

export const TargetKind = z.enum(['agent', 'workflow', 'project', 'loop', 'webhook'])

const Misfire = z.object({
  policy: z.enum(['run_once', 'run_all', 'skip']).default('run_once'),
  /** What is longer overdue than this does not run. */
  window_seconds: z.number().int().min(0).max(longest).default(86_400),
})

const Retry = z.object({
  /** All tries together, the first included. */
  max_attempts: z.number().int().min(1).max(20).default(1),
  strategy: z.enum(['fixed', 'linear', 'exponential']).default('exponential'),
  /** Seconds. */
  base_delay: z.number().int().min(0).max(3_600).default(60),
})
export type Retry = z.output<typeof Retry>

const usd = z.number().min(0).max(1_000_000).nullable().default(null)

const settings = {
  target: z.object({
    kind: TargetKind.default('agent'),
    id: z.string().min(1).max(200).nullable().default(null),
  }),
  delivery: z.object({
    /** `none`, `chat`, `email`, `webhook` or the id of a channel. */
    channel: z.string().min(1).max(200).default('none'),
    format: z.enum(['text', 'markdown', 'json', 'summary']).default('text'),
    /** Email: addresses with commas between, by default the sender's own. Chat: the id of a conversation. */
    to: z.string().trim().min(1).max(1_000).nullable().default(null),
    /** Webhook: where the result is sent. */
    url: z.string().trim().max(2_000).nullable().default(null),
    /** Webhook: signs what is sent. Kept sealed and shown as dots; left out, it stays as it is. */
    secret: z.string().min(8).max(1_000).nullable().optional(),
  }),
  condition: z
    .object({
      type: z.enum(['expression', 'http', 'file_changed', 'previous_status']),
      expression: z.string().min(1).max(4_000),
    })
    .nullable(),
  retry: Retry,
  misfire: Misfire,
  overlap: z.enum(['skip', 'buffer_one', 'allow', 'cancel_other']),
  jitter_seconds: z.number().int().min(0).max(3_600),
  timeout_seconds: z
    .number()
    .int()
    .min(1)
    .max(7 * 24 * 3_600),
  max_runs: z.number().int().min(1).nullable(),
  ends_at: z.iso.datetime({ offset: true }).nullable(),
  /** Failures in a row; null never. */
  auto_pause_after: z.number().int().min(1).max(1_000).nullable(),
  execution_mode: ExecutionMode,
  /** `provider/model`, or null for the agent's own. */
  model: z.string().min(1).max(264).nullable(),
  budget: z.object({ run_usd: usd, daily_usd: usd }).nullable(),
  tags: z.array(z.string().trim().min(1).max(64)).max(20),
}

/** What a job does beyond its name, goal and schedule. */
export const JobSettings = z.object(settings)
export type JobSettings = z.output<typeof JobSettings>
export type Delivery = JobSettings['delivery']

const text = {
  name: z.string().trim().min(1).max(200),
  goal: z
    .string()
    .max(messageLimit / 4)
    .refine((goal) => goal.trim() !== '', 'must not be empty'),
}

export const Job = z.object({
  id: z.string(),
  ...text,
  schedule: Schedule,
  /** The schedule in words, on the clock of its own zone. */
  human_readable: z.string(),
  status: JobStatus,
  /** Why it is paused, where that was not a person's wish. */
  paused_reason: z.string().nullable(),
  agent_id: z.string().nullable(),
  next_run_at: z.string().nullable(),
  last_run_at: z.string().nullable(),
  last_status: z.string().nullable(),
  run_count: z.number().int(),
  consecutive_failures: z.number().int(),
  ...settings,
  created_at: z.string(),
  updated_at: z.string(),
})
export type Job = z.output<typeof Job>

export const NewJob = z.object({
  ...text,
  schedule: Schedule,
  agent_id: z.string().max(200).optional(),
  target: settings.target.prefault({}),
  delivery: settings.delivery.prefault({}),
  condition: settings.condition.default(null),
  retry: Retry.prefault({}),
  misfire: Misfire.prefault({}),
  overlap: settings.overlap.default('skip'),
  jitter_seconds: settings.jitter_seconds.default(0),
  timeout_seconds: settings.timeout_seconds.default(3_600),
  max_runs: settings.max_runs.default(null),
  ends_at: settings.ends_at.default(null),
  auto_pause_after: settings.auto_pause_after.default(10),
  execution_mode: settings.execution_mode.default('auto'),
  model: settings.model.default(null),
  budget: settings.budget.default(null),
  tags: settings.tags.default([]),
})
export type NewJob = z.output<typeof NewJob>

export const JobChanges = z
  .object({ ...text, schedule: Schedule, agent_id: z.string().max(200), ...settings })
  .partial()
export type JobChanges = z.output<typeof JobChanges>
