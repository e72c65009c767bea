import type { Context } from '../../runtime/context.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { showForm, submitForm } from '../../runtime/workflows/forms.ts'
import { originsOf } from '../../runtime/workflows/origins.ts'
import { Resumed, receiveCall } from '../../runtime/workflows/webhook.ts'

const page = {
  access: 'public',
  returns: file('text/html'),
  origins: ({ token = '' }: Record<string, string>, context: Context) => originsOf(context, 'form', token),
} as const

export const getForm = endpoint('GET /api/workflows/forms/{token}', {
  ...page,
  summary: 'Show the form with this address, or the next page of an execution',
  run: async ({ params }, context) => showForm(context, params.token),
})

export const postForm = endpoint('POST /api/workflows/forms/{token}', {
  ...page,
  summary: 'Answer the form with this address',
  body_kind: 'raw',
  idempotent: false,
  run: async ({ params, request }, context) => submitForm(context, params.token, request),
})

const call = <const Verb extends 'GET' | 'POST'>(method: Verb) =>
  endpoint(`${method} /api/workflows/resume/{token}`, {
    summary: 'Continue the execution with this address, which waits for a call',
    access: 'public',
    ...(method === 'POST' && { body_kind: 'raw' as const }),
    idempotent: false,
    status: 202,
    returns: Resumed,
    run: async ({ params, request }, context) => receiveCall(context, params.token, request),
  })

export const getCall = call('GET')
export const postCall = call('POST')
