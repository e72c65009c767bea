import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import {
  findOwnConversation,
  insertConversation,
  recountMessages,
  refreshStatus,
  taintConversation,
} from './conversation-store.ts'
import { createdEvent, draftConversation } from './conversations.ts'
import { draft, insertMessage } from './message-store.ts'
import { NewConversation } from './schema.ts'

/**
 * Statements and events that send the owner a message in the sender's conversation, for one commit. `known`: that
 * conversation; if it no longer exists, a new one is created.
 */
export async function note(
  context: Context,
  { conversation_id, title, content }: { conversation_id: string | null; title: string; content: string },
): Promise<{ conversation_id: string; is_new: boolean; statements: Statement[]; events: EventInput[] }> {
  const conversation = conversation_id === null ? null : await findOwnConversation(context, conversation_id)
  const drafted = conversation ?? (await draftConversation(context, NewConversation.parse({ title })))
  const message = draft(context, drafted.id, { role: 'assistant', content })
  return {
    conversation_id: drafted.id,
    is_new: !conversation,
    statements: [
      ...(conversation ? [] : [insertConversation(drafted)]),
      insertMessage(message),
      recountMessages(drafted.id),
      refreshStatus(drafted.id, iso(context.clock.now())),
      // The message may quote untrusted text.
      taintConversation(drafted.id),
    ],
    events: [
      ...(conversation ? [] : [createdEvent(drafted)]),
      event('message.injected', { conversation_id: drafted.id, message_id: message.id }),
    ],
  }
}
