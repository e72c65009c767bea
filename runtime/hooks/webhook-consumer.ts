import type { StoredEvent } from '../events/commit.ts'
import { consumeEvents } from '../events/consumer.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { isFor } from './event-types.ts'
import { batchFilter } from './filter.ts'
import { deliveryWork } from './kinds.ts'
import { enabledWebhooks, insertDelivery, type StoredDelivery } from './webhook-store.ts'

/** Queues a delivery for each event that matches a webhook, in the order of the events. */
export const webhookEvents = consumeEvents({
  name: 'webhooks',
  types: async (host) => [...new Set((await enabledWebhooks(host)).flatMap(({ events }) => events))],
  async consume(events, host) {
    const statements: Statement[] = []
    const passes = batchFilter(host)
    const now = host.clock.now()
    for (const webhook of await enabledWebhooks(host)) {
      const before = statements.length
      for (const event of events)
        if (isFor(webhook, event) && (await passes(webhook, event)))
          statements.push(insertDelivery(newDelivery(host, webhook.id, event)))
      if (statements.length > before) statements.push(deliveryWork(host, webhook, now))
    }
    return { statements }
  },
})

/** A delivery that is due now. */
export function newDelivery(
  { clock }: Pick<Host, 'clock'>,
  webhook_id: string,
  { type, ts, data }: Pick<StoredEvent, 'type' | 'ts' | 'data'>,
): StoredDelivery {
  const now = clock.now()
  return {
    id: newId('dlv', now),
    webhook_id,
    event_type: type,
    payload: JSON.stringify({ type, timestamp: ts, data }),
    status: 'pending',
    attempt: 0,
    attempts: [],
    next_attempt_at: iso(now),
    created_at: iso(now),
    completed_at: null,
  }
}
