import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'
import { Intent, Method, Status } from './schema.ts'

/** Payload of every event of this area, by type. */
export const dispatcherEvents = {
  'dispatcher.decision.created': z.object({
    decision_id: z.string(),
    intent: Intent,
    method: Method,
    status: Status,
  }),
  'dispatcher.rule.deleted': z.object({ rule_id: z.string() }),
  'dispatcher.decision.overridden': z.object({ decision_id: z.string(), intent: Intent }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof dispatcherEvents> {}
}
