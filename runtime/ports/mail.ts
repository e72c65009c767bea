/** A mail could not be sent. `message` is safe to show: it is the server's reply or the cause of the failure. */
export class MailRefused extends Error {
  override name = 'MailRefused'
  /** No server has accepted the mail. Otherwise it may or may not have been delivered. */
  readonly unsent: boolean

  constructor(message: string, { unsent = false } = {}) {
    super(message)
    this.unsent = unsent
  }
}

export interface MailServer {
  /** Set by a person, so it may be a private host. */
  host: string
  port: number
  /** `starttls` refuses a server that does not encrypt; `none` never encrypts. */
  security: 'starttls' | 'tls' | 'none'
  username?: string
  password?: string
}

export interface MailMessage {
  /** An address, or `Name <address>`. */
  from: string
  to: readonly string[]
  subject: string
  text: string
  html?: string
  reply_to?: string
  /** `Message-ID` of the mail that this one replies to. */
  in_reply_to?: string
  references?: readonly string[]
  /** `Message-ID`, the same for every attempt. Default: a new one. */
  message_id?: string
  attachments?: readonly { name: string; mime_type: string; bytes: Uint8Array }[]
}

export interface MailReceipt {
  message_id: string
  /** Addresses that the server accepted and rejected. */
  accepted: string[]
  rejected: string[]
}

export interface InboxPosition {
  /** Changes when the server renumbers its emails. */
  uid_validity: string
  uid: number
  /** Earlier emails that are still to be read, oldest first. */
  unread?: readonly number[]
}

/** Which emails of an inbox to read. */
export interface InboxQuery {
  /** Position returned by the previous call; null returns the current end of the inbox without reading older emails. */
  after: InboxPosition | null
  /**
   * If the server has renumbered its emails, those that it received after this time are read again, because the new
   * ones among them are not known. In milliseconds since the epoch. Default: none are.
   */
  reread_since?: number
  max_mails: number
  /** Maximum bytes per email; longer ones are truncated. */
  max_bytes: number
}

export interface InboxMail {
  uid: number
  /** As the server stores it (RFC 5322). */
  raw: Uint8Array
  size_bytes: number
}

export interface Inbox {
  /** Oldest first. */
  mails: InboxMail[]
  /** Position for the next call. */
  next: InboxPosition
}

/**
 * Sends mail through an SMTP server and reads the inbox of an IMAP server, which it does not change. Rejects with
 * `MailRefused`, or `OutboundBlocked` if the guard refuses the host.
 */
export interface Mail {
  send(message: MailMessage, server: MailServer): Promise<MailReceipt>
  /** Signs in to the server without sending anything. */
  verify(server: MailServer): Promise<void>
  receive(query: InboxQuery, server: MailServer, signal?: AbortSignal): Promise<Inbox>
  /**
   * Reads the inbox now and, while the connection is open, whenever new emails may have arrived: at once if the server
   * announces them (IDLE), else every minute. Each position is that for the next one. Ends when the connection does, or
   * when the server renumbers its emails.
   */
  watch(query: InboxQuery, server: MailServer, signal: AbortSignal): AsyncIterable<Inbox>
}
