import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'
import { MemoryJob } from './schema.ts'

const episode = z.object({ episode_id: z.string(), agent_id: z.string().nullable() })
const changed = episode.extend({ source: z.string() })

/** Payload of every event of this area, by type. */
export const memoryEvents = {
  'memory.episode.created': changed,
  'memory.episode.updated': changed,
  'memory.episode.deleted': changed,
  'memory.episode.restored': changed,
  'memory.episode.feedback': episode.extend({ used: z.boolean() }),
  'memory.episodes.imported': z.object({ episode_ids: z.array(z.string()) }),
  'memory.retention.progress': z.object({ phase: z.enum(['running', 'done']), forgotten: z.int() }),
  'memory.cleared': z.object({ cleared: z.int() }),
  'memory.job.updated': z.object({ job: MemoryJob }),
  'memory.graph.restored': z.object({}),
  'memory.consolidated': z.object({ job_id: z.string(), result: z.record(z.string(), z.unknown()) }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof memoryEvents> {}
}
