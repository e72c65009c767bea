import { z } from 'zod'
import { eventTypes } from '../../runtime/hooks/event-types.ts'
import {
  Delivery,
  DeliveryDetails,
  DeliveryStatus,
  NewWebhook,
  Rotation,
  Webhook,
  WebhookChanges,
  WebhookWithSecret,
} from '../../runtime/hooks/schema.ts'
import { deliveryDetails, listDeliveries, listWebhooks } from '../../runtime/hooks/webhook-store.ts'
import {
  addWebhook,
  editWebhook,
  publicWebhook,
  redeliver as redeliverOne,
  removeWebhook,
  requireDelivery,
  requireWebhook,
  rotateSecret,
  showWebhook,
  testWebhook,
} from '../../runtime/hooks/webhooks.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'

export const events = endpoint({
  method: 'GET',
  path: '/api/webhooks/events',
  summary: 'List the event types that webhooks and hooks can receive',
  owner: 'none',
  returns: z.object({ events: z.array(z.string()), count: z.number().int() }),
  async run(_, context) {
    const types = await eventTypes(context)
    return { events: types, count: types.length }
  },
})

export const list = endpoint({
  method: 'GET',
  path: '/api/webhooks',
  summary: 'List outgoing webhooks, newest first',
  query: pageQuery(),
  returns: listOf('webhooks', Webhook),
  async run({ query }, context) {
    const { webhooks, total } = await listWebhooks(context, query)
    return {
      webhooks: webhooks.map(({ webhook, counts }) => publicWebhook(webhook, counts)),
      total,
      ...query,
    }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/webhooks',
  summary: 'Create an outgoing webhook; its secret is shown once',
  body: NewWebhook,
  returns: WebhookWithSecret,
  status: 201,
  run: ({ body }, context) => addWebhook(context, body),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/webhooks/{id}',
  summary: 'Get an outgoing webhook',
  returns: Webhook,
  run: ({ params }, context) => showWebhook(context, params.id),
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/webhooks/{id}',
  summary: 'Change an outgoing webhook',
  body: WebhookChanges,
  returns: Webhook,
  run: ({ params, body }, context) => editWebhook(context, params.id, body),
})

export const remove = removal({
  path: '/api/webhooks/{id}',
  summary: 'Delete an outgoing webhook with its deliveries',
  remove: removeWebhook,
})

export const rotate = endpoint({
  method: 'POST',
  path: '/api/webhooks/{id}/rotate-secret',
  summary: 'Replace the secret; for some time deliveries are signed with both',
  body: Rotation,
  body_optional: true,
  returns: WebhookWithSecret,
  run: ({ params, body }, context) => rotateSecret(context, params.id, body),
})

export const test = endpoint({
  method: 'POST',
  path: '/api/webhooks/{id}/test',
  summary: 'Send a test event once and get the response',
  returns: DeliveryDetails,
  acts_outside: true,
  run: ({ params }, context) => testWebhook(context, params.id),
})

export const deliveries = endpoint({
  method: 'GET',
  path: '/api/webhooks/{id}/deliveries',
  summary: 'List the deliveries of a webhook, newest first',
  query: pageQuery().extend({ status: DeliveryStatus.optional() }),
  returns: listOf('deliveries', Delivery),
  async run({ params, query }, context) {
    await requireWebhook(context, params.id)
    const { limit, offset } = query
    return { ...(await listDeliveries(context, params.id, query)), limit, offset }
  },
})

export const delivery = endpoint({
  method: 'GET',
  path: '/api/webhooks/{id}/deliveries/{delivery_id}',
  summary: 'Get a delivery with its payload and attempts',
  returns: DeliveryDetails,
  run: async ({ params }, context) =>
    deliveryDetails(await requireDelivery(context, params.id, params.delivery_id)),
})

export const redeliver = endpoint({
  method: 'POST',
  path: '/api/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  summary: 'Send an ended delivery again with the same id',
  returns: Delivery,
  status: 202,
  run: ({ params }, context) => redeliverOne(context, params.id, params.delivery_id),
})
