/** A mail could not be handed over. `message` is safe to show: the server's own words, or what stood in the way. */
export class MailRefused extends Error {
  override name = 'MailRefused'
}

export interface MailServer {
  /** A person set it, so it may be a private host. */
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
  /** Of the mail that this one answers. */
  in_reply_to?: string
  references?: readonly string[]
}

export interface MailReceipt {
  message_id: string
  /** Addresses that the server took and did not take. */
  accepted: string[]
  rejected: string[]
}

/** ControlLock mails to a mail server. Rejects with `MailRefused`, or `OutboundBlocked` when the guard forbids the host. */
export interface Mail {
  send(message: MailMessage, server: MailServer): Promise<MailReceipt>
}
