import { z } from 'zod'
import { readBytes } from '../../runtime/http/body.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { receiveHook } from '../../runtime/workflows/webhook.ts'

/** Bytes of a message. */
const limit = 256 * 1024

const hook = <const Verb extends 'GET' | 'POST' | 'PUT'>(method: Verb) =>
  endpoint({
    method,
    path: '/api/workflows/hooks/{token}',
    summary: 'Start the workflow with this address',
    access: 'public',
    ...(method !== 'GET' && { body_kind: 'raw' as const }),
    idempotent: false,
    status: 202,
    returns: z.object({ execution_id: z.string() }),
    async run({ params, request, reply }, context) {
      const bytes = await readBytes(request, limit)
      return reply(await receiveHook(context, params.token, { request, bytes }), { status: 202 })
    },
  })

export const getHook = hook('GET')
export const postHook = hook('POST')
export const putHook = hook('PUT')
