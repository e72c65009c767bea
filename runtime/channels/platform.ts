import type { z } from 'zod'
import type { Context } from '../context.ts'

export const platformNames = [
  'discord',
  'slack',
  'telegram',
  'whatsapp',
  'teams',
  'google_chat',
  'line',
  'email',
  'webhook',
] as const
export type PlatformName = (typeof platformNames)[number]

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
  /** What `Platform.download` needs. Stored as JSON; holds no secret. */
  reference: Readonly<Record<string, string>>
}

/** One thing that a person did on a platform. */
export interface InboundMessage {
  /** The platform's id of this delivery's content. A repeat is ignored for 24 hours. */
  id: string
  /** `edit` replaces the text of the message `edits`; `button` carries the `value` of a pressed button. */
  kind: 'message' | 'edit' | 'button'
  edits: string | null
  sender: Sender
  peer: Peer
  /** Plain text or Markdown. */
  text: string
  /** `value` of the pressed button; null for other kinds. */
  value: string | null
  /** Whether a message in a group addresses the bot. Always true in direct messages. */
  is_mention: boolean
  files: readonly InboundFile[]
  sent_at: string
  /** What `send` needs to answer exactly this message, such as a reply token. Stored as JSON, encrypted. */
  reply: Readonly<Record<string, string>>
}

type Given = 'id' | 'sender' | 'peer' | 'sent_at'

/** A message with defaults for what most have in common. Its kind follows from `value` and `edits`. */
export const inboundMessage = (
  given: Pick<InboundMessage, Given> & Partial<Omit<InboundMessage, Given | 'kind'>>,
): InboundMessage => {
  const { value = null, edits = null } = given
  return {
    ...{ text: '', is_mention: true, files: [], reply: {} },
    ...given,
    ...{ kind: value !== null ? 'button' : edits !== null ? 'edit' : 'message', value, edits },
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

/** A messaging platform. Nothing in it is stored or timed: the area does both. */
export interface Platform {
  name: PlatformName
  title: string
  /**
   * Strings. Each has a description; `meta({ secret: true })` marks those that are never shown again, all others are
   * shown in full.
   */
  credentials: z.ZodObject
  /** What the owner does on the platform, in order. `{webhook_url}` stands for the channel's address. Markdown. */
  setup_steps: readonly string[]
  limits: {
    text_characters: number
    /** The same for a message with buttons, if it is lower. */
    button_text_characters?: number
    messages_per_second: number
    /** Maximum size of a file that a bot can send, and of all files of one message; 0 if it can send none. */
    file_bytes: number
    /** Seconds within which the platform expects an acknowledgement. */
    acknowledge_seconds: number
  }
  has: { buttons: boolean; typing: boolean; files: boolean; groups: boolean }
  /**
   * Whether each file takes a request of its own. Then it is also a message of its own, so that a retry of the file
   * does not repeat the text.
   */
  separate_files?: true
  /** Verifies the raw bytes, then parses them. Reads nothing of a request that it refuses. */
  receive(request: RawRequest, connection: Connection, context: Context): Promise<Received>
  /** Sends one message. Rejects with `SendFailed`. */
  send(
    message: OutboundMessage,
    connection: Connection,
    context: Context,
  ): Promise<{ platform_message_id: string | null }>
  /** Shows the typing indicator, if `has.typing`. `reply` is that of the message being answered. */
  typing?(
    peer: Peer,
    connection: Connection,
    context: Context,
    reply?: Readonly<Record<string, string>> | null,
  ): Promise<void>
  /** Requests a file of a message. */
  download?(file: InboundFile, connection: Connection, context: Context): Promise<Response>
  /** Registers the webhook address with the platform, where it has an API for that. */
  connect?(connection: Connection, context: Context): Promise<void>
  disconnect?(connection: Connection, context: Context): Promise<void>
  /** Calls the platform with the credentials. `detail` names the bot or says what is wrong and what to do. */
  health(connection: Connection, context: Context): Promise<{ ok: boolean; detail: string }>
  /**
   * Keeps a connection open over which the platform sends messages, until it ends or `context.signal` aborts. `cursor`
   * is the last position that was stored. Rejects if the platform cannot be reached.
   */
  listen?(
    cursor: string | null,
    connection: Connection,
    context: Context,
    listener: Listener,
  ): Promise<Disconnection>
  /** Fetches new messages, where the platform does not call us. `cursor` is what the last call returned. */
  poll?(
    cursor: string | null,
    connection: Connection,
    context: Context,
  ): Promise<{ messages: readonly InboundMessage[]; cursor: string | null }>
}
