import { z } from 'zod'

export const JobKind = z.enum(['generate', 'consolidate'])
export type JobKind = z.infer<typeof JobKind>

export const MemoryJob = z.object({
  id: z.string(),
  kind: JobKind,
  /** Only the episodes or conversations of this agent. */
  agent_id: z.string().nullable(),
  params: z.record(z.string(), z.unknown()),
  status: z.enum(['running', 'done', 'error']),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  progress: z.object({ phase: z.string(), done: z.number().int(), total: z.number().int() }),
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
})
export type MemoryJob = z.infer<typeof MemoryJob>

export const JobAnswer = z.object({ job: MemoryJob })
export const JobOrNone = z.object({ job: MemoryJob.nullable() })

const agent_id = z.string().min(1).max(64).optional()

export const GenerateRequest = z.object({ agent_id })

export const ConsolidateRequest = z.object({
  agent_id,
  /** Makes the graph anew from nothing; `POST /api/memory/undo` brings the old one back. */
  wipe: z.boolean().default(false),
})

export const BackfillRequest = z.object({
  agent_id,
  /** Episodes at most; default all that were not read. */
  limit: z.number().int().min(1).max(1_000_000).optional(),
  /** Reads also what was read already. */
  force: z.boolean().default(false),
})

/** What a job is to do; kept with its unit of work, so that any daemon may run it. */
export const JobOrder = z.discriminatedUnion('task', [
  GenerateRequest.extend({ task: z.literal('generate') }),
  ConsolidateRequest.extend({ task: z.literal('consolidate') }),
  BackfillRequest.extend({ task: z.literal('backfill') }),
])
export type JobOrder = z.output<typeof JobOrder>
export type OrderOf<Task extends JobOrder['task']> = Extract<JobOrder, { task: Task }>
