import { z } from 'zod'
import { requireConversation } from '../../runtime/chat/conversations.ts'
import { injectMessage, truncateMessages } from '../../runtime/chat/edit.ts'
import { listMessages, searchMessages } from '../../runtime/chat/message-store.ts'
import { InjectRequest, Message, TruncateRequest } from '../../runtime/chat/schema.ts'
import { welcome as greet } from '../../runtime/chat/welcome.ts'
import { badRequest } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/chat/conversations/{id}/messages',
  summary: 'Messages of a conversation, the latest before a given one, oldest first',
  params: z.object({ id: z.string() }),
  query: z.object({
    before: z.string().optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  returns: z.object({ messages: z.array(Message), total: z.number().int(), limit: z.number().int() }),
  async run({ params, query }, context) {
    const { message_count } = await requireConversation(context, params.id)
    const messages = await listMessages(context, params.id, query)
    return Response.json({ messages, total: message_count, limit: query.limit })
  },
})

export const inject = endpoint({
  method: 'POST',
  path: '/api/chat/messages/inject',
  summary: 'Add a message without an answer',
  body: InjectRequest,
  returns: Message,
  status: 201,
  async run({ body }, context) {
    return Response.json(await injectMessage(context, body), { status: 201 })
  },
})

export const truncate = endpoint({
  method: 'POST',
  path: '/api/chat/messages/truncate',
  summary: 'Remove messages from the end or the beginning',
  body: TruncateRequest,
  returns: z.object({ removed: z.number().int(), remaining: z.number().int() }),
  async run({ body }, context) {
    return Response.json(await truncateMessages(context, body))
  },
})

export const welcome = endpoint({
  method: 'POST',
  path: '/api/chat/welcome',
  summary: 'A greeting of an agent',
  body: z.object({ agent_id: z.string().optional(), conversation_id: z.string().optional() }),
  body_optional: true,
  returns: z.object({ message: Message }),
  async run({ body }, context) {
    return Response.json({ message: await greet(context, body) })
  },
})

const Found = z.object({
  conversation_id: z.string(),
  conversation_title: z.string(),
  message_id: z.string(),
  role: z.string(),
  excerpt: z.string(),
  created_at: z.string(),
})

export const search = endpoint({
  method: 'GET',
  path: '/api/chat/search',
  summary: 'Messages that hold a text',
  query: pageQuery().extend({ q: z.string().max(200).default('') }),
  returns: listOf('results', Found),
  async run({ query }, context) {
    if (query.q.trim() === '') throw badRequest('q must be the text to look for')
    const { limit, offset } = query
    return Response.json({ ...(await searchMessages(context, query.q, query)), limit, offset })
  },
})
