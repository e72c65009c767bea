import { z } from 'zod'

export const EdgeType = z.enum(['on_success', 'on_failure', 'on_complete'])
export type EdgeType = z.output<typeof EdgeType>

const jobId = z.string().min(1).max(200)

export const Edge = z.object({ from: jobId, to: jobId, type: EdgeType.default('on_success') })
export type Edge = z.output<typeof Edge>

export const NewChain = z.object({
  name: z.string().trim().min(1).max(200),
  jobs: z.array(jobId).min(1).max(200),
  edges: z.array(Edge).max(2_000).default([]),
  /** Whether it also goes on behind a run that the own schedule of one of its first jobs has started. */
  on_schedule: z.boolean().default(true),
})
export type NewChain = z.output<typeof NewChain>

/** `running`, then as its run has ended; `left_out` when nothing led to it. */
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

export const Chain = z.object({
  id: z.string(),
  name: z.string(),
  jobs: z.array(z.string()),
  edges: z.array(Edge),
  on_schedule: z.boolean(),
  created_at: z.string(),
  last_run: ChainRun.nullable(),
})
export type Chain = z.output<typeof Chain>
