import type { VendorData } from '../ports/models.ts'
import type { Message, Part, StreamEvent, ToolUsePart } from './schema.ts'

/**
 * The answer after one event of its stream. Pure: an answer is assembled by this function while it streams,
 * and a client that replays the events of `eventsOf` gets the same parts.
 */
export function applyEvent(answer: Message, { event, data }: StreamEvent): Message {
  const { parts } = answer
  const withParts = (changed: Part[]): Message => ({ ...answer, parts: changed })
  switch (event) {
    case 'message_start':
      return {
        ...answer,
        parts: [],
        model: data.model,
        provider: data.provider,
        status: 'streaming',
        error: null,
      }
    case 'token':
      return withParts(append(parts, 'text', data.content))
    case 'reasoning':
      return withParts(append(parts, 'reasoning', data.content))
    case 'recall':
      return withParts([{ type: 'recall', ...data }, ...parts.filter(({ type }) => type !== 'recall')])
    case 'tool_use':
      return withParts(replaceCall(parts, { type: 'tool_use', state: 'proposed', ...data }))
    case 'tool_result': {
      const state = data.state === 'error' ? 'done' : data.state
      const others = parts.filter((part) => part.type !== 'tool_result' || part.id !== data.id)
      return withParts([...changeCall(others, data.id, { state }), { type: 'tool_result', untrusted: false, ...data }])
    }
    case 'approval_required': {
      const isApproval = parts.some((part) => part.type === 'approval' && part.approval_id === data.approval.id)
      const question = data.approval.question !== null
      // A call that asks a question is running.
      const waiting = changeCall(parts, data.call_id, { state: question ? 'started' : 'waiting' })
      const { call_id } = data
      const part: Part = { type: 'approval', approval_id: data.approval.id, call_id, ...(question && { question }) }
      return withParts(isApproval ? waiting : [...waiting, part])
    }
    case 'approval_resolved': {
      const { id, status, input } = data.approval
      const approvalPart = parts.find((part) => part.type === 'approval' && part.approval_id === id)
      if (approvalPart?.type !== 'approval' || approvalPart.question) return answer
      const refused = status === 'expired' ? 'expired' : 'denied'
      // The person may have edited the input.
      return withParts(
        changeCall(parts, approvalPart.call_id, {
          input,
          state: status === 'approved' ? 'started' : refused,
        }),
      )
    }
    case 'steered':
      return withParts([...parts, { type: 'steer', ...data }])
    case 'done':
      return end(answer, {
        status: 'complete',
        input_tokens: data.input_tokens,
        output_tokens: data.output_tokens,
      })
    case 'error':
      return end(answer, { error: data, status: statusAfter(data.code, textOf(parts)) })
    case 'fallback':
    case 'retry':
    case 'compaction':
      return answer
  }
}

function append(parts: readonly Part[], type: 'text' | 'reasoning', text: string): Part[] {
  if (text === '') return [...parts]
  const last = parts.at(-1)
  // A piece of reasoning that its vendor has signed is complete.
  if (last?.type !== type || (last.type === 'reasoning' && last.vendor_data)) {
    const first = text.replace(/^\n+/, '')
    return first === '' ? [...parts] : [...parts, { type, text: first }]
  }
  return parts.with(-1, { type, text: last.text + text })
}

/**
 * Keeps the data that the vendor expects back with the reasoning that has just ended; some vendors send no
 * text for it.
 */
export function signReasoning(parts: readonly Part[], vendor_data: VendorData): Part[] {
  const last = parts.at(-1)
  if (last?.type !== 'reasoning') return [...parts, { type: 'reasoning', text: '', vendor_data }]
  if (!last.vendor_data) return parts.with(-1, { ...last, vendor_data })
  const isSame = JSON.stringify(last.vendor_data) === JSON.stringify(vendor_data)
  return isSame ? [...parts] : [...parts, { type: 'reasoning', text: '', vendor_data }]
}

function replaceCall(parts: readonly Part[], call: ToolUsePart): Part[] {
  const index = parts.findIndex((part) => part.type === 'tool_use' && part.id === call.id)
  return index < 0 ? [...parts, call] : parts.with(index, call)
}

