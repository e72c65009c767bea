import PostalMime, { type Email } from 'postal-mime'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import { type Inbox, type InboxPosition, MailRefused, type MailServer } from '../../ports/mail.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { toHex } from '../../secrets/signatures.ts'
import { mailServer } from '../../settings/index.ts'
import { hour, iso } from '../../time.ts'
import { readable } from '../../tools/readable.ts'
import {
  type Check,
  type Connection,
  type InboundFile,
  type InboundMessage,
  inboundFile,
  inboundMessage,
  type OutboundMessage,
  type Platform,
  permanent,
  quoteOf,
  SendFailed,
} from '../platform.ts'
import { isConfirmed } from './email-sender.ts'
import { checkerAt, defaultSmtp, serversOf } from './email-servers.ts'
import { forwardIn, withoutHistory } from './email-text.ts'
import { translateMarkdown } from './markdown.ts'
import { telegramHtml } from './telegram.ts'

/** Emails that are read at once, and bytes per email. */
const maxMails = 10
const maxBytes = 36_000_000
/**
 * After the server has renumbered its emails, those of this time are read again; the known ones are recognised by their
 * `Message-ID`. Shorter than the two days for which ids are kept. In milliseconds.
 */
const rereadTime = 36 * hour
/** Emails in which a test looks for the name of the server that checks senders. */
const suggestionMails = 20
/** Characters of an email that are processed; fewer reach the agent. */
const maxText = 500_000

const host = z
  .string()
  .max(253)
  .regex(/^[\w.:-]*$/, 'must be a host name or an address')

const port = z.union([
  z.literal(''),
  z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number')
    .refine((text) => Number(text) > 0 && Number(text) < 65_536, 'must be a port'),
])

const security = z.enum(['', 'tls', 'starttls', 'none'])

const credentials = z.object({
  address: z.email().meta({ title: 'Address', description: 'The mailbox of the agent, such as hearth@example.com' }),
  password: z.string().min(1).max(1_000).meta({
    title: 'Password',
    description: 'Most providers require an app password',
    secret: true,
  }),
  authserv_id: z
    .string()
    .max(253)
    .regex(/^[\w.-]*$/, 'must be a name such as mx.example.com')
    .default('')
    .meta({
      title: 'Checked by',
      description:
        'The name of your mail server at the start of the Authentication-Results header of an email you received. Not needed for Gmail. If empty, no emails are read, because anyone can forge a sender. A test suggests it',
    }),
  username: z
    .string()
    .max(320)
    .default('')
    .meta({ title: 'Username', description: 'Default: the address', advanced: true }),
  imap_host: host.default('').meta({
    title: 'IMAP server',
    description: 'Default: that of the provider, or imap. and the domain of the address',
    advanced: true,
  }),
  imap_port: port.default('').meta({ title: 'IMAP port', description: 'Default: 993', advanced: true }),
  imap_security: security
    .default('')
    .meta({ title: 'IMAP encryption', description: 'tls, starttls or none. Default: tls', advanced: true }),
  smtp_host: host.default('').meta({
    title: 'SMTP server',
    description:
      'Default: that of the provider, or smtp. and the domain of the address. With an IMAP server of your own: the server of Settings → Email',
    advanced: true,
  }),
  smtp_port: port.default('').meta({ title: 'SMTP port', description: 'Default: 465', advanced: true }),
  smtp_security: security
    .default('')
    .meta({ title: 'SMTP encryption', description: 'tls, starttls or none. Default: tls', advanced: true }),
})

