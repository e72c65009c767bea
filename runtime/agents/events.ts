import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

/** Payload of every event of this area, by type. */
export const agentsEvents = {
  'agent.created': z.object({ agent_id: z.string(), name: z.string() }),
  'agent.updated': z.object({ agent_id: z.string() }),
  'agent.deleted': z.object({ agent_id: z.string() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof agentsEvents> {}
}
