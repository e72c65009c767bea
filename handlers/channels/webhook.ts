import { receiveWebhook } from '../../runtime/channels/receive.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'

const webhook = <const Verb extends 'GET' | 'POST'>(method: Verb) =>
  endpoint(`${method} /api/channels/{platform}/webhook/{channel_id}`, {
    summary: 'Receive messages from a platform that signs its requests',
    access: 'public',
    ...(method !== 'GET' && { body_kind: 'raw' as const }),
    idempotent: false,
    returns: file('*/*'),
    run: ({ params, request }, context) => receiveWebhook(context, params, request),
  })

export const getWebhook = webhook('GET')
export const postWebhook = webhook('POST')
