import { textOf as textOfParts } from '../../../../runtime/chat/answer.ts'
import type {
  Approval,
  Conversation,
  FilePart,
  Message,
  MessageError,
  StreamEvent,
  StreamEvents,
} from '../../../../runtime/chat/schema.ts'
import type { Wait } from '../../../../runtime/work/schema.ts'

/** An event of a turn that is not part of its answer. */
export type Notice = Extract<StreamEvent, { event: 'fallback' | 'compaction' }>

export interface ThreadMessage {
  /** Stays the same when a message sent from this page gets its stored id, so that its row is not mounted again. */
  key: string
  message: Message
  notices: readonly Notice[]
  /** The provider is called again after a wait. */
  retry?: StreamEvents['retry']
  /** Sent from this page and not yet among the stored messages. */
  pending?: 'sending' | 'queued'
}

/** The answer that is being streamed. */
export interface Turn {
  message_id: string
  /** `id:` of the last applied event; the next connection resumes after it. */
  cursor: string
}

/** `owner_name` is set if it belongs to somebody else. */
export type ShownConversation = Conversation & { owner_name?: string | null }

/** The state of one conversation. Changed only by `applyEvent` and the merges in `stored.ts`. */
export interface Thread {
  conversation: ShownConversation | null
  /** Oldest first. */
  messages: readonly ThreadMessage[]
  approvals: Readonly<Record<string, Approval>>
  turn: Turn | null
  /** The error of a turn that failed before it had a message. */
  failure: MessageError | null
  has_older: boolean
  /** The messages end before the latest ones, so new messages do not follow them. */
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

/** The id of the answer in progress: the oldest that has not ended. Later ones wait for it. */
export const liveMessageId = (thread: Thread): string | null =>
  thread.turn?.message_id ?? thread.messages.find(({ message }) => message.status === 'streaming')?.message.id ?? null

/** Why the answer in progress waits for the provider; null once that time has passed, as no event reports that it continues. */
export function waitOf({ conversation }: Thread): Wait | null {
  const wait = conversation?.waiting ?? null
  return wait && Date.parse(wait.until) > Date.now() ? wait : null
}

/** The text of an answer without its reasoning and tools. */
export const textOf = ({ parts, content }: Message): string => textOfParts(parts) || content

/** `thread` with one message changed; the others stay the same objects. */
export function changeMessage(thread: Thread, id: string, change: (item: ThreadMessage) => ThreadMessage): Thread {
  const index = thread.messages.findLastIndex((item) => item.message.id === id)
  const item = thread.messages[index]
  if (!item) return thread
  return { ...thread, messages: thread.messages.with(index, change(item)) }
}

/** A message without content, for one that the daemon has not stored yet. */
export const blankMessage = (identity: Pick<Message, 'id' | 'conversation_id' | 'role'>): Message => ({
  ...identity,
  content: '',
  parts: [],
  attachments: [],
  model: null,
  provider: null,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  status: 'complete',
  error: null,
  compacted: false,
  created_at: new Date().toISOString(),
})

/** The files that were sent with a message. */
export const filesOf = (message: Message | undefined): FilePart[] =>
  message?.parts.filter((part) => part.type === 'file') ?? []

/** Whether only the answer `live` has changed, whose row subscribes to it, so that the list need not render. */
export function sameStructure(
  before: readonly ThreadMessage[],
  after: readonly ThreadMessage[],
  live: string | null,
): boolean {
  if (before === after) return true
  if (before.length !== after.length || live === null) return false
  return after.every((item, index) => {
    const old = before[index] as ThreadMessage
    return item === old || (item.message.id === live && old.message.id === live && item.key === old.key)
  })
}

/** What the page renders of a conversation: a new object after every change. */
export interface SessionView {
  thread: Thread
  loaded: boolean
  /** Why it could not be loaded or refreshed. */
  error: unknown
  /** `lost` while the stream reconnects. */
  link: 'none' | 'live' | 'lost'
}

export const emptyView: SessionView = {
  thread: emptyThread,
  loaded: false,
  error: null,
  link: 'none',
}
