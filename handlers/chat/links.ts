import { z } from 'zod'
import {
  conversationLinks,
  LinkWithSecret,
  NewLink,
  openSharedConversation,
  SharedConversation,
  shareByLink,
} from '../../runtime/chat/links.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { removal } from '../../runtime/http/removal.ts'

export const list = listing({
  path: '/api/chat/links',
  summary: 'List the links with which your conversations are read',
  items: 'links',
  item: conversationLinks.Row,
  rows: conversationLinks.list,
})

export const create = endpoint('POST /api/chat/links', {
  summary: 'Share a conversation read-only by a link, which is shown only in this response',
  body: NewLink,
  returns: LinkWithSecret,
  status: 201,
  run: ({ body }, context) => shareByLink(context, body),
})

export const remove = removal({
  path: '/api/chat/links/{id}',
  summary: 'Revoke a link',
  remove: conversationLinks.remove,
})

export const shared = endpoint('POST /api/chat/shared', {
  summary: 'Read the conversation of a link',
  access: 'public',
  idempotent: false,
  body: z.object({ token: z.string().max(200) }),
  returns: SharedConversation,
  run: ({ body }, context) => openSharedConversation(context, body.token),
})
