import type { Context } from '../../context.ts'
import { approvalsOfTurn, publicApproval } from '../approval-store.ts'
import type { TurnLog } from '../live.ts'
import type { Message } from '../schema.ts'
import { lastWord } from './end.ts'

/**
 * Tells a fresh log what a stored message already holds, so that a client can follow a turn that an earlier
 * process began. It begins with `message_start`, which means to a client: forget the parts you had.
 */
export async function retell(context: Pick<Context, 'sql'>, log: TurnLog, message: Message): Promise<void> {
  const { conversation_id, id: message_id } = message
  log.emit('message_start', {
    conversation_id,
    message_id,
    model: message.model ?? '',
    provider: message.provider ?? '',
  })
  for (const part of message.parts) {
    if (part.type === 'text') log.emit('token', { content: part.text })
    if (part.type === 'reasoning') log.emit('reasoning', { content: part.text })
    if (part.type === 'recall') log.emit('recall', { episodes: part.episodes })
    if (part.type === 'steer') log.emit('steered', { message_id: part.message_id, text: part.text })
    if (part.type === 'tool_use') {
      log.emit('tool_use', { id: part.id, tool: part.tool, input: part.input, summary: part.summary })
    }
    if (part.type === 'tool_result') {
      const { id, tool, output, is_error, duration_ms, state = is_error ? 'error' : 'done' } = part
      log.emit('tool_result', { id, tool, output, is_error, state, duration_ms })
    }
  }
  for (const approval of await approvalsOfTurn(context, message.id)) {
    if (approval.status === 'pending')
      log.emit('approval_required', { approval: publicApproval(approval), call_id: approval.call_id })
  }
  if (message.status !== 'streaming') lastWord(log, message)
}
