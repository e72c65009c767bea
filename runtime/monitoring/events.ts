import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const mark = z.object({
  budget_id: z.string(),
  scope: z.object({ kind: z.string(), id: z.string().nullable() }),
  window: z.string(),
  action: z.string(),
  pct: z.number(),
  used: z.object({ usd: z.number(), tokens: z.number() }),
  limit_usd: z.number().nullable(),
  limit_tokens: z.number().nullable(),
})

const alert = z.object({
  alert_id: z.string(),
  name: z.string(),
  condition: z.string(),
  threshold: z.number(),
  period_minutes: z.number(),
  value: z.number().nullable(),
  /** The condition in words, and the value with its unit. */
  summary: z.string(),
  value_text: z.string().nullable(),
})

/** Payload of every event of this area, by type. */
export const monitoringEvents = {
  'budget.changed': z.object({ budget_id: z.string() }),
  'budget.warning': mark,
  'budget.exceeded': mark,
  'alert.changed': z.object({ alert_id: z.string() }),
  'alert.fired': alert,
  /** `by`: who resolved it; null if its condition cleared. */
  'alert.resolved': alert.extend({ by: z.string().nullable() }),
  'daemon.started': z.object({ version: z.string() }),
  'daemon.stopping': z.object({ version: z.string() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof monitoringEvents> {}
}
