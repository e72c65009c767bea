import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'
import { MemoryJob } from './schema.ts'

/** Payload of every event of this area, by type. */
export const memoryEvents = {
  'memory.episode.created': z.object({
    episode_id: z.string(),
    agent_id: z.string().nullable(),
    source: z.string(),
  }),
  'memory.episode.updated': z.object({
    episode_id: z.string(),
    agent_id: z.string().nullable(),
    source: z.string(),
  }),
  'memory.episode.deleted': z.object({
    episode_id: z.string(),
    agent_id: z.string().nullable(),
    source: z.string(),
  }),
  'memory.episode.restored': z.object({
    episode_id: z.string(),
    agent_id: z.string().nullable(),
    source: z.string(),
  }),
  'memory.episode.feedback': z.object({
    episode_id: z.string(),
    agent_id: z.string().nullable(),
    used: z.boolean(),
  }),
  'memory.episodes.imported': z.object({ episode_ids: z.array(z.string()) }),
  'memory.retention.progress': z.object({ phase: z.enum(['running', 'done']), forgotten: z.number().int() }),
  'memory.cleared': z.object({ cleared: z.number().int() }),
  'memory.job.updated': z.object({ job: MemoryJob }),
  'memory.graph.restored': z.object({}),
  'memory.consolidated': z.object({ job_id: z.string(), result: z.record(z.string(), z.unknown()) }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof memoryEvents> {}
}
