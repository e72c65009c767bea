import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const webhook = z.object({ webhook_id: z.string() })

const hook = z.object({ hook_id: z.string() })

/** Payloads of this area's events, by type. They trigger no hooks and are not sent to webhooks. */
export const hooksEvents = {
  'hook.created': hook.extend({ name: z.string() }),
  'hook.updated': hook,
  'hook.deleted': hook,
  'hook.run.updated': hook.extend({ run_id: z.string(), status: z.string() }),
  'webhook.created': webhook.extend({ name: z.string() }),
  'webhook.updated': webhook,
  'webhook.deleted': webhook,
  'webhook.disabled': webhook.extend({ name: z.string(), reason: z.string() }),
  'webhook.incoming.created': webhook.extend({ name: z.string() }),
  'webhook.incoming.updated': webhook,
  'webhook.incoming.deleted': webhook,
  'webhook.incoming.received': webhook.extend({ delivery_id: z.string(), status: z.string() }),
  'webhook.delivery.updated': webhook.extend({ delivery_id: z.string(), status: z.string() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof hooksEvents> {}
}
