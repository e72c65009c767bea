import { show } from '../../handlers/chat/conversations.ts'
import { send } from '../../handlers/chat/stream.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { listApprovals } from '../../runtime/chat/approval-store.ts'
import { listConversations } from '../../runtime/chat/conversation-store.ts'
import { findLatestMessage } from '../../runtime/chat/message-store.ts'
import type { Approval, Conversation, Message } from '../../runtime/chat/schema.ts'
import type { Host } from '../../runtime/host.ts'
import { call } from './call.ts'
import { workOff } from './work.ts'

export interface StreamedEvent {
  id: string | undefined
  event: string
  data: Record<string, string> & { approval?: Approval }
}

/** The events of a stream's text. */
export function parseEvents(stream: string): StreamedEvent[] {
  return stream
    .split('\n\n')
    .filter((block) => block.includes('event: '))
    .map((block) => {
      const field = (name: string) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1]
      return { id: field('id'), event: field('event') ?? '', data: JSON.parse(field('data') ?? 'null') }
    })
}

/** Sends a message and reads the whole answer. */
export async function chat(host: Host, body: Record<string, unknown>): Promise<StreamedEvent[]> {
  const response = await call(send, host, { body })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  const [stream] = await Promise.all([response.text(), workOff(host)])
  return parseEvents(stream)
}

export const names = (events: StreamedEvent[]): string[] => events.map(({ event }) => event)

/** Reads a stream until it has said `text`, and then leaves it. */
export async function readUntil(stream: ReadableStream<Uint8Array>, text: string): Promise<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let seen = ''
  while (!seen.includes(text)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the stream ended without "${text}": ${seen}`)
    seen += decoder.decode(value, { stream: true })
  }
  void reader.cancel()
  return seen
}

const page = { limit: 1, offset: 0 }

/** The conversation as its page reads it. */
export async function conversationOf(host: Host, id = ''): Promise<Conversation & { messages: Message[] }> {
  return (await call(show, host, { params: { id } })).json()
}

export async function onlyConversation(host: Host): Promise<Conversation> {
  return only((await listConversations(localContext(host), page)).rows)
}

export async function onlyApproval(host: Host): Promise<Approval> {
  return only((await listApprovals(localContext(host), page)).rows)
}

export async function answerOf(host: Host, conversation: Conversation): Promise<Message> {
  return only([await findLatestMessage(host, conversation.id, 'assistant')].filter((message) => message !== null))
}

function only<Item>(items: Item[]): Item {
  if (items.length !== 1 || items[0] === undefined) throw new Error(`one was expected, not ${items.length}`)
  return items[0]
}
