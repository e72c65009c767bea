/** A mail could not be sent. `message` is safe to show: it is the server's reply or the cause of the failure. */
export class MailRefused extends Error {
  override name = 'MailRefused'
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
}

export interface MailReceipt {
  message_id: string
  /** Addresses that the server accepted and rejected. */
  accepted: string[]
  rejected: string[]
}

/** Sends mail through an SMTP server. Rejects with `MailRefused`, or `OutboundBlocked` if the guard refuses the host. */
export interface Mail {
  send(message: MailMessage, server: MailServer): Promise<MailReceipt>
}
