import { z } from 'zod'

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

/** One due time, or one try of it: each leaves a row whatever happens. */
export const Run = z.object({
  id: z.string(),
  job_id: z.string(),
  status: RunStatus,
  trigger: RunTrigger,
  scheduled_for: z.string(),
  attempt: z.number().int(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  duration_seconds: z.number().nullable(),
  output: z.string().nullable(),
  /** What went wrong; of a run that was skipped or missed: why. */
  error: z.string().nullable(),
  conversation_id: z.string().nullable(),
  message_id: z.string().nullable(),
  delivery_status: DeliveryStatus,
  delivery_attempts: z.number().int(),
  delivery_error: z.string().nullable(),
  delivered_at: z.string().nullable(),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  cost_usd: z.number(),
  created_at: z.string(),
})
export type Run = z.output<typeof Run>

/** As the interface shows it: also whether a person is asked before it can go on. */
export const ShownRun = Run.extend({ waiting_approval: z.boolean() })
export type ShownRun = z.output<typeof ShownRun>

/** How a run has ended. */
export interface RunEnd {
  status: Exclude<RunStatus, 'queued' | 'running' | 'missed'>
  output?: string | null
  error?: string | null
  input_tokens?: number
  output_tokens?: number
  cost_usd?: number
  /** Another try would end the same way. */
  final?: boolean
}

export const isOpen = ({ status }: Pick<Run, 'status'>): boolean =>
  status === 'queued' || status === 'running'

export const isFailure = (status: RunStatus): boolean =>
  status === 'failed' || status === 'timed_out' || status === 'lost'
