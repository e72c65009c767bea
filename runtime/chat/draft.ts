import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import { iso } from '../time.ts'
import type { FilePart, Message } from './schema.ts'

/** The fields of a message that files were sent with. */
export const withFiles = (content: string, files: FilePart[]): Pick<Message, 'parts' | 'attachments'> => ({
  parts: [{ type: 'text', text: content }, ...files],
  attachments: files.map(({ file_id }) => file_id),
})

/** A message with the fields that most messages leave empty. */
export function draft(
  context: Context,
  conversation: string,
  own: Pick<Message, 'role' | 'content'> & Partial<Message>,
): Message {
  const now = context.clock.now()
  return {
    id: newId('msg', now),
    conversation_id: conversation,
    parts: own.content === '' ? [] : [{ type: 'text', text: own.content }],
    attachments: [],
    model: null,
    provider: null,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
    status: 'complete',
    error: null,
    compacted: false,
    created_at: iso(now),
    ...own,
  }
}
