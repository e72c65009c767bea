import { z } from 'zod'
import {
  conversationLinks,
  LinkWithSecret,
  NewLink,
  openSharedConversation,
  SharedConversation,
  shareByLink,
} from '../../runtime/chat/links.ts'
import { endpointsOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const { list, remove } = endpointsOf(conversationLinks)

export const create = endpoint(`POST ${conversationLinks.path}`, {
  summary: conversationLinks.summaries.create,
  body: NewLink,
  returns: LinkWithSecret,
  status: 201,
  run: ({ body }, context) => shareByLink(context, body),
})

export const shared = endpoint('POST /api/chat/shared', {
  summary: 'Read the conversation of a link',
  access: 'public',
  idempotent: false,
  body: z.object({ token: z.string().max(200) }),
  returns: SharedConversation,
  run: ({ body }, context) => openSharedConversation(context, body.token),
})
