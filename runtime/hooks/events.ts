import { z } from 'zod'
import { changeEvents } from '../collection.ts'
import type { EventsOf } from '../events/event.ts'

const hook = z.object({ hook_id: z.string() })
const webhook = z.object({ webhook_id: z.string() })
const delivery = webhook.extend({ delivery_id: z.string(), status: z.string() })

/** Payloads of this area's events, by type. They trigger no hooks and are not sent to webhooks. */
export const hooksEvents = {
  ...changeEvents('hook', 'hook_id'),
  'hook.run.updated': hook.extend({ run_id: z.string(), status: z.string() }),
  ...changeEvents('webhook', 'webhook_id'),
  'webhook.disabled': webhook.extend({ name: z.string(), reason: z.string() }),
  'webhook.delivery.updated': delivery,
  ...changeEvents('webhook.incoming', 'webhook_id'),
  'webhook.incoming.received': delivery,
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof hooksEvents> {}
}