/** A dedicated mailbox, read over IMAP and answered over SMTP. Only emails whose sender the mail server confirmed are accepted. */
export const email: Platform = {
  name: 'email',
  title: 'Email',
  credentials,
  setup_steps: [
    'Create a mailbox that only the agent uses, and an app password if the provider has them. Enter both here.',
    'Gmail needs nothing more. Otherwise send an email to the mailbox, choose **Test**, and enter the name that it suggests as **Checked by** if that is your mail server.',
    'Connect the channel. Existing emails are ignored; new ones are read when they arrive and stay unread.',
  ],
  limits: {
    text_characters: 50_000,
    messages_per_second: 1,
    file_bytes: 20_000_000,
    acknowledge_seconds: 60,
  },
  has: { buttons: false, typing: false, files: true, groups: false },
  keeps_threads: true,

  async receive() {
    return { kind: 'refused', reason: 'emails are read from the mailbox; this address accepts no requests' }
  },

  async listen(cursor, connection, context, listener) {
    if (!checkedBy(connection)) throw permanent('Fill in "Checked by": without it, no email is read')
    const query = {
      after: cursorOf(cursor),
      max_mails: maxMails,
      max_bytes: maxBytes,
      reread_since: context.clock.now() - rereadTime,
    }
    let position: string | null = null
    try {
      for await (const inbox of context.mail.watch(query, imapServer(connection), context.signal)) {
        const next = cursorText(inbox.next)
        if (position === null) {
          position = cursor ?? next
          await listener.connected(position)
        }
        const messages = await messagesOf(inbox, connection, context)
        if (messages.length > 0) await listener.receive(messages, next)
        else if (next !== position) await listener.alive(next)
        position = next
      }
    } catch (thrown) {
      if (!(thrown instanceof MailRefused) || position === null) throw toSendFailed(thrown)
      return { reason: thrown.message, cursor: position, retry_after_seconds: 0 }
    }
    return { reason: 'The mail server ended the connection', cursor: position, retry_after_seconds: 0 }
  },

  async send(message, connection, context) {
    try {
      const server = await smtpServer(connection, context)
      const mail = mailOf(message, connection, server.from)
      const { message_id, rejected } = await context.mail.send(mail, server)
      if (rejected.length > 0) throw permanent(`The server refused the recipients ${rejected.join(', ')}`)
      return { platform_message_id: message_id }
    } catch (thrown) {
      throw toSendFailed(thrown)
    }
  },

  async download({ reference }, connection, context) {
    const { uid_validity = '', uid = '', index = '', cut } = reference
    if (cut !== undefined) throw permanent(`the email is larger than ${maxBytes / 1_000_000} MB`)
    const after = { uid_validity, uid: Number(uid) - 1 }
    const query = { after, max_mails: 1, max_bytes: maxBytes }
    const { mails } = await context.mail.receive(query, imapServer(connection), context.signal)
    const mail = mails.find((one) => one.uid === Number(uid))
    const attachment = mail && (await parse(mail.raw)).attachments[Number(index)]
    if (!attachment) throw permanent('The email or its attachment is no longer in the mailbox')
    return new Response(attachment.content as BodyInit, { headers: { 'content-type': attachment.mimeType } })
  },

  async health(connection, context) {
    const [receiving, sending] = await Promise.all([
      checkOf(() => checkInbox(connection, context)),
      checkOf(async () => {
        const server = await smtpServer(connection, context)
        await context.mail.verify(server)
        return `Answers are sent from ${server.from}`
      }),
    ])
    return { ...sending, receiving }
  },
}

async function checkOf(check: () => Promise<string>): Promise<Check> {
  try {
    return { ok: true, detail: await check() }
  } catch (thrown) {
    const failed = toSendFailed(thrown)
    if (failed instanceof SendFailed) return { ok: false, detail: failed.message }
    throw thrown
  }
}

/** Signs in to the inbox. Rejects with what to do if no email of it would be read. */
async function checkInbox(connection: Connection, context: Context): Promise<string> {
  const server = imapServer(connection)
  const limits = { max_mails: suggestionMails, max_bytes: 50_000 }
  const { next } = await context.mail.receive({ after: null, ...limits }, server, context.signal)
  if (checkedBy(connection)) return `Signed in to ${server.host}`
  const after = { ...next, uid: Math.max(0, next.uid - suggestionMails) }
  const { mails } = await context.mail.receive({ after, ...limits }, server, context.signal)
  const names = await Promise.all(mails.map(async ({ raw }) => checkerOf(await parse(raw))))
  const name = names.findLast((one) => one !== '')
  throw permanent(
    name === undefined
      ? 'Fill in "Checked by". None of the latest emails says who checked its sender: send one to this mailbox and test again'
      : `Fill in "Checked by". The latest email was checked by ${name}: enter that name if it is your mail server`,
  )
}

/** The name at the start of the topmost `Authentication-Results`, which the server of the mailbox adds. */
const checkerOf = (mail: Email): string =>
  /^[\w.-]{1,253}(?=[\s;])/.exec(headerOf(mail, 'authentication-results'))?.[0] ?? ''

