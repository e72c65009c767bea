import { z } from 'zod'
import { incomingWebhooks } from '../../runtime/hooks/incoming.ts'
import {
  Capture,
  capture as captureMessages,
  Preview,
  previewIncoming,
  replay as replayOne,
  showReceived,
} from '../../runtime/hooks/incoming-verbs.ts'
import { Previewed } from '../../runtime/hooks/preview.ts'
import { receiveMessage } from '../../runtime/hooks/receive.ts'
import { listReceived, Received, ReceivedDetails } from '../../runtime/hooks/received-store.ts'
import { endpointsOf, logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const receive = endpoint('POST /api/webhooks/in/{path_token}', {
  summary: 'Send a message to an incoming webhook',
  access: 'public',
  body_kind: 'raw',
  idempotent: false,
  status: 202,
  returns: z.union([z.object({ delivery_id: z.string() }), z.object({ challenge: z.string() })]),
  async run({ params, request, reply }, context) {
    const { delivery_id, challenge } = await receiveMessage(context, params.path_token, request)
    return challenge === null ? reply({ delivery_id }, { status: 202 }) : reply({ challenge }, { status: 200 })
  },
})

export const { list, show, create, update, remove } = endpointsOf(incomingWebhooks)

export const capture = verbOf(incomingWebhooks, 'capture', {
  summary: 'Capture messages for some minutes: they are recorded but start nothing',
  body: Capture,
  body_optional: true,
  run: captureMessages,
})

export const preview = verbOf(incomingWebhooks, 'preview', {
  summary: 'Preview an action: render its templates from a message without starting it',
  body: Preview,
  returns: Previewed,
  run: previewIncoming,
})

export const received = logOf(incomingWebhooks, 'deliveries', {
  summary: 'List the received messages of an incoming webhook, newest first',
  item: Received,
  rows: listReceived,
})

export const receivedMessage = endpoint('GET /api/webhooks/incoming/{id}/deliveries/{delivery_id}', {
  summary: 'Get a received message with its body and result',
  returns: ReceivedDetails,
  run: ({ params }, context) => showReceived(context, params.id, params.delivery_id),
})

export const replay = endpoint('POST /api/webhooks/incoming/{id}/deliveries/{delivery_id}/replay', {
  summary: 'Process a received message again with the current action',
  returns: Received,
  status: 202,
  run: ({ params }, context) => replayOne(context, params.id, params.delivery_id),
})
