import type { Context } from '../../context.ts'
import { iso } from '../../time.ts'
import type { WorkEnding } from '../../work/kind.ts'
import { queueFollower } from '../../work/store.ts'
import { cancelApprovals } from '../approval-store.ts'
import { addUsage, refreshStatus } from '../conversation-store.ts'
import { turnKind } from '../kinds.ts'
import type { TurnLog } from '../live.ts'
import { updateMessage } from '../message-store.ts'
import type { Message, MessageError } from '../schema.ts'
import { textOf } from './state.ts'

interface Ending {
  message: Message
  log: TurnLog
  /** Absent when the turn came to its own end. */
  error?: MessageError
}

/** The rows, events and last word of a turn: one `done` or one `error`, after everything is stored. */
export function endTurn(context: Context, ending: Ending): WorkEnding {
  const { message, log, error } = ending
  const now = iso(context.clock.now())
  message.content = textOf(message.parts)
  message.error = error ?? null
  message.status = statusAfter(message)
  for (const part of message.parts)
    if (part.type === 'tool_use' && part.state === 'started') part.state = 'unknown'
  const statements = [
    updateMessage(message),
    cancelApprovals(message.id, now),
    addUsage(message.conversation_id, message),
    refreshStatus(message.conversation_id, now),
    queueFollower(context, turnKind, message.id),
  ]
  const data = { conversation_id: message.conversation_id, message_id: message.id }
  const failed = { type: 'agent.run.failed', data: { ...data, code: error?.code } }
  const events = error
    ? [failed]
    : [
        { type: 'message.sent', data },
        { type: 'agent.run.finished', data },
      ]
  return { statements, events, announce: () => lastWord(log, message) }
}

/** The conversation is gone, and with it what there was to store; those who follow are told all the same. */
export function endDeleted(context: Context, messageId: string): WorkEnding {
  const error: MessageError = { code: 'cancelled', message: 'The conversation was deleted' }
  return {
    statements: [queueFollower(context, turnKind, messageId)],
    announce: () => context.process.turns.open(messageId).emit('error', error),
  }
}

function statusAfter({ error, content }: Message): Message['status'] {
  if (!error) return 'complete'
  if (error.code === 'interrupted' || error.code === 'cancelled') return 'interrupted'
  // What a budget cuts has begun well.
  return error.code === 'budget_exceeded' && content !== '' ? 'interrupted' : 'error'
}

/** What a stream ends with, for those who follow now and for those who ask later. */
export function lastWord(log: TurnLog, message: Message): void {
  const { id: message_id, input_tokens, output_tokens, error } = message
  const total_tokens = input_tokens + output_tokens
  if (error) log.emit('error', error)
  else log.emit('done', { message_id, input_tokens, output_tokens, total_tokens })
}
