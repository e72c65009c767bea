import type { z } from 'zod'
import type { Context } from '../context.ts'
import type { PlatformId, PlatformInfo } from './schema.ts'

export type PlatformName = z.output<typeof PlatformId>

/** An unverified request from a platform. */
export interface RawRequest {
  method: string
  url: URL
  headers: Headers
  body: Uint8Array
}

/** An enabled channel with its decrypted credentials. */
export interface Connection {
  channel_id: string
  /** Values of the platform's `credentials` schema. */
  credentials: Readonly<Record<string, string>>
  /** The address that the platform calls. */
  webhook_url: string
}

/** The chat in which a message was written and to which its answer is sent. */
export interface Peer {
  kind: 'dm' | 'group'
  /** The platform's id of the conversation: a chat, channel, room or address. */
  id: string
  name: string | null
  thread_id: string | null
  /** Workspace, server or tenant. */
  team_id: string | null
}

export interface Sender {
  id: string
  name: string | null
}

/** A file of a message. It is downloaded after the request was acknowledged. */
export interface InboundFile {
  name: string
  mime_type: string | null
  size_bytes: number | null
  /** It was recorded for this message: it is what the sender says. */
  is_voice?: true
  /** What `Platform.download` needs. Stored as JSON; holds no secret. */
  reference: Readonly<Record<string, string>>
}

interface FileFacts {
  mime_type?: string | null | undefined
  size_bytes?: number | null | undefined
  is_voice?: boolean
}

export const inboundFile = (
  name: string,
  reference: InboundFile['reference'],
  { mime_type = null, size_bytes = null, is_voice = false }: FileFacts = {},
): InboundFile => ({ name, mime_type, size_bytes, reference, ...(is_voice && { is_voice }) })

/** What other people wrote, as part of a message. */
export interface Quote {
  /**
   * `reply`: the message that it answers. `forward`: the message itself was written elsewhere. `shared`: a contact, place
   * or poll.
   */
  kind: 'reply' | 'forward' | 'shared'
  /** Who wrote it; null if that is not known. */
  from: string | null
  text: string
  /** Whether the sender of the message wrote it. */
  is_own: boolean
}

/** What somebody other than the sender wrote. */
export const quoteOf = (kind: Quote['kind'], text: string, from: string | null = null): Quote => ({
  kind,
  from,
  text,
  is_own: false,
})

/** One thing that a person did on a platform. */
export interface InboundMessage {
  /** The platform's id of this delivery's content. A repeat is ignored for 24 hours. */
  id: string
  /** `edit` replaces the text of the message `edits`; `button` carries the `value` of a pressed button. */
  kind: 'message' | 'edit' | 'button'
  edits: string | null
  sender: Sender
  peer: Peer
  /** The platform's id of the message that it is about: that of a pressed button, or one that it quotes. */
  about: string | null
  /** What the sender wrote, as plain text or Markdown; empty for a forwarded message. */
  text: string
  quotes: readonly Quote[]
  /** `value` of the pressed button; null for other kinds. */
  value: string | null
  /** Whether a message in a group addresses the bot. Always true in direct messages. */
  is_mention: boolean
  files: readonly InboundFile[]
  sent_at: string
  /** What `send` needs to answer exactly this message, such as a reply token. Stored as JSON, encrypted. */
  reply: Readonly<Record<string, string>>
}

type Required = 'id' | 'sender' | 'peer' | 'sent_at'

/** A message with defaults for the fields that most leave out. Its kind follows from `value` and `edits`. */
export const inboundMessage = (
  fields: Pick<InboundMessage, Required> & Partial<Omit<InboundMessage, Required | 'kind'>>,
): InboundMessage => {
  const { value = null, edits = null } = fields
  return {
    about: null,
    text: '',
    quotes: [],
    is_mention: true,
    files: [],
    reply: {},
    ...fields,
    kind: value !== null ? 'button' : edits !== null ? 'edit' : 'message',
    value,
    edits,
  }
}

export type Received =
  /** The signature or token is wrong: 401. `reason` goes to the channel's log, not to the caller. */
  | { kind: 'refused'; reason: string }
  /** A handshake. */
  | { kind: 'answered'; response: Response }
  /** Verified. `response` is what the platform expects as acknowledgement; default: 200 without a body. */
  | { kind: 'accepted'; messages: readonly InboundMessage[]; response?: Response }

export interface Button {
  label: string
  /** Returned as `InboundMessage.value`; at most 64 bytes. */
  value: string
  style: 'primary' | 'danger' | 'default'
}

export interface OutboundFile {
  name: string
  mime_type: string
  bytes: Uint8Array
}

/** One message of at most `limits.text_characters` characters. */
export interface OutboundMessage {
  /** Stable across retries: the platform's own deduplication key where it has one. */
  id: string
  peer: Peer
  /** Markdown as models write it; `send` translates it to the platform's format. */
  markdown: string
  buttons: readonly Button[]
  files: readonly OutboundFile[]
  /** `InboundMessage.reply` of the message that this one answers. */
  reply: Readonly<Record<string, string>> | null
}

