import { applyEvent as applyToAnswer, changeCall } from '../../../../runtime/chat/answer.ts'
import type { Approval, Conversation, Message } from '../../../../runtime/chat/schema.ts'
import type { ChatEvent } from './stream.ts'
import { blankMessage, changeMessage, type Thread, type ThreadMessage, type Turn } from './thread.ts'

/**
 * The thread after one event of its stream. An event that was already applied changes nothing, so a stream may be
 * replayed: `message_start` rebuilds the answer, a later event continues it.
 */
export function applyEvent(thread: Thread, event: ChatEvent): Thread {
  if (event.event === 'message_start') return startMessage(thread, event)
  const { turn } = thread
  if (!turn) return event.event === 'error' ? { ...withStatus(thread, 'idle'), failure: event.data } : thread
  if (isOld(event.id, turn.cursor)) return thread
  const cursor = event.id || turn.cursor
  const next = changeMessage(thread, turn.message_id, (item) => itemAfter(item, event))
  return afterEvent({ ...next, turn: { ...turn, cursor } }, event)
}

function itemAfter({ retry: _, ...item }: ThreadMessage, event: ChatEvent): ThreadMessage {
  if (event.event === 'retry') return { ...item, retry: event.data }
  if (event.event === 'fallback' || event.event === 'compaction') return { ...item, notices: [...item.notices, event] }
  const message = applyToAnswer(item.message, event)
  if (event.event !== 'tool_use') return { ...item, message }
  // The daemon starts a call that needs no approval without another event.
  return { ...item, message: { ...message, parts: changeCall(message.parts, event.data.id, started) } }
}

const started = { state: 'started' } as const

/** What the event changes outside the answer: the approvals, the status, and whether a turn runs. */
function afterEvent(thread: Thread, event: ChatEvent): Thread {
  switch (event.event) {
    case 'approval_required':
    case 'approval_resolved': {
      const next = withApprovals(thread, [event.data.approval])
      const waits = Object.values(next.approvals).some(({ status }) => status === 'pending')
      return withStatus(next, waits ? 'waiting_approval' : 'running')
    }
    case 'done':
    case 'error':
      return withStatus({ ...thread, turn: null }, 'idle')
    default:
      return thread
  }
}

type Start = Extract<ChatEvent, { event: 'message_start' }>

function startMessage(thread: Thread, start: Start): Thread {
  const { message_id, conversation_id } = start.data
  const item = thread.messages.find((item) => item.message.id === message_id)
  if (thread.turn?.message_id === message_id && isOld(start.id, thread.turn.cursor)) return thread
  if (item?.message.status === 'complete') return thread
  const turn: Turn = { message_id, cursor: start.id }
  const next = withStatus({ ...thread, turn, failure: null }, 'running')
  const blank = blankMessage({ id: message_id, conversation_id, role: 'assistant' })
  const created_at = item?.message.created_at ?? blank.created_at
  const message: Message = applyToAnswer({ ...blank, created_at }, start)
  if (item) return changeMessage(next, message_id, (item) => ({ ...item, notices: [], message }))
  return { ...next, messages: placeAnswer(thread.messages, { key: message_id, message, notices: [] }) }
}

/** Queued messages stay below the answer that starts now. */
function placeAnswer(messages: readonly ThreadMessage[], answer: ThreadMessage): ThreadMessage[] {
  const waiting = messages.findIndex((item) => item.pending)
  if (waiting < 0) return [...messages, answer]
  const { pending: _, ...question } = messages[waiting] as ThreadMessage
  return [...messages.slice(0, waiting), question, answer, ...messages.slice(waiting + 1)]
}

/** `<log>.<number>`: numbers increase within one log; a restarted daemon starts another log. */
function isOld(id: string, cursor: string): boolean {
  if (id === '') return false
  const [log, number] = positionOf(id)
  const [lastLog, lastNumber] = positionOf(cursor)
  return log === lastLog && number <= lastNumber
}

function positionOf(id: string): [log: string, number: number] {
  const dot = id.lastIndexOf('.')
  return [id.slice(0, Math.max(dot, 0)), Number(id.slice(dot + 1))]
}

export const withApprovals = (thread: Thread, approvals: readonly Approval[]): Thread => ({
  ...thread,
  approvals: { ...thread.approvals, ...Object.fromEntries(approvals.map((one) => [one.id, one])) },
})

const withStatus = (thread: Thread, status: Conversation['status']): Thread => ({
  ...thread,
  conversation: thread.conversation && { ...thread.conversation, status },
})
