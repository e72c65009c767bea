import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { serveMcp } from '../../runtime/settings/mcp/serving/serve.ts'

const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number().int()]).optional(),
  method: z.string().optional(),
})

export const send = endpoint({
  method: 'POST',
  path: '/mcp',
  summary: 'Use hearthd as a server of the Model Context Protocol, over Streamable HTTP',
  access: 'read',
  body: z.union([Message, z.array(Message).min(1).max(100)]),
  idempotent: false,
  returns: file('text/event-stream'),
  run: ({ request, body }, context) => serveMcp(request, body, context),
})
