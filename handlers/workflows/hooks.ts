import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { originsOf } from '../../runtime/workflows/origins.ts'
import { receiveHook } from '../../runtime/workflows/webhook.ts'

const hook = <const Verb extends 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>(method: Verb) =>
  endpoint(`${method} /api/workflows/hooks/{token}`, {
    summary: 'Start the workflow with this address',
    access: 'public',
    ...(method !== 'GET' && { body_kind: 'raw' as const }),
    idempotent: false,
    origins: ({ token = '' }, context) => originsOf(context, 'webhook', token),
    status: 202,
    returns: file({ 'application/json': z.object({ execution_id: z.string() }) }, '*/*'),
    run: async ({ params, request }, context) => receiveHook(context, params.token, request),
  })

export const getHook = hook('GET')
export const postHook = hook('POST')
export const putHook = hook('PUT')
export const patchHook = hook('PATCH')
export const deleteHook = hook('DELETE')
