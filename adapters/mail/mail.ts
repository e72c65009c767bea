import { createTransport, type Transporter } from 'nodemailer'
import { isUnsent } from '../../runtime/outbound/unsent.ts'
import { type Mail, type MailMessage, MailRefused, type MailServer } from '../../runtime/ports/mail.ts'

/** The checked addresses of a host set by a person. Rejects with `OutboundBlocked`. */
export type LocateHost = (host: string, port: number) => Promise<string[]>

export interface MailSettings {
  /** PEM certificates trusted in addition to the system's. */
  ca?: string
  /** Milliseconds for the connection and for the greeting. */
  timeout_ms?: number
}

const defaultTimeout = 15_000

/** Mail over SMTP and IMAP, connecting only to addresses that the guard has checked. */
export function createMail(locate: LocateHost, settings: MailSettings = {}): Mail {
  const addressesOf = ({ host, port }: MailServer) => locate(host, port).catch(unresolved)
  return {
    async send(message, server) {
      return withTransport(await addressesOf(server), { server, settings }, async (transport) => {
        const sent = await transport.sendMail(toNodemailer(message))
        return {
          message_id: sent.messageId,
          accepted: sent.accepted.map(String),
          rejected: sent.rejected.map(String),
        }
      })
    },
    async verify(server) {
      await withTransport(await addressesOf(server), { server, settings }, (transport) => transport.verify())
    },
    async receive(query, server, signal) {
      const { readInbox } = await import('./inbox.ts')
      return readInbox(query, { addresses: await addressesOf(server), server, settings, signal })
    },
    async *watch(query, server, signal) {
      const { watchInbox } = await import('./inbox.ts')
      yield* watchInbox(query, { addresses: await addressesOf(server), server, settings, signal })
    },
  }
}

interface Place {
  server: MailServer
  settings: MailSettings
}

/** Tries the addresses in order until one responds. */
async function withTransport<Result>(
  addresses: readonly string[],
  place: Place,
  run: (transport: Transport) => Promise<Result>,
): Promise<Result> {
  const [address = '', ...others] = addresses
  const transport = openTransport(address, place)
  try {
    return await run(transport)
  } catch (thrown) {
    const { reason, unreached, unsent } = reasonOf(thrown, place.server)
    if (unreached && others.length > 0) return withTransport(others, place, run)
    throw new MailRefused(reason, { unsent })
  } finally {
    transport.close()
  }
}

type Transport = Transporter<{ messageId: string; accepted: unknown[]; rejected: unknown[] }>

function openTransport(address: string, { server, settings }: Place): Transport {
  const { timeout_ms = defaultTimeout, ca } = settings
  const named = address !== server.host
  return createTransport({
    host: address,
    port: server.port,
    secure: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    ignoreTLS: server.security === 'none',
    ...(server.username && { auth: { user: server.username, pass: server.password ?? '' } }),
    tls: { ...(named && { servername: server.host }), ...(ca && { ca }) },
    connectionTimeout: timeout_ms,
    greetingTimeout: timeout_ms,
    socketTimeout: 2 * timeout_ms,
    // A message must not be able to make nodemailer read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  }) as Transport
}

const toNodemailer = ({ to, reply_to, in_reply_to, references, ...mail }: MailMessage) => ({
  from: mail.from,
  to: [...to],
  subject: mail.subject,
  text: mail.text,
  ...(mail.html && { html: mail.html }),
  ...(mail.message_id && { messageId: mail.message_id }),
  ...(reply_to && { replyTo: reply_to }),
  ...(in_reply_to && { inReplyTo: in_reply_to }),
  ...(references && { references: [...references] }),
  attachments: (mail.attachments ?? []).map(({ name, mime_type, bytes }) => ({
    filename: name,
    contentType: mime_type,
    content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  })),
  headers: { 'X-Auto-Response-Suppress': 'All', 'Auto-Submitted': 'auto-generated' },
})

/** Resolves the host. A resolution error is reported to the person; a refusal by the guard is rethrown. */
function unresolved(thrown: unknown): never {
  if (thrown instanceof Error && thrown.name === 'OutboundBlocked') throw thrown
  throw new MailRefused(`The mail server was not found: ${thrown instanceof Error ? thrown.message : 'no address'}`, {
    unsent: true,
  })
}

interface Reason {
  reason: string
  /** Nothing responded at this address, so the next one is tried. */
  unreached: boolean
  /** The server has not accepted the mail. Unknown after a cut connection, so the mail is not sent again. */
  unsent: boolean
}

/** The error for the person who entered the settings: the server's own text, if any. */
function reasonOf(thrown: unknown, { host, port, security }: MailServer): Reason {
  const error = thrown as { code?: string; response?: string; message?: string; cause?: { code?: string } }
  const said = error.response?.trim()
  const at = `${host}:${port}`
  if (error.code === 'EAUTH')
    return answered(
      said ? `The server refused the sign-in: ${said}` : 'The server does not support this kind of sign-in',
    )
  if (error.code === 'EENVELOPE' || error.code === 'EMESSAGE')
    return answered(`The server refused the mail: ${said ?? error.message ?? ''}`)
  if (said) return answered(`The server replied: ${said}`)
  const message = error.message ?? 'no reason given'
  if (/wrong version number|packet length too long|record layer/i.test(message))
    return answered(`${at} does not start with encryption; choose starttls instead of tls`)
  if (error.code === 'ETLS' || /certificate|self-signed|altnames/i.test(message))
    return answered(`Cannot establish an encrypted connection to ${at}: ${message}`)
  if (/greeting/i.test(message) && security !== 'tls')
    return answered(`${at} sent no greeting; a server that expects encryption at once needs tls`)
  const unreached = isUnsent(thrown) || /^(?:Connection timeout|Greeting never received)/.test(message)
  const problem = unreached ? 'cannot be reached' : 'did not confirm the mail, which may have been sent'
  return { reason: `${at} ${problem}: ${message}`, unreached, unsent: unreached }
}

const answered = (reason: string): Reason => ({ reason, unreached: false, unsent: true })