/** Time limit for an upload, in milliseconds: 100 kB per second, the uplink of a slow home connection. */
export const uploadTime = (bytes: number): number => bytes / 100

/** A message could not be sent. */
export class SendFailed extends Error {
  override name = 'SendFailed'
  /** Seconds after which the platform allows another attempt; null if it did not say. */
  readonly retry_after_seconds: number | null
  /** Whether another attempt is useless until a person changes something. */
  readonly is_permanent: boolean

  constructor(
    message: string,
    {
      retry_after_seconds = null,
      is_permanent = false,
    }: { retry_after_seconds?: number | null; is_permanent?: boolean } = {},
  ) {
    super(message)
    this.retry_after_seconds = retry_after_seconds
    this.is_permanent = is_permanent
  }
}

/** A failure that another attempt would repeat. */
export const permanent = (message: string) => new SendFailed(message, { is_permanent: true })

/** Takes what a connection to a platform delivers. Each call is stored before it resolves. */
export interface Listener {
  /** The platform has accepted the connection. */
  connected(cursor: string): Promise<void>
  /** Stores messages together with the position after them. */
  receive(messages: readonly InboundMessage[], cursor: string): Promise<void>
  /** The connection is still open. Rejects if another process has taken it over. */
  alive(cursor: string): Promise<void>
}

/** A connection that ended in an orderly way. */
export interface Disconnection {
  reason: string
  /** Position for the next connection; null if it starts from now. */
  cursor: string | null
  /** Seconds until the next connection; null if a person must change something first. */
  retry_after_seconds: number | null
}

/** What decides whether a channel receives its messages at an address. */
export interface Reception {
  /** Empty if this daemon has no public address. */
  webhook_url: string
  /** The credentials that are set. Their values may be masked. */
  credentials: Readonly<Record<string, string>>
}

/** The result of a test. `detail` says what works, or what is wrong and what to do. */
export interface Check {
  ok: boolean
  detail: string
}

/** A messaging platform. Nothing in it is stored or timed: the area does both. */
export interface Platform {
  name: PlatformName
  title: string
  /**
   * Strings. Each has a description; `meta({ secret: true })` marks those that are never shown again, all others are
   * shown in full; `advanced: true` those that few need. The others are at most three.
   */
  credentials: z.ZodObject
  /** What the owner does on the platform, in order. `{webhook_url}` stands for the channel's address. Markdown. */
  setup_steps: readonly string[]
  limits: PlatformInfo['limits']
  has: PlatformInfo['has']
  /**
   * Whether each file takes a request of its own. Then it is also a message of its own, so that a retry of the file
   * does not repeat the text.
   */
  separate_files?: true
  /** Whether everything about a message of a person replies to it, so that it is in one thread. Default: the answer's beginning does. */
  keeps_threads?: true
  /** Whether a position belongs to a session that a long outage ends. Default: it stays valid. */
  has_sessions?: true
  /** Verifies the raw bytes, then parses them. Reads nothing of a request that it refuses. */
  receive(request: RawRequest, connection: Connection, context: Context): Promise<Received>
  /** Sends one message. Rejects with `SendFailed`. */
  send(
    message: OutboundMessage,
    connection: Connection,
    context: Context,
  ): Promise<{ platform_message_id: string | null }>
  /** Replaces a sent message, its buttons included. Rejects with `SendFailed`. Absent if the platform cannot do that. */
  edit?(message: OutboundMessage, platform_message_id: string, connection: Connection, context: Context): Promise<void>
  /** Shows the typing indicator, if `has.typing`. `reply` is that of the message being answered. */
  typing?(
    peer: Peer,
    connection: Connection,
    context: Context,
    reply?: Readonly<Record<string, string>> | null,
  ): Promise<void>
  /** Sets the bot's reaction to a message, named by its `reply`; null removes it. Absent if the platform cannot do that. */
  react?(
    emoji: string | null,
    message: { peer: Peer; reply: Readonly<Record<string, string>> },
    connection: Connection,
    context: Context,
  ): Promise<void>
  /** Requests a file of a message. */
  download?(file: InboundFile, connection: Connection, context: Context): Promise<Response>
  /** Registers the webhook address with the platform, where it has an API for that. */
  connect?(connection: Connection, context: Context): Promise<void>
  disconnect?(connection: Connection, context: Context): Promise<void>
  /**
   * Calls the platform with the credentials, which shows whether messages can be sent. `receiving` is set if the platform
   * knows whether it can deliver to the channel.
   */
  health(connection: Connection, context: Context): Promise<Check & { receiving?: Check }>
  /**
   * Whether the platform sends messages to the webhook address although it has `listen`. Default: it does not.
   */
  uses_webhook?(channel: Reception): boolean
  /**
   * Keeps a connection open over which the platform sends messages, until it ends or `context.signal` aborts. `cursor`
   * is the last position that was stored. Rejects if the platform cannot be reached.
   */
  listen?(cursor: string | null, connection: Connection, context: Context, listener: Listener): Promise<Disconnection>
}
