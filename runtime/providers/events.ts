import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

/** Payload of every event of this area, by type. */
export const providersEvents = {
  'provider.updated': z.object({ provider: z.string() }),
  'provider.failover': z.object({ provider: z.string(), to: z.string().nullable(), heat: z.string() }),
  'provider.returned': z.object({ provider: z.string(), by: z.enum(['limit', 'person']) }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof providersEvents> {}
}
