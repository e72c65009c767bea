import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'
import { InstallJob } from './schema.ts'

export const featuresEvents = {
  'feature.installed': z.object({
    pack_id: z.string(),
    packages: z.array(z.object({ name: z.string(), version: z.string() })),
  }),
  'feature.job.updated': z.object({ job: InstallJob }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof featuresEvents> {}
}
