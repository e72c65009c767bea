import { z } from 'zod'
import type { Context } from '../context.ts'
import { publicConversation, requireConversation } from './conversations.ts'
import { allMessages } from './message-store.ts'
import { Conversation, Message, type Part } from './schema.ts'

/** A conversation as a file of its own. */
export const ConversationFile = z.object({
  format: z.literal('hearthd.conversation'),
  version: z.literal(1),
  conversation: Conversation,
  messages: z.array(Message),
})
export type ConversationFile = z.output<typeof ConversationFile>

export async function exportConversation(context: Context, id: string): Promise<ConversationFile> {
  const conversation = publicConversation(await requireConversation(context, id))
  return {
    format: 'hearthd.conversation',
    version: 1,
    conversation,
    messages: await allMessages(context, id),
  }
}

/** The conversation as a text to read, with what the tools did. */
export function toMarkdown({ conversation, messages }: ConversationFile): string {
  const body = messages.map(
    (message) => `## ${message.role} · ${message.created_at}\n\n${partsText(message)}\n`,
  )
  return `# ${conversation.title}\n\n${body.join('\n')}`
}

function partsText(message: Message): string {
  const text = message.parts
    .map(partText)
    .filter((part) => part !== '')
    .join('\n\n')
  return message.error ? `${text}\n\n*${message.error.code}: ${message.error.message}*`.trim() : text
}

function partText(part: Part): string {
  if (part.type === 'text') return part.text
  if (part.type === 'tool_use') return `**${part.tool}** ${part.summary}\n\n${fenced(part.input)}`
  return part.type === 'tool_result' ? fenced(part.output) : ''
}

/** A fence longer than any in the text, so that the text cannot close it. */
function fenced(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
