import { receiveWebhook } from '../../runtime/channels/receive.ts'
import { readBytes } from '../../runtime/http/body.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'

/** Maximum size of a platform's request, in bytes. */
const limit = 256 * 1024

const webhook = <const Verb extends 'GET' | 'POST'>(method: Verb) =>
  endpoint({
    method,
    path: '/api/channels/{platform}/webhook/{channel_id}',
    summary: 'Receive messages from a platform, which signs its requests',
    access: 'public',
    ...(method !== 'GET' && { body_kind: 'raw' as const }),
    idempotent: false,
    returns: file('*/*'),
    async run({ params, request }, context) {
      const { url, headers } = request
      const body = await readBytes(request, limit)
      return receiveWebhook(context, params, { method, url: new URL(url), headers, body })
    },
  })

export const getWebhook = webhook('GET')
export const postWebhook = webhook('POST')
