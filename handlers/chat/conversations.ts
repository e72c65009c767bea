import { z } from 'zod'
import { isShared } from '../../runtime/auth/sharing.ts'
import { nameOfUser } from '../../runtime/auth/user-store.ts'
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
import { endpointsOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery, queryBoolean, searchText } from '../../runtime/http/page.ts'
import { file } from '../../runtime/http/returns.ts'
import { ExecutionMode, Mode } from '../../runtime/tools/modes.ts'

/** The number of messages that a conversation is opened with. */
const latest = 50

export const { list, create, show, update, remove } = endpointsOf({
  path: '/api/chat/conversations',
  items: 'conversations',
  summaries: {
    list: 'List conversations, pinned first, then the latest',
    create: 'Create a conversation',
    show: 'Get a conversation with its latest messages',
    update: 'Rename, pin, archive or re-assign a conversation',
    remove: 'Delete a conversation with its messages',
  },
  New: NewConversation,
  body_optional: true,
  Changes: ConversationChanges,
  Row: Conversation,
  Details: Conversation.extend({
    owner_name: z.string().nullable().meta({ description: 'Of its owner, for the others with whom it is shared' }),
    messages: z.array(Message),
  }),
  query: pageQuery().extend({
    search: searchText,
    agent_id: z.string().optional(),
    project_id: z.string().optional(),
    kind: ConversationKind.optional(),
    status: ConversationStatus.optional(),
    archived: queryBoolean.optional(),
  }),
  async list(context, query) {
    const { rows, total } = await listConversations(context, query)
    return { rows: rows.map(publicConversation), total }
  },
  add: addConversation,
  require: requireConversation,
  show: async (context, conversation) => ({
    ...publicConversation(conversation),
    owner_name: isShared(context, conversation) ? await nameOfUser(context, conversation.owner_id) : null,
    messages: await listMessages(context, conversation.id, { limit: latest }),
  }),
  edit: changeConversation,
  remove: removeConversation,
})

export const showMode = endpoint('GET /api/chat/conversations/{id}/mode', {
  summary: 'Get the mode: which tools the conversation uses',
  returns: z.object({ mode: Mode }),
  async run({ params }, context) {
    const { mode } = await requireConversation(context, params.id)
    return { mode }
  },
})

export const setMode = endpoint('PATCH /api/chat/conversations/{id}/mode', {
  summary: 'Set the mode: which tools the conversation uses',
  body: z.object({ mode: Mode }),
  returns: z.object({ mode: Mode }),
  async run({ params, body }, context) {
    const { mode } = await changeConversation(context, params.id, { mode: body.mode })
    return { mode }
  },
})

export const showExecutionMode = endpoint('GET /api/chat/conversations/{id}/execution-mode', {
  summary: 'Get the execution mode: what runs without asking',
  returns: z.object({ execution_mode: ExecutionMode }),
  async run({ params }, context) {
    const { execution_mode } = await requireConversation(context, params.id)
    return { execution_mode }
  },
})

export const setExecutionMode = endpoint('PUT /api/chat/conversations/{id}/execution-mode', {
  summary: 'Set the execution mode: what runs without asking',
  body: z.object({ execution_mode: ExecutionMode }),
  returns: z.object({ execution_mode: ExecutionMode }),
  async run({ params, body }, context) {
    const { execution_mode } = await changeConversation(context, params.id, { execution_mode: body.execution_mode })
    return { execution_mode }
  },
})

export const exportOne = endpoint('GET /api/chat/conversations/{id}/export', {
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