/** The messages of the emails that were read. */
async function messagesOf({ mails, next }: Inbox, connection: Connection, context: Context): Promise<InboundMessage[]> {
  const messages: InboundMessage[] = []
  for (const { uid, raw, size_bytes } of mails) {
    const place = { uid_validity: next.uid_validity, uid: String(uid) }
    const isCut = raw.byteLength < size_bytes
    const now = context.clock.now()
    try {
      const digest = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', raw as BufferSource)))
      const message = await toInbound(await parse(raw), { digest, place, connection, isCut, now })
      if (message) messages.push(message)
    } catch (thrown) {
      // Anyone can send an email that cannot be parsed. It must not block the ones after it.
      context.log.write('info', 'cannot read an email', { uid, cause: String(thrown) })
    }
  }
  return messages
}

function toSendFailed(thrown: unknown): unknown {
  if (thrown instanceof OutboundBlocked)
    return permanent(`The guard for outgoing requests refused the mail server: ${thrown.message}`)
  if (thrown instanceof Fault) return permanent(thrown.message)
  if (!(thrown instanceof MailRefused)) return thrown
  return new SendFailed(thrown.message, { is_permanent: /refused the (sign-in|mail)/.test(thrown.message) })
}

const cursorText = ({ uid_validity, uid, unread = [] }: InboxPosition): string =>
  [uid_validity, uid, ...(unread.length > 0 ? [unread.join(',')] : [])].join(':')

function cursorOf(cursor: string | null): InboxPosition | null {
  const [, uid_validity = '', uid = '', unread] =
    /^(\d{1,20}):(\d{1,10})(?::([\d,]{1,10000}))?$/.exec(cursor ?? '') ?? []
  if (uid === '') return null
  return { uid_validity, uid: Number(uid), ...(unread && { unread: unread.split(',').map(Number) }) }
}

const account = ({ username, address, password }: Connection['credentials']) => ({
  username: username || (address ?? ''),
  password: password ?? '',
})

function imapServer({ credentials }: Connection): MailServer {
  const { address = '', imap_host, imap_port, imap_security } = credentials
  const { imap } = serversOf(address)
  return {
    host: imap_host || imap.host,
    port: Number(imap_port || imap.port),
    security: (imap_security || imap.security) as MailServer['security'],
    ...account(credentials),
  }
}

/** The name of the server that checks senders; empty if a person must enter it. */
const checkedBy = (connection: Connection): string =>
  connection.credentials.authserv_id || checkerAt(imapServer(connection).host)

async function smtpServer({ credentials }: Connection, context: Context): Promise<MailServer & { from: string }> {
  const { imap_host, smtp_host, smtp_port, smtp_security, address = '' } = credentials
  if (!smtp_host && imap_host) return mailServer(context)
  const smtp = smtp_host ? defaultSmtp(smtp_host) : serversOf(address).smtp
  return {
    host: smtp.host,
    port: Number(smtp_port || smtp.port),
    security: (smtp_security || smtp.security) as MailServer['security'],
    ...account(credentials),
    from: address,
  }
}

const parse = (raw: Uint8Array): Promise<Email> =>
  PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer', maxNestingDepth: 50, maxHeadersSize: 200_000 })

interface Source {
  /** Identifies an email without a `Message-ID`. */
  digest: string
  place: { uid_validity: string; uid: string }
  connection: Connection
  /** Whether the email is larger than the limit, so that its end was not read. */
  isCut: boolean
  now: number
}

