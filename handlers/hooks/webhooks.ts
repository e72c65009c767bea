import { z } from 'zod'
import { eventTypes } from '../../runtime/events/types.ts'
import {
  Delivery,
  DeliveryDetails,
  DeliveryStatus,
  deliveryDetails,
  listDeliveries,
} from '../../runtime/hooks/delivery-store.ts'
import {
  addWebhook,
  Rotation,
  redeliver as redeliverOne,
  requireDelivery,
  rotateSecret,
  testWebhook,
} from '../../runtime/hooks/webhook-verbs.ts'
import { WebhookWithSecret, webhooks } from '../../runtime/hooks/webhooks.ts'
import { endpointsOf, logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const events = endpoint('GET /api/webhooks/events', {
  summary: 'List the event types that webhooks and hooks can receive',
  owner: 'none',
  returns: z.object({ events: z.array(z.string()), count: z.int() }),
  async run(_, context) {
    const types = await eventTypes(context)
    return { events: types, count: types.length }
  },
})

export const { list, show, update, remove } = endpointsOf(webhooks)

export const create = endpoint(`POST ${webhooks.path}`, {
  summary: webhooks.summaries.create,
  body: webhooks.New,
  returns: WebhookWithSecret,
  status: 201,
  run: ({ body }, context) => addWebhook(context, body),
})

export const rotate = verbOf(webhooks, 'rotate-secret', {
  summary: 'Replace the secret; for some time deliveries are signed with both',
  body: Rotation,
  body_optional: true,
  returns: WebhookWithSecret,
  run: rotateSecret,
})

export const test = verbOf(webhooks, 'test', {
  summary: 'Send a test event once and get the response',
  returns: DeliveryDetails,
  acts_outside: true,
  run: testWebhook,
})

export const deliveries = logOf(webhooks, 'deliveries', {
  summary: 'List the deliveries of a webhook, newest first',
  item: Delivery,
  query: { status: DeliveryStatus.optional() },
  rows: listDeliveries,
})

export const delivery = endpoint('GET /api/webhooks/{id}/deliveries/{delivery_id}', {
  summary: 'Get a delivery with its payload and attempts',
  returns: DeliveryDetails,
  run: async ({ params }, context) => deliveryDetails(await requireDelivery(context, params.id, params.delivery_id)),
})

export const redeliver = endpoint('POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver', {
  summary: 'Send an ended delivery again with the same id',
  returns: Delivery,
  status: 202,
  run: ({ params }, context) => redeliverOne(context, params.id, params.delivery_id),
})
