import { z } from 'zod'
import { LinkSecret, newLink, openLink } from '../auth/link-token.ts'
import { nameOfUser } from '../auth/user-store.ts'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { notFound } from '../fault.ts'
import { reference } from '../references.ts'
import { day, iso } from '../time.ts'
import { textOf } from './answer.ts'
import { findConversation } from './conversation-store.ts'
import { requireOwnConversation } from './conversations.ts'
import { listMessages } from './message-store.ts'

/** Latest messages that a link shows. */
const maxShown = 500

/** Links with which anyone reads a conversation, without an account. */
export const conversationLinks = collection({
  noun: 'conversation link',
  prefix: 'link',
  path: '/api/chat/links',
  items: 'links',
  owner: 'caller',
  summaries: {
    list: 'List the links with which your conversations are read',
    create: 'Share a conversation read-only by a link, which is shown only in this response',
    remove: 'Revoke a link',
  },
  events: { type: 'conversation_link', id: 'link_id' },
  table: { name: 'conversation_links', columns: ['conversation_id', 'token_hash', 'expires_at'] },
  fields: { conversation_id: reference('conversation', 64) },
  once: {
    days: z.int().min(1).max(365).nullable().default(null).meta({ description: 'Null: until it is revoked' }),
    token: z.string().optional(),
  },
  state: { expires_at: z.string().nullable() },
  hidden: { owner_id: z.string(), token_hash: z.string() },
  async prepare(context, { next, before, sent: { token = '', days = null } }) {
    await requireOwnConversation(context, next.conversation_id)
    const expires_at = days === null ? null : iso(context.clock.now() + days * day)
    return before ?? { token_hash: context.secrets.sha256(token), expires_at }
  },
})

export const NewLink = conversationLinks.New.omit({ token: true })
export const LinkWithSecret = conversationLinks.Row.extend(LinkSecret)

export function shareByLink(context: Context, input: z.output<typeof NewLink>) {
  const { token, secret } = newLink(context, '/shared')
  return conversationLinks.add(context, { ...input, token }, { secret })
}

/** What the holder of a link sees: what was said, not what tools did, nor what it cost. */
export const SharedConversation = z.object({
  title: z.string(),
  owner: z.string().meta({ description: 'The name of the user whose conversation it is' }),
  messages: z.array(
    z.object({ id: z.string(), role: z.enum(['user', 'assistant']), text: z.string(), at: z.string() }),
  ),
})

export async function openSharedConversation(
  context: Context,
  token: string,
): Promise<z.output<typeof SharedConversation>> {
  const link = await openLink(context, token, (token_hash) => conversationLinks.table.find(context, { token_hash }))
  const conversation = await findConversation(context, link.conversation_id)
  if (!conversation) throw notFound('This link')
  const messages = await listMessages(context, conversation.id, { limit: maxShown })
  return {
    title: conversation.title,
    owner: await nameOfUser(context, conversation.owner_id),
    messages: messages.flatMap(({ id, role, content, parts, created_at }) => {
      const text = textOf(parts) || content
      return (role === 'user' || role === 'assistant') && text !== '' ? [{ id, role, text, at: created_at }] : []
    }),
  }
}
