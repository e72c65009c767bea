import { z } from 'zod'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'
import { listCalls } from '../../runtime/ledger/request-store.ts'
import { ModelCallRow } from '../../runtime/ledger/schema.ts'
import { ModelCallDetails, showCall } from '../../runtime/monitoring/calls.ts'

export const list = listing({
  path: '/api/monitoring/calls',
  summary: 'List the calls of models, newest first',
  items: 'calls',
  item: ModelCallRow,
  query: pageQuery().extend({
    conversation_id: z.string().optional(),
    message_id: z.string().optional(),
  }),
  rows: listCalls,
})

export const show = endpoint('GET /api/monitoring/calls/{id}', {
  summary: 'Get a call of a model with what was sent, and its tokens by part',
  returns: ModelCallDetails,
  run: ({ params }, context) => showCall(context, params.id),
})
