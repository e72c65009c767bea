import type { StoredEvent } from '../events/commit.ts'
import { consumeEvents } from '../events/consumer.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { withDetails } from './event-details.ts'
import { isFor } from './event-types.ts'
import { batchFilter } from './filter.ts'
import { deliveryWork } from './kinds.ts'
import { enabledWebhooks, insertDelivery, type StoredDelivery, type StoredWebhook } from './webhook-store.ts'

/** Queues a delivery for each event that matches a webhook, in the order of the events. */
export const webhookEvents = consumeEvents({
  name: 'webhooks',
  types: async (host) => [...new Set((await enabledWebhooks(host)).flatMap(({ events }) => events))],
  async consume(events, host) {
    const statements: Statement[] = []
    const passes = batchFilter(host)
    const now = host.clock.now()
    const webhooks = await enabledWebhooks(host)
    const due = new Set<StoredWebhook>()
    for (const found of events) {
      const subscribers = webhooks.filter((webhook) => isFor(webhook, found))
      if (subscribers.length === 0) continue
      const event = await withDetails(host, found)
      for (const webhook of subscribers) {
        if (!(await passes(webhook, event))) continue
        statements.push(insertDelivery(newDelivery(host, webhook.id, event)))
        due.add(webhook)
      }
    }
    return { statements: [...statements, ...[...due].map((webhook) => deliveryWork(host, webhook, now))] }
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
