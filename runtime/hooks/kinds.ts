import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { enqueueOnce } from '../work/select.ts'

/** Work that sends what is due for the webhook that is its subject and its lane. */
export const webhookKind = 'hooks.webhook'

/** Work that starts what a received message is to start. Its subject is the delivery, its lane the webhook. */
export const incomingKind = 'hooks.incoming'

/** Work that runs a hook for an event. Its subject is the run, its lane the hook. */
export const hookKind = 'hooks.run'

export const secretPurpose = 'webhook secret'

/** Queues the deliveries of a webhook, unless they are queued for then or earlier. */
export const deliveryWork = (
  host: Pick<Host, 'clock'>,
  { id, owner_id }: { id: string; owner_id: string },
  due: number,
): Statement =>
  enqueueOnce(
    host,
    { kind: webhookKind, subject: id, lane: id, owner_id, due },
    { or_sooner: true, per_subject: true },
  )
