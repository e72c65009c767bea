import { consumeEvents } from '../events/consumer.ts'
import type { Statement } from '../ports/sql.ts'
import { insertDelivery, newDelivery } from './delivery-store.ts'
import { withDetails } from './event-details.ts'
import { isFor } from './event-types.ts'
import { batchFilter } from './filter.ts'
import { deliveryWork } from './kinds.ts'
import { enabledWebhooks, type StoredWebhook } from './webhooks.ts'

/** Queues a delivery for each event that matches a webhook, in the order of the events. */
export const webhookEvents = consumeEvents({
  name: 'webhooks',
  retyped_by: ['webhook.created', 'webhook.updated', 'webhook.deleted'],
  types: async (host) => [...new Set((await enabledWebhooks(host)).flatMap(({ events }) => events))],
  async consume(events, host) {
    const statements: Statement[] = []
    const passes = batchFilter(host)
    const now = host.clock.now()
    const webhooks = await enabledWebhooks(host)
    const due = new Set<StoredWebhook>()
    for (const stored of events) {
      const subscribers = webhooks.filter((webhook) => isFor(webhook, stored))
      if (subscribers.length === 0) continue
      const event = await withDetails(host, stored)
      for (const webhook of subscribers) {
        if (!(await passes(webhook, event))) continue
        statements.push(insertDelivery(newDelivery(host, webhook.id, event)))
        due.add(webhook)
      }
    }
    return { statements: [...statements, ...[...due].map((webhook) => deliveryWork(host, webhook, now))] }
  },
})
