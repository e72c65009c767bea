import { z } from 'zod'
import {
  addIncoming,
  capture as captureMessages,
  editIncoming,
  previewIncoming,
  publicIncoming,
  removeIncoming,
  replay as replayOne,
  requireIncoming,
  showReceived,
} from '../../runtime/hooks/incoming.ts'
import {
  Incoming,
  IncomingChanges,
  NewIncoming,
  Preview,
  Previewed,
  Received,
  ReceivedDetails,
} from '../../runtime/hooks/incoming-schema.ts'
import { listIncoming, listReceived } from '../../runtime/hooks/incoming-store.ts'
import { receiveMessage } from '../../runtime/hooks/receive.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'

export const receive = endpoint({
  method: 'POST',
  path: '/api/webhooks/in/{path_token}',
  summary: 'Send a message to an incoming webhook',
  access: 'public',
  body_kind: 'raw',
  idempotent: false,
  status: 202,
  returns: z.union([z.object({ delivery_id: z.string() }), z.object({ challenge: z.string() })]),
  async run({ params, request, reply }, context) {
    const { delivery_id, challenge } = await receiveMessage(context, params.path_token, request)
    return challenge === null
      ? reply({ delivery_id }, { status: 202 })
      : reply({ challenge }, { status: 200 })
  },
})

export const listIncomingWebhooks = endpoint({
  method: 'GET',
  path: '/api/webhooks/incoming',
  summary: 'List incoming webhooks, newest first',
  query: pageQuery(),
  returns: listOf('webhooks', Incoming),
  async run({ query }, context) {
    const { rows: webhooks, total } = await listIncoming(context, query)
    const shown = await Promise.all(webhooks.map((webhook) => publicIncoming(context, webhook)))
    return { webhooks: shown, total, ...query }
  },
})

export const createIncoming = endpoint({
  method: 'POST',
  path: '/api/webhooks/incoming',
  summary: 'Create an incoming webhook with its own address',
  body: NewIncoming,
  returns: Incoming,
  status: 201,
  run: ({ body }, context) => addIncoming(context, body),
})

export const showIncoming = endpoint({
  method: 'GET',
  path: '/api/webhooks/incoming/{id}',
  summary: 'Get an incoming webhook',
  returns: Incoming,
  run: async ({ params }, context) => publicIncoming(context, await requireIncoming(context, params.id)),
})

export const updateIncoming = endpoint({
  method: 'PUT',
  path: '/api/webhooks/incoming/{id}',
  summary: 'Change an incoming webhook; its address is kept',
  body: IncomingChanges,
  before: ({ params }, context) => requireIncoming(context, params.id),
  returns: Incoming,
  run: ({ params, body }, context) => editIncoming(context, params.id, body),
})

export const deleteIncoming = removal({
  path: '/api/webhooks/incoming/{id}',
  summary: 'Delete an incoming webhook with its received messages',
  remove: removeIncoming,
})

export const capture = endpoint({
  method: 'POST',
  path: '/api/webhooks/incoming/{id}/capture',
  summary: 'Capture messages for some minutes: they are recorded but start nothing',
  body: z.object({ minutes: z.number().min(0).max(1_440).default(30) }),
  body_optional: true,
  returns: Incoming,
  run: ({ params, body }, context) => captureMessages(context, params.id, body.minutes),
})

export const preview = endpoint({
  method: 'POST',
  path: '/api/webhooks/incoming/{id}/preview',
  summary: 'Preview an action: render its templates from a message without starting it',
  body: Preview,
  before: ({ params }, context) => requireIncoming(context, params.id),
  returns: Previewed,
  run: ({ params, body }, context) => previewIncoming(context, params.id, body),
})

export const received = endpoint({
  method: 'GET',
  path: '/api/webhooks/incoming/{id}/deliveries',
  summary: 'List the received messages of an incoming webhook, newest first',
  query: pageQuery(),
  returns: listOf('deliveries', Received),
  async run({ params, query }, context) {
    await requireIncoming(context, params.id)
    const { rows: deliveries, total } = await listReceived(context, params.id, query)
    return { deliveries, total, ...query }
  },
})

export const receivedMessage = endpoint({
  method: 'GET',
  path: '/api/webhooks/incoming/{id}/deliveries/{delivery_id}',
  summary: 'Get a received message with its body and result',
  returns: ReceivedDetails,
  run: ({ params }, context) => showReceived(context, params.id, params.delivery_id),
})

export const replay = endpoint({
  method: 'POST',
  path: '/api/webhooks/incoming/{id}/deliveries/{delivery_id}/replay',
  summary: 'Process a received message again with the current action',
  returns: Received,
  status: 202,
  run: ({ params }, context) => replayOne(context, params.id, params.delivery_id),
})
