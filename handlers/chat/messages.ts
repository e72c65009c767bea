import { z } from 'zod'
import { requireConversation } from '../../runtime/chat/conversations.ts'
import { injectMessage, readPage, truncateMessages } from '../../runtime/chat/messages.ts'
import { InjectRequest, Message, TruncateRequest } from '../../runtime/chat/schema.ts'
import { FoundMessage, searchMessages } from '../../runtime/chat/search.ts'
import { welcome as greet } from '../../runtime/chat/welcome.ts'
import { badRequest } from '../../runtime/fault.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'
import { reference } from '../../runtime/references.ts'

const place = z.string().optional()

export const list = endpoint('GET /api/chat/conversations/{id}/messages', {
  summary: 'List messages of a conversation, oldest first: the latest, or those before, after or around a given one',
  query: z
    .object({
      before: place,
      after: place,
      around: place,
      limit: z.coerce.number().int().min(1).max(200).default(50),
    })
    .refine(
      ({ before, after, around }) => [before, after, around].filter((one) => one !== undefined).length <= 1,
      'give one of before, after and around',
    ),
  returns: z.object({
    messages: z.array(Message),
    total: z.int(),
    limit: z.int(),
    has_older: z.boolean(),
    has_newer: z.boolean(),
  }),
  async run({ params, query }, context) {
    const { message_count } = await requireConversation(context, params.id)
    const page = await readPage(context, params.id, query)
    return { ...page, total: message_count, limit: query.limit }
  },
})

export const inject = endpoint('POST /api/chat/messages/inject', {
  summary: 'Add a message without starting an answer',
  body: InjectRequest,
  returns: Message,
  status: 201,
  run: ({ body }, context) => injectMessage(context, body),
})

export const truncate = endpoint('POST /api/chat/messages/truncate', {
  summary: 'Remove messages from the end or the beginning',
  body: TruncateRequest,
  returns: z.object({ removed: z.int(), remaining: z.int() }),
  run: ({ body }, context) => truncateMessages(context, body),
})

export const welcome = endpoint('POST /api/chat/welcome', {
  summary: 'Get a greeting of an agent',
  body: z.object({
    agent_id: reference('agent').optional(),
    conversation_id: reference('conversation').optional(),
  }),
  body_optional: true,
  returns: z.object({ message: Message }),
  run: async ({ body }, context) => ({ message: await greet(context, body) }),
})

export const search = listing({
  path: '/api/chat/search',
  summary: 'Search messages that contain all words of a text, the latest first',
  items: 'results',
  item: FoundMessage,
  query: pageQuery().extend({ q: z.string().max(20_000).default('') }),
  async rows(context, query) {
    if (query.q.trim() === '') throw badRequest('q must be the text to search for')
    return searchMessages(context, query.q, query)
  },
})
