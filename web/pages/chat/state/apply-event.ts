import type { Approval, Message, Part, ToolUsePart } from '../../../../runtime/chat/schema.ts'
import type { ChatEvent } from './stream.ts'
import { changeMessage, type Notice, type Thread, type ThreadMessage, withParts } from './thread.ts'

/**
 * The thread after one event of its stream. An event that was already applied changes nothing, so a stream may be
 * replayed: `message_start` rebuilds the answer, a later event continues it.
 */
export function applyEvent(thread: Thread, event: ChatEvent): Thread {
  if (event.event === 'message_start') return startMessage(thread, event)
  if (!thread.turn) return event.event === 'error' ? fail(thread, event.data) : thread
  if (isOld(event.id, thread.turn.cursor)) return thread
  const turn = { ...thread.turn, cursor: event.id || thread.turn.cursor }
  const next = { ...thread, turn }
  const id = turn.message_id
  const edit = (change: (parts: readonly Part[]) => Part[]) =>
    changeMessage(next, id, (item) => withParts(item, change(item.message.parts)))

  switch (event.event) {
    case 'token':
      return edit((parts) => append(parts, 'text', event.data.content))
    case 'reasoning':
      return edit((parts) => append(parts, 'reasoning', event.data.content))
    case 'recall':
      return edit((parts) => [
        { type: 'recall', ...event.data },
        ...parts.filter(({ type }) => type !== 'recall'),
      ])
    case 'tool_use':
      return edit((parts) => useTool(parts, { type: 'tool_use', state: 'started', ...event.data }))
    case 'tool_result':
      return edit((parts) => finishTool(parts, { type: 'tool_result', untrusted: false, ...event.data }))
    case 'approval_required':
      return askApproval(next, event.data)
    case 'approval_resolved':
      return resolveApproval(next, event.data.approval)
    case 'steered':
      return edit((parts) => [...parts, { type: 'steer', ...event.data }])
    case 'fallback':
      return note(next, { kind: 'fallback', ...event.data })
    case 'compaction':
      return note(next, { kind: 'compaction', ...event.data })
    case 'done':
      return end(next, (message) => ({
        ...message,
        status: 'complete',
        input_tokens: event.data.input_tokens,
        output_tokens: event.data.output_tokens,
      }))
    case 'error':
      return end(next, (message) => ({ ...message, status: endingOf(event.data.code), error: event.data }))
  }
}

type Start = Extract<ChatEvent, { event: 'message_start' }>

function startMessage(thread: Thread, { id, data }: Start): Thread {
  const { turn } = thread
  if (turn?.message_id === data.message_id && isOld(id, turn.cursor)) return thread
  const known = thread.messages.find((item) => item.message.id === data.message_id)
  if (known && known.message.status === 'complete') return thread
  const next = {
    ...thread,
    turn: { message_id: data.message_id, cursor: id },
    failure: null,
    conversation: thread.conversation && { ...thread.conversation, status: 'running' as const },
  }
  const fresh = answerOf(data, known?.message)
  if (known) return changeMessage(next, data.message_id, (item) => ({ ...item, notices: [], message: fresh }))
  return { ...next, messages: placeAnswer(thread.messages, { key: fresh.id, message: fresh, notices: [] }) }
}

/** Queued messages stay below the answer that starts now. */
function placeAnswer(messages: readonly ThreadMessage[], answer: ThreadMessage): ThreadMessage[] {
  const waiting = messages.findIndex((item) => item.pending)
  if (waiting < 0) return [...messages, answer]
  const { pending: _, ...asked } = messages[waiting] as ThreadMessage
  return [...messages.slice(0, waiting), asked, answer, ...messages.slice(waiting + 1)]
}

const answerOf = (data: Start['data'], known: Message | undefined): Message => ({
  id: data.message_id,
  conversation_id: data.conversation_id,
  role: 'assistant',
  content: '',
  parts: [],
  attachments: [],
  model: data.model,
  provider: data.provider,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  status: 'streaming',
  error: null,
  compacted: false,
  created_at: known?.created_at ?? new Date().toISOString(),
})

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

