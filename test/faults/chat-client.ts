import type { Approval, Conversation, Message } from '../../runtime/chat/schema.ts'
import { parseEvents, type StreamedEvent } from '../support/chat.ts'
import type { Service } from './service.ts'

export type { StreamedEvent } from '../support/chat.ts'

export type WholeConversation = Conversation & { messages: Message[] }

type OnEvent = (event: StreamedEvent, index: number) => unknown

/** Reads a stream to its end, also one that is cut, and tells each event as it comes; it does not wait for `onEvent`. */
export async function readEvents(response: Response, onEvent: OnEvent = () => undefined): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = []
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const event of blocks.flatMap(parseEvents)) onEvent(event, events.push(event))
    }
  } catch {
    // The connection was cut: what came before counts.
  }
  return events
}

/** The events that end a stream; a whole stream has exactly one. */
export const endings = (events: StreamedEvent[]): StreamedEvent[] =>
  events.filter(({ event }) => event === 'done' || event === 'error')

export async function newConversation(service: Service, settings: Record<string, unknown> = {}): Promise<Conversation> {
  return service.read('POST', '/api/chat/conversations', settings)
}

export const conversationOf = (service: Service, id: string): Promise<WholeConversation> =>
  service.read('GET', `/api/chat/conversations/${id}`)

/** The response comes as soon as the message is stored. */
export const sendMessage = (
  service: Service,
  body: { message: string; conversation_id?: string; when_busy?: string },
  headers: Record<string, string> = {},
): Promise<Response> => service.send('POST', '/api/chat/messages/stream', body, headers)

/** Null when there is nothing to follow. */
export async function followSession(service: Service, id: string, lastEventId?: string): Promise<Response | null> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const response = await service.send('GET', `/api/chat/sessions/${id}/stream`, undefined, headers)
  return response.status === 204 ? null : response
}

export const approvalsOf = async (service: Service, conversation: string): Promise<Approval[]> =>
  (await service.read<{ approvals: Approval[] }>('GET', `/api/chat/approvals?conversation_id=${conversation}`))
    .approvals

export const answerApproval = (
  service: Service,
  approval: Approval,
  approved: boolean,
  extra: Record<string, unknown> = {},
): Promise<Response> =>
  service.send('POST', `/api/chat/conversations/${approval.conversation_id}/approval-response`, {
    approval_id: approval.id,
    approved,
    ...extra,
  })

/** Whether vendors would take this history: each call of a tool has exactly one result behind it. */
export function isAnsweredHistory(body: unknown): boolean {
  const { messages } = body as {
    messages: { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[]
  }
  return messages.every((message, index) => {
    const behind = messages.slice(index + 1)
    const next = behind.findIndex(({ role }) => role !== 'tool')
    const results = (next < 0 ? behind : behind.slice(0, next)).map(({ tool_call_id }) => tool_call_id)
    return (message.tool_calls ?? []).every(({ id }) => results.filter((result) => result === id).length === 1)
  })
}