/** Null for an automatic email, or one whose sender the mail server did not confirm. */
async function toInbound(mail: Email, source: Source): Promise<InboundMessage | null> {
  const { digest, place, connection, isCut, now } = source
  const { address = '' } = connection.credentials
  const from = mail.from?.address?.toLowerCase() ?? ''
  if (from === '' || from === address.toLowerCase() || isAutomatic(mail)) return null
  if (!isConfirmed(mail.headers, from, checkedBy(connection))) return null
  const files = filesOf(mail, place, isCut)
  const whole = (mail.text ?? (await readable((mail.html ?? '').slice(0, 4 * maxText), 'about:blank')).text).slice(
    0,
    maxText,
  )
  const subject = mail.subject ?? ''
  const forward = forwardIn(whole, /^\s{0,5}(fwd?|wg|tr|rv)\s{0,3}:/i.test(subject))
  const written = forward?.own ?? withoutHistory(whole)
  const isReply = /^\s{0,5}(re|aw|sv|antw)\s{0,3}:/i.test(subject)
  const text = forward || isReply ? written : `${subject}\n\n${written}`.trim()
  if (text === '' && !forward && files.length === 0) return null
  const sent = Date.parse(mail.date ?? '')
  const name = mail.from?.name || null
  return inboundMessage({
    id: mail.messageId ?? digest,
    sender: { id: from, name },
    peer: { kind: 'dm', id: from, name, thread_id: null, team_id: null },
    text,
    // The subject of a forwarded email is somebody else's too.
    ...(forward && {
      quotes: [quoteOf('forward', `${subject}\n\n${forward.theirs}`.trim())],
    }),
    files,
    sent_at: iso(Number.isNaN(sent) || sent > now ? now : sent),
    reply: {
      message_id: mail.messageId ?? '',
      references: (mail.references ?? '').slice(-2_000),
      subject: (mail.subject ?? '').slice(0, 500),
    },
  })
}

const headerOf = ({ headers }: Email, name: string): string =>
  headers
    .find(({ key }) => key === name)
    ?.value.trim()
    .toLowerCase() ?? ''

/** Headers that only automatic emails have. */
const automaticHeaders = ['list-id', 'list-unsubscribe', 'x-autoreply', 'x-autorespond', 'x-failed-recipients']

/** RFC 3834: newsletters, out-of-office replies and bounces are never answered. */
function isAutomatic(mail: Email): boolean {
  const submitted = headerOf(mail, 'auto-submitted')
  return (
    (submitted !== '' && !/^no\b/.test(submitted)) ||
    ['bulk', 'junk', 'list', 'auto_reply'].includes(headerOf(mail, 'precedence')) ||
    automaticHeaders.some((name) => headerOf(mail, name) !== '') ||
    // Exchange: the sender wants no automatic answers.
    /\b(all|autoreply)\b/.test(headerOf(mail, 'x-auto-response-suppress')) ||
    headerOf(mail, 'content-type').startsWith('multipart/report') ||
    headerOf(mail, 'return-path') === '<>' ||
    /^(mailer-daemon|postmaster|(no|do-?not)-?reply|bounces?)[@+]/.test(mail.from?.address?.toLowerCase() ?? '')
  )
}

function filesOf({ attachments }: Email, place: Source['place'], isCut: boolean): InboundFile[] {
  return attachments.flatMap(({ filename, mimeType, content, disposition }, index) => {
    // Images in a signature.
    if (disposition === 'inline' && !filename) return []
    const size_bytes = typeof content === 'string' ? content.length : content.byteLength
    const cut = isCut && index === attachments.length - 1 && { cut: 'yes' }
    const reference = { ...place, index: String(index), ...cut }
    return [inboundFile(filename ?? 'attachment', reference, { mime_type: mimeType, size_bytes })]
  })
}

function mailOf(message: OutboundMessage, { credentials }: Connection, from: string) {
  const { markdown, files, peer, reply, id } = message
  const { message_id, references = '', subject = '' } = reply ?? {}
  const ids = [...references.split(/\s+/), message_id ?? ''].filter((one) => /^<[^<>\s]{3,300}>$/.test(one))
  return {
    from,
    to: [peer.id],
    subject: subjectOf(subject, markdown),
    text: markdown,
    html: `<div style="white-space:pre-wrap">${translateMarkdown(markdown, telegramHtml)}</div>`,
    message_id: `<${id.replace(/[^\w.-]/g, '-')}.${(credentials.address ?? '').replace('@', '.at.')}@hearthd>`,
    ...(message_id && { in_reply_to: message_id, references: ids }),
    ...(from.includes(credentials.address ?? '') ? {} : { reply_to: credentials.address ?? '' }),
    attachments: files,
  }
}

function subjectOf(subject: string, markdown: string): string {
  if (subject !== '') return /^re:/i.test(subject) ? subject : `Re: ${subject}`
  const [first = ''] = markdown.trim().split('\n')
  const line = first
    .replace(/^#{1,6} /, '')
    .replaceAll(/[*_`]/g, '')
    .slice(0, 80)
  return line || 'A message from hearthd'
}
