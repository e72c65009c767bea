import { z } from 'zod'
import { listConversations } from '../../runtime/chat/conversation-store.ts'
import {
  addConversation,
  changeConversation,
  publicConversation,
  removeConversation,
  requireConversation,
} from '../../runtime/chat/conversations.ts'
import { listMessages } from '../../runtime/chat/message-store.ts'
import { ConversationFile, exportConversation, toMarkdown } from '../../runtime/chat/messages.ts'
import {
  Conversation,
  ConversationChanges,
  ConversationKind,
  ConversationStatus,
  Message,
  NewConversation,
} from '../../runtime/chat/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery, queryBoolean } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { file } from '../../runtime/http/returns.ts'
import { ExecutionMode, Mode } from '../../runtime/tools/modes.ts'

/** The number of messages that a conversation is opened with. */
const latest = 50

const filters = pageQuery().extend({
  search: z.string().max(200).optional(),
  agent_id: z.string().optional(),
  project_id: z.string().optional(),
  kind: ConversationKind.optional(),
  status: ConversationStatus.optional(),
  archived: queryBoolean.optional(),
})

export const list = endpoint({
  method: 'GET',
  path: '/api/chat/conversations',
  summary: 'List conversations, pinned first, then the latest',
  query: filters,
  returns: listOf('conversations', Conversation),
  async run({ query }, context) {
    const { conversations, total } = await listConversations(context, query)
    const { limit, offset } = query
    return { conversations: conversations.map(publicConversation), total, limit, offset }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/chat/conversations',
  summary: 'Create a conversation',
  body: NewConversation,
  body_optional: true,
  returns: Conversation,
  status: 201,
  async run({ body }, context) {
    return addConversation(context, body)
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/chat/conversations/{id}',
  summary: 'Get a conversation with its latest messages',
  returns: Conversation.extend({ messages: z.array(Message) }),
  async run({ params }, context) {
    const conversation = publicConversation(await requireConversation(context, params.id))
    return {
      ...conversation,
      messages: await listMessages(context, params.id, { limit: latest }),
    }
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/chat/conversations/{id}',
  summary: 'Rename, pin, archive or re-assign a conversation',
  body: ConversationChanges,
  before: ({ params }, context) => requireConversation(context, params.id),
  returns: Conversation,
  async run({ params, body }, context) {
    return changeConversation(context, params.id, body)
  },
})

export const remove = removal({
  path: '/api/chat/conversations/{id}',
  summary: 'Delete a conversation with its messages',
  remove: removeConversation,
})

export const showMode = endpoint({
  method: 'GET',
  path: '/api/chat/conversations/{id}/mode',
  summary: 'Get the mode: which tools the conversation uses',
  returns: z.object({ mode: Mode }),
  async run({ params }, context) {
    const { mode } = await requireConversation(context, params.id)
    return { mode }
  },
})

export const setMode = endpoint({
  method: 'PATCH',
  path: '/api/chat/conversations/{id}/mode',
  summary: 'Set the mode: which tools the conversation uses',
  body: z.object({ mode: Mode }),
  returns: z.object({ mode: Mode }),
  async run({ params, body }, context) {
    const { mode } = await changeConversation(context, params.id, { mode: body.mode })
    return { mode }
  },
})

export const showExecutionMode = endpoint({
  method: 'GET',
  path: '/api/chat/conversations/{id}/execution-mode',
  summary: 'Get the execution mode: what runs without asking',
  returns: z.object({ execution_mode: ExecutionMode }),
  async run({ params }, context) {
    const { execution_mode } = await requireConversation(context, params.id)
    return { execution_mode }
  },
})

export const setExecutionMode = endpoint({
  method: 'PUT',
  path: '/api/chat/conversations/{id}/execution-mode',
  summary: 'Set the execution mode: what runs without asking',
  body: z.object({ execution_mode: ExecutionMode }),
  returns: z.object({ execution_mode: ExecutionMode }),
  async run({ params, body }, context) {
    const { execution_mode } = await changeConversation(context, params.id, {
      execution_mode: body.execution_mode,
    })
    return { execution_mode }
  },
})

export const exportOne = endpoint({
  method: 'GET',
  path: '/api/chat/conversations/{id}/export',
  summary: 'Export a conversation',
  query: z.object({ format: z.enum(['json', 'markdown']).default('json') }),
  returns: file({ 'application/json': ConversationFile, 'text/markdown': z.string() }),
  async run({ params, query }, context) {
    const conversation = await exportConversation(context, params.id)
    const name = (extension: string) => ({
      'content-disposition': `attachment; filename="conversation.${extension}"`,
    })
    if (query.format === 'json') return Response.json(conversation, { headers: name('json') })
    return new Response(toMarkdown(conversation), {
      headers: { 'content-type': 'text/markdown; charset=utf-8', ...name('md') },
    })
  },
})