export const changeCall = (parts: readonly Part[], id: string, changes: Partial<ToolUsePart>): Part[] =>
  parts.map((part) => (part.type === 'tool_use' && part.id === id ? { ...part, ...changes } : part))

/** A call that was running when the answer ended may have taken effect: nobody saw it end. */
const end = (answer: Message, changes: Partial<Message>): Message => ({
  ...answer,
  error: null,
  content: textOf(answer.parts),
  parts: answer.parts.map((part) =>
    part.type === 'tool_use' && part.state === 'started' ? { ...part, state: 'unknown' } : part,
  ),
  ...changes,
})

function statusAfter(code: string, text: string): Message['status'] {
  if (code === 'interrupted' || code === 'cancelled') return 'interrupted'
  // An answer cut short by a budget is incomplete, not failed.
  return code === 'budget_exceeded' && text !== '' ? 'interrupted' : 'error'
}

/**
 * The events that assemble a stored answer, for a client that missed them. The first is `message_start`,
 * which tells a client to discard the parts it had. Open approvals are left to the caller.
 */
export function eventsOf(answer: Message): StreamEvent[] {
  const { id: message_id, conversation_id, model, provider, parts } = answer
  const start = { conversation_id, message_id, model: model ?? '', provider: provider ?? '' }
  const rest: StreamEvent[] = parts.flatMap(eventsOfPart)
  return [{ event: 'message_start', data: start }, ...rest.map(separated)]
}

/** As in the stream, a blank line precedes every text but the first. */
function separated(event: StreamEvent, index: number, events: StreamEvent[]): StreamEvent {
  if (event.event !== 'token' || index <= events.findIndex((one) => one.event === 'token')) return event
  return { event: 'token', data: { content: `\n\n${event.data.content}` } }
}

function eventsOfPart(part: Part): StreamEvent[] {
  switch (part.type) {
    case 'text':
      return [{ event: 'token', data: { content: part.text } }]
    case 'reasoning':
      return [{ event: 'reasoning', data: { content: part.text } }]
    case 'recall':
      return [{ event: 'recall', data: { episodes: part.episodes } }]
    case 'steer': {
      const { type: _, ...data } = part
      return [{ event: 'steered', data }]
    }
    case 'tool_use': {
      const { type: _, state: __, vendor_data: ___, ...data } = part
      return [{ event: 'tool_use', data }]
    }
    case 'tool_result': {
      const { type: _, state = part.is_error ? 'error' : 'done', ...data } = part
      return [{ event: 'tool_result', data: { ...data, state } }]
    }
    default:
      return []
  }
}

/** The event that ends the stream of an answer that is no longer being generated. */
export function lastEventOf({ id: message_id, input_tokens, output_tokens, error }: Message): StreamEvent {
  if (error) return { event: 'error', data: error }
  const total_tokens = input_tokens + output_tokens
  return { event: 'done', data: { message_id, input_tokens, output_tokens, total_tokens } }
}

export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n')

/** Tool calls that have no result yet, in the order in which the model made them. */
export function openCalls({ parts }: Pick<Message, 'parts'>): ToolUsePart[] {
  const answered = new Set(parts.filter((part) => part.type === 'tool_result').map((part) => part.id))
  return parts.filter((part) => part.type === 'tool_use').filter((part) => !answered.has(part.id))
}

/** The parts without what the model was saying when it was interrupted; a step with calls is complete. */
export function completeSteps({ parts }: Pick<Message, 'parts'>): Part[] {
  if (openCalls({ parts }).length > 0) return [...parts]
  const last = parts.findLastIndex(({ type }) => type === 'tool_result' || type === 'steer')
  return parts.filter(({ type }, index) => index <= last || (type !== 'text' && type !== 'reasoning'))
}

/** The outcome of a call that had no result when its answer ended. */
export const withoutResult = ({ state }: ToolUsePart): string =>
  state === 'started' || state === 'unknown'
    ? 'The answer ended while this was running; it may or may not have taken effect.'
    : 'This never started, because the answer ended first. It had no effect.'

/**
 * Whether a call waits for a person. Such a turn can be resumed after a restart: nothing of it is running.
 */
export const isAsking = (message: Pick<Message, 'parts'>): boolean =>
  openCalls(message).some(({ state }) => state === 'waiting')
