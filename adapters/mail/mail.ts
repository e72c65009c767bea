import { createTransport, type Transporter } from 'nodemailer'
import {
  type Mail,
  type MailMessage,
  type MailReceipt,
  MailRefused,
  type MailServer,
} from '../../runtime/ports/mail.ts'
import { reasonOf } from './reason.ts'

/** The checked addresses of a host that a person set; rejects with `OutboundBlocked`. */
export type LocateHost = (host: string, port: number) => Promise<string[]>

export interface MailSettings {
  /** Certificates, PEM, that are trusted beside the system's. */
  ca?: string
  /** Milliseconds for the connection and for the greeting. */
  patience_ms?: number
}

const patience = 15_000

/** Speaks SMTP. The connection goes to an address that the guard has checked, whatever the name says afterwards. */
export function createMail(locate: LocateHost, settings: MailSettings = {}): Mail {
  return {
    async send(message, server) {
      const addresses = await locate(server.host, server.port).catch(unresolved)
      return sendTo(addresses, { message, server, settings })
    },
  }
}

interface Sending {
  message: MailMessage
  server: MailServer
  settings: MailSettings
}

/** One address after the other, as long as none has answered. */
async function sendTo(addresses: readonly string[], sending: Sending): Promise<MailReceipt> {
  const [address = '', ...others] = addresses
  const transport = openTransport(address, sending)
  try {
    const sent = await transport.sendMail(toNodemailer(sending.message))
    return {
      message_id: sent.messageId,
      accepted: sent.accepted.map(String),
      rejected: sent.rejected.map(String),
    }
  } catch (thrown) {
    const { reason, unreached } = reasonOf(thrown, sending.server)
    if (unreached && others.length > 0) return sendTo(others, sending)
    throw new MailRefused(reason)
  } finally {
    transport.close()
  }
}

function openTransport(address: string, { server, settings }: Sending) {
  const { patience_ms = patience, ca } = settings
  const named = address !== server.host
  return createTransport({
    host: address,
    port: server.port,
    secure: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    ignoreTLS: server.security === 'none',
    ...(server.username && { auth: { user: server.username, pass: server.password ?? '' } }),
    tls: { ...(named && { servername: server.host }), ...(ca && { ca }) },
    connectionTimeout: patience_ms,
    greetingTimeout: patience_ms,
    socketTimeout: 2 * patience_ms,
    // A message is what we were given: nothing in it makes this machine read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  }) as Transporter<{ messageId: string; accepted: unknown[]; rejected: unknown[] }>
}

const toNodemailer = ({ from, to, subject, text, html, reply_to, in_reply_to, references }: MailMessage) => ({
  from,
  to: [...to],
  subject,
  text,
  ...(html && { html }),
  ...(reply_to && { replyTo: reply_to }),
  ...(in_reply_to && { inReplyTo: in_reply_to }),
  ...(references && { references: [...references] }),
  headers: { 'X-Auto-Response-Suppress': 'All', 'Auto-Submitted': 'auto-generated' },
})

/** A name that leads nowhere is an answer for the person; a refusal of the guard stays what it is. */
function unresolved(thrown: unknown): never {
  if (thrown instanceof Error && thrown.name === 'OutboundBlocked') throw thrown
  throw new MailRefused(
    `The mail server was not found: ${thrown instanceof Error ? thrown.message : 'no address'}`,
  )
}