function append(parts: readonly Part[], type: 'text' | 'reasoning', text: string): Part[] {
  const last = parts.at(-1)
  if (last?.type === type) return [...parts.slice(0, -1), { type, text: last.text + text }]
  return text === '' ? [...parts] : [...parts, { type, text }]
}

function useTool(parts: readonly Part[], use: ToolUsePart): Part[] {
  const index = parts.findIndex((part) => part.type === 'tool_use' && part.id === use.id)
  return index < 0 ? [...parts, use] : parts.with(index, use)
}

function finishTool(parts: readonly Part[], result: Extract<Part, { type: 'tool_result' }>): Part[] {
  const kept = parts.filter((part) => !(part.type === 'tool_result' && part.id === result.id))
  const { state = 'done' } = result
  return [...setState(kept, result.id, () => (state === 'error' ? 'done' : state)), result]
}

function setState(
  parts: readonly Part[],
  call: string,
  state: (use: ToolUsePart) => ToolUsePart['state'],
): Part[] {
  return parts.map((part) =>
    part.type === 'tool_use' && part.id === call ? { ...part, state: state(part) } : part,
  )
}

function askApproval(thread: Thread, { approval, call_id }: { approval: Approval; call_id: string }): Thread {
  const next = withApproval(thread, approval, 'waiting_approval')
  return changeMessage(next, turnMessage(thread), (item) => {
    const { parts } = item.message
    const waiting = setState(parts, call_id, () => 'waiting')
    if (callOf(parts, approval) !== undefined) return withParts(item, waiting)
    return withParts(item, [...waiting, { type: 'approval', approval_id: approval.id, call_id }])
  })
}

/** The call that waits for it. */
const callOf = (parts: readonly Part[], approval: Approval): string | undefined =>
  parts.filter((part) => part.type === 'approval').find((part) => part.approval_id === approval.id)?.call_id

function stateAfter({ status }: Approval): ToolUsePart['state'] {
  if (status === 'approved') return 'started'
  return status === 'expired' ? 'expired' : 'denied'
}

function resolveApproval(thread: Thread, approval: Approval): Thread {
  const others = Object.values(thread.approvals).some(
    (one) => one.status === 'pending' && one.id !== approval.id,
  )
  const next = withApproval(thread, approval, others ? 'waiting_approval' : 'running')
  return changeMessage(next, turnMessage(thread), (item) => {
    const call = callOf(item.message.parts, approval)
    if (!call) return item
    const state = stateAfter(approval)
    // The person may have edited the input.
    const use = (part: ToolUsePart): ToolUsePart => ({ ...part, state, input: approval.input })
    return withParts(
      item,
      item.message.parts.map((part) => (part.type === 'tool_use' && part.id === call ? use(part) : part)),
    )
  })
}

const turnMessage = (thread: Thread) => thread.turn?.message_id ?? ''

const withApproval = (
  thread: Thread,
  approval: Approval,
  status: 'running' | 'waiting_approval',
): Thread => ({
  ...thread,
  approvals: { ...thread.approvals, [approval.id]: approval },
  conversation: thread.conversation && { ...thread.conversation, status },
})

const note = (thread: Thread, notice: Notice): Thread =>
  changeMessage(thread, turnMessage(thread), (item) => ({ ...item, notices: [...item.notices, notice] }))

const endingOf = (code: string) => (code === 'cancelled' || code === 'interrupted' ? 'interrupted' : 'error')

function end(thread: Thread, change: (message: Message) => Message): Thread {
  const ended = changeMessage(thread, turnMessage(thread), (item) => ({
    ...item,
    message: change(item.message),
  }))
  return {
    ...ended,
    turn: null,
    conversation: ended.conversation && { ...ended.conversation, status: 'idle' },
  }
}

const fail = (thread: Thread, error: Thread['failure']): Thread => ({
  ...thread,
  failure: error,
  conversation: thread.conversation && { ...thread.conversation, status: 'idle' },
})
