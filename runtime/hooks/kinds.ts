import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { enqueueOnce } from '../work/select.ts'

/** Work that sends a webhook's due deliveries. Its subject and its lane are the webhook. */
export const webhookKind = 'hooks.webhook'

/** Work that starts the action of a received message. Its subject is the delivery, its lane the webhook. */
export const incomingKind = 'hooks.incoming'

/** Work that runs a hook for an event. Its subject is the run, its lane the hook. */
export const hookKind = 'hooks.run'

/** Queues the deliveries of a webhook, unless they are already queued for that time or earlier. */
export const deliveryWork = (
  host: Pick<Host, 'clock'>,
  { id, owner_id }: { id: string; owner_id: string },
  due: number,
): Statement =>
  enqueueOnce(host, { kind: webhookKind, subject: id, lane: id, owner_id, due }, { or_sooner: true, per_subject: true })
