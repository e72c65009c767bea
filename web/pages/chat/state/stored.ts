import type { Approval, FilePart, Message } from '../../../../runtime/chat/schema.ts'
import type { AnswerOf } from '../../../api/client.ts'
import { withApprovals } from './apply-event.ts'
import { blankMessage, type ShownConversation, type Thread, type ThreadMessage } from './thread.ts'

/** A page of messages as the API returns it. */
export type MessagePage = Pick<
  AnswerOf<'GET', '/api/chat/conversations/{id}/messages'>,
  'messages' | 'has_older' | 'has_newer'
>

/** Messages per page. */
export const pageSize = 50

/** Maximum messages in the thread, and thus on the page: loading more removes those at the other end. */
export const maxLoaded = 200

/** Merges a reloaded conversation: its latest messages replace the loaded ones of that range. */
export function withStored(thread: Thread, conversation: ShownConversation, latest: readonly Message[]): Thread {
  if (thread.has_newer) return { ...thread, conversation }
  const page = [...latest].sort(byId)
  const first = page[0]?.id ?? ''
  const older =
    page.length < pageSize ? [] : thread.messages.filter(({ message, pending }) => !pending && message.id < first)
  const { adopted, waiting } = adopt(thread, page)
  const ended = page.some(({ id, status }) => id === thread.turn?.message_id && status !== 'streaming')
  const turn = ended ? null : thread.turn
  // The stream of a turn is more recent than the stored row.
  const status = turn ? (thread.conversation?.status ?? conversation.status) : conversation.status
  return withoutOldest({
    ...thread,
    turn,
    conversation: { ...conversation, status },
    messages: [...older, ...adopted, ...waiting],
    // The stored message shows the failure of its turn.
    failure: null,
    has_older: older.length > 0 ? thread.has_older : page.length >= pageSize,
  })
}

/** Adds an older page. If that removes the latest messages, the running turn is no longer shown. */
export function withOlder(thread: Thread, page: MessagePage): Thread {
  const messages = [...unknownOf(thread, page), ...thread.messages]
  const older = { ...thread, messages: messages.slice(0, maxLoaded), has_older: page.has_older }
  return messages.length > maxLoaded ? { ...older, turn: null, failure: null, has_newer: true } : older
}

/** Adds a newer page. */
export const withNewer = (thread: Thread, page: MessagePage): Thread =>
  withoutOldest({
    ...thread,
    messages: [...thread.messages, ...unknownOf(thread, page)],
    has_newer: page.has_newer,
  })

const withoutOldest = (thread: Thread): Thread =>
  thread.messages.length > maxLoaded
    ? { ...thread, messages: thread.messages.slice(-maxLoaded), has_older: true }
    : thread

/** Replaces the messages with another range. */
export const withStretch = (thread: Thread, { messages, has_older, has_newer }: MessagePage): Thread => ({
  ...thread,
  turn: null,
  failure: null,
  messages: messages.map(asItem),
  has_older,
  has_newer,
})

function unknownOf(thread: Thread, { messages }: MessagePage): ThreadMessage[] {
  const ids = new Set(thread.messages.map(({ message }) => message.id))
  return messages.filter((message) => !ids.has(message.id)).map(asItem)
}

/** Adds the pending approvals of this conversation. */
export const withPending = (thread: Thread, pending: readonly Approval[]): Thread =>
  withApprovals(
    thread,
    pending.filter(({ conversation_id }) => conversation_id === thread.conversation?.id),
  )

interface Outgoing {
  key: string
  text: string
  queued: boolean
  files?: readonly FilePart[]
}

/** Adds a message of the person before the daemon has stored it. */
export function withOutgoing(thread: Thread, { key, text, queued, files = [] }: Outgoing): Thread {
  const message: Message = {
    ...blankMessage({ id: key, conversation_id: thread.conversation?.id ?? '', role: 'user' }),
    content: text,
    parts: [{ type: 'text', text }, ...files],
    attachments: files.map(({ file_id }) => file_id),
  }
  const item: ThreadMessage = { key, message, notices: [], pending: queued ? 'queued' : 'sending' }
  return withoutOldest({ ...thread, failure: null, messages: [...thread.messages, item] })
}

export const withoutMessage = (thread: Thread, key: string): Thread => ({
  ...thread,
  messages: thread.messages.filter((item) => item.key !== key),
})

/** Removes the message `id` and all later ones, as the daemon does before it answers again. */
export function cutFrom(thread: Thread, id: string): Thread {
  const index = thread.messages.findIndex(({ message }) => message.id === id)
  if (index < 0) return thread
  return { ...thread, failure: null, has_newer: false, messages: thread.messages.slice(0, index) }
}

const byId = (a: Message, b: Message) => (a.id < b.id ? -1 : 1)

const asItem = (message: Message): ThreadMessage => ({ key: message.id, message, notices: [] })

const isLocal = (item: ThreadMessage) => item.key === item.message.id && item.key.startsWith('local_')

/**
 * Stored messages replace the shown ones and keep their keys. The streaming answer is ahead of its stored
 * copy and stays. Messages that were sent from this page and are not stored yet come last.
 */
function adopt(thread: Thread, page: readonly Message[]): { adopted: ThreadMessage[]; waiting: ThreadMessage[] } {
  const byMessage = new Map(thread.messages.map((item) => [item.message.id, item]))
  const local = thread.messages.filter(isLocal)
  const adopted = page.map((message): ThreadMessage => {
    const existing = byMessage.get(message.id)
    if (existing) return keepNewer(thread, existing, message)
    const sent = message.role === 'user' ? local.findIndex((item) => item.message.content === message.content) : -1
    if (sent < 0) return asItem(message)
    const [item] = local.splice(sent, 1) as [ThreadMessage]
    return { key: item.key, message, notices: [] }
  })
  const stored = new Set(page.map(({ id }) => id))
  const live = thread.messages.filter(
    ({ message }) => message.id === thread.turn?.message_id && !stored.has(message.id),
  )
  return { adopted: [...adopted, ...live], waiting: local }
}

function keepNewer(thread: Thread, item: ThreadMessage, message: Message): ThreadMessage {
  if (thread.turn?.message_id === message.id && message.status === 'streaming') return item
  return { ...item, message }
}
