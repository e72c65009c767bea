import type { Approval, Conversation, Message, MessageError, Part } from '../../../../runtime/chat/schema.ts'

/** Something that happened to a turn and is not part of its answer. */
export type Notice =
  | { kind: 'fallback'; from: string; to: string; reason: string }
  | { kind: 'compaction'; before_tokens: number; after_tokens: number }

export interface ThreadMessage {
  /** Stays the same when a message sent from here gets its stored id, so nothing is drawn anew. */
  key: string
  message: Message
  notices: readonly Notice[]
  /** Sent from here, not yet seen among the stored messages. */
  pending?: 'sending' | 'queued'
}

/** The answer that is being streamed. */
export interface Turn {
  message_id: string
  /** `id:` of the last event that was applied; the next connection asks for what follows it. */
  cursor: string
}

/** What the page knows of one conversation. Changed by `applyEvent` and the merges in `stored.ts` only. */
export interface Thread {
  conversation: Conversation | null
  /** Oldest first. */
  messages: readonly ThreadMessage[]
  approvals: Readonly<Record<string, Approval>>
  turn: Turn | null
  /** A turn that failed before it had a message. */
  failure: MessageError | null
  has_older: boolean
  /** The messages end before the latest ones, so nothing that happens now belongs behind them. */
  has_newer: boolean
}

export const emptyThread: Thread = {
  conversation: null,
  messages: [],
  approvals: {},
  turn: null,
  failure: null,
  has_older: false,
  has_newer: false,
}

export const isBusy = (thread: Thread): boolean =>
  thread.turn !== null ||
  (thread.conversation !== null && thread.conversation.status !== 'idle') ||
  thread.messages.at(-1)?.pending === 'sending'

/** The answer that is being made: the oldest that has not ended. Later ones wait for it. */
export const liveMessageId = (thread: Thread): string | null =>
  thread.turn?.message_id ??
  thread.messages.find(({ message }) => message.status === 'streaming')?.message.id ??
  null

/** The text of an answer without its reasoning and tools. */
export const textOf = (message: Message): string => {
  const texts = message.parts.filter((part) => part.type === 'text').map((part) => part.text)
  return texts.length > 0 ? texts.join('\n\n') : message.content
}

/** `thread` with one message changed; the others stay the very same objects. */
export function changeMessage(
  thread: Thread,
  id: string,
  change: (item: ThreadMessage) => ThreadMessage,
): Thread {
  const index = thread.messages.findLastIndex((item) => item.message.id === id)
  const item = thread.messages[index]
  if (!item) return thread
  return { ...thread, messages: thread.messages.with(index, change(item)) }
}

export const withParts = (item: ThreadMessage, parts: Part[]): ThreadMessage => ({
  ...item,
  message: { ...item.message, parts },
})
