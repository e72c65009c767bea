import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const ended = z.object({
  job_id: z.string(),
  name: z.string(),
  run_id: z.string(),
  trigger: z.string(),
  attempt: z.int(),
  scheduled_for: z.string().nullable(),
  conversation_id: z.string().nullable(),
  status: z.string(),
  error: z.string().nullable(),
  will_retry: z.boolean(),
})

const chainRun = z.object({
  chain_id: z.string(),
  name: z.string(),
  chain_run_id: z.string(),
  status: z.string(),
})

export const schedulerEvents = {
  'job.created': z.object({ job_id: z.string(), name: z.string() }),
  'job.updated': z.object({ job_id: z.string() }),
  'job.deleted': z.object({ job_id: z.string() }),
  'job.condition.failed': z.object({
    job_id: z.string(),
    name: z.string(),
    run_id: z.string(),
    condition: z.string(),
    error: z.string(),
  }),
  'job.run.started': z.object({
    job_id: z.string(),
    name: z.string(),
    run_id: z.string(),
    trigger: z.string(),
    attempt: z.int(),
    conversation_id: z.string().nullable(),
  }),
  'job.run.finished': ended,
  'job.run.failed': ended,
  'job.run.missed': z.object({
    job_id: z.string(),
    name: z.string(),
    run_id: z.string(),
    scheduled_for: z.string(),
    reason: z.string().nullable(),
  }),
  'job.run.delivered': z.object({
    job_id: z.string(),
    name: z.string(),
    run_id: z.string(),
    channel: z.string(),
    error: z.string().nullable(),
  }),
  'job.delivery.failed': z.object({
    job_id: z.string(),
    name: z.string(),
    run_id: z.string(),
    channel: z.string(),
    error: z.string().nullable(),
  }),
  'chain.run.finished': chainRun,
  'chain.run.failed': chainRun,
  'chain.created': z.object({ chain_id: z.string(), name: z.string() }),
  'chain.deleted': z.object({ chain_id: z.string() }),
  'chain.run.started': z.object({ chain_id: z.string(), name: z.string(), chain_run_id: z.string() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof schedulerEvents> {}
}
