import { Parser } from 'htmlparser2'
import PostalMime, { type Email } from 'postal-mime'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import { type InboxPosition, MailRefused, type MailServer } from '../../ports/mail.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { toHex } from '../../secrets/signatures.ts'
import { mailServer } from '../../settings/email.ts'
import { hour, iso } from '../../time.ts'
import {
  type Connection,
  type InboundFile,
  type InboundMessage,
  inboundMessage,
  type OutboundMessage,
  type Platform,
  SendFailed,
} from '../platform.ts'
import { isConfirmed } from './email-sender.ts'
import { translateMarkdown } from './markdown.ts'
import { telegramHtml } from './telegram.ts'

/** Emails per poll, and bytes per email. */
const maxMails = 10
const maxBytes = 36_000_000
/**
 * After the server has renumbered its emails, those of this time are read again; the known ones are recognised by their
 * `Message-ID`. Shorter than the two days for which ids are kept. In milliseconds.
 */
const rereadTime = 36 * hour
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
  address: z
    .email()
    .meta({ title: 'Address', description: 'The mailbox of the agent, such as hearth@example.com' }),
  imap_host: host.min(1).meta({ title: 'IMAP server', description: 'For example imap.example.com' }),
  imap_port: port.default('').meta({ title: 'IMAP port', description: 'Default: 993' }),
  imap_security: security
    .default('')
    .meta({ title: 'IMAP encryption', description: 'tls, starttls or none. Default: tls' }),
  username: z.string().max(320).default('').meta({ title: 'Username', description: 'Default: the address' }),
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
        'The name of your mail server at the start of the Authentication-Results header of an email you received, such as mx.google.com. If empty, no emails are read, because anyone can forge a sender',
    }),
  smtp_host: host
    .default('')
    .meta({ title: 'SMTP server', description: 'Empty: the server of Settings → Email sends the answers' }),
  smtp_port: port.default('').meta({ title: 'SMTP port', description: 'Default: 465' }),
  smtp_security: security
    .default('')
    .meta({ title: 'SMTP encryption', description: 'tls, starttls or none. Default: tls' }),
})

/** A dedicated mailbox, read over IMAP and answered over SMTP. Only emails whose sender the mail server confirmed are accepted. */
export const email: Platform = {
  name: 'email',
  title: 'Email',
  credentials,
  setup_steps: [
    'Create a mailbox that only the agent uses, and an app password if the provider has them.',
    'Send an email to it, open the source of that email, and copy the name at the start of the `Authentication-Results` header, such as `mx.google.com`.',
    'Enter the address, the IMAP server, the password and that name here. For answers, enter the SMTP server too, or set up Settings → Email.',
    'Connect the channel. Existing emails are ignored; new ones are read every minute and stay unread.',
  ],
  limits: {
    text_characters: 50_000,
    messages_per_second: 1,
    file_bytes: 20_000_000,
    acknowledge_seconds: 60,
  },
  has: { buttons: false, typing: false, files: true, groups: false },

  async receive() {
    return { kind: 'refused', reason: 'emails are read from the mailbox; this address accepts no requests' }
  },

  async poll(cursor, connection, context) {
    if (!connection.credentials.authserv_id) return { messages: [], cursor }
    const after = cursorOf(cursor)
    const now = context.clock.now()
    const query = { after, max_mails: maxMails, max_bytes: maxBytes, reread_since: now - rereadTime }
    const { mails, next } = await context.mail.receive(query, imapServer(connection), context.signal)
    const messages: InboundMessage[] = []
    for (const { uid, raw, size_bytes } of mails) {
      const place = { uid_validity: next.uid_validity, uid: String(uid) }
      const isCut = raw.byteLength < size_bytes
      try {
        const digest = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', raw as BufferSource)))
        const found = toInbound(await parse(raw), { digest, place, connection, isCut, now })
        if (found) messages.push(found)
      } catch (thrown) {
        // Anyone can send an email that cannot be parsed. It must not block the ones after it.
        context.log.write('info', 'cannot read an email', { uid, cause: String(thrown) })
      }
    }
    return { messages, cursor: cursorText(next) }
  },

  async send(message, connection, context) {
    try {
      const server = await smtpServer(connection, context)
      const { message_id, rejected } = await context.mail.send(
        mailOf(message, connection, server.from),
        server,
      )
      if (rejected.length > 0)
        throw new SendFailed(`The server refused the recipients ${rejected.join(', ')}`, {
          is_permanent: true,
        })
      return { platform_message_id: message_id }
    } catch (thrown) {
      throw toSendFailed(thrown)
    }
  },

  async download({ reference }, connection, context) {
    const { uid_validity = '', uid = '', index = '', cut } = reference
    if (cut !== undefined)
      throw new SendFailed(`the email is larger than ${maxBytes / 1_000_000} MB`, { is_permanent: true })
    const after = { uid_validity, uid: Number(uid) - 1 }
    const query = { after, max_mails: 1, max_bytes: maxBytes }
    const { mails } = await context.mail.receive(query, imapServer(connection), context.signal)
    const mail = mails.find((one) => one.uid === Number(uid))
    const found = mail && (await parse(mail.raw)).attachments[Number(index)]
    if (!found)
      throw new SendFailed('The email or its attachment is no longer in the mailbox', { is_permanent: true })
    return new Response(found.content as BodyInit, { headers: { 'content-type': found.mimeType } })
  },

  async health(connection, context) {
    const { authserv_id, address, imap_host } = connection.credentials
    try {
      await context.mail.receive(
        { after: null, max_mails: 1, max_bytes: 1 },
        imapServer(connection),
        context.signal,
      )
      const { from } = await smtpServer(connection, context)
      if (!authserv_id)
        return { ok: false, detail: `Signed in to ${imap_host}; fill in "Checked by" to read emails` }
      return { ok: true, detail: `Signed in to ${imap_host} as ${address}; answers are sent from ${from}` }
    } catch (thrown) {
      const failed = toSendFailed(thrown)
      if (failed instanceof SendFailed) return { ok: false, detail: failed.message }
      throw thrown
    }
  },
}

function toSendFailed(thrown: unknown): unknown {
  if (thrown instanceof OutboundBlocked)
    return new SendFailed(`The guard for outgoing requests refused the mail server: ${thrown.message}`, {
      is_permanent: true,
    })
  if (thrown instanceof Fault) return new SendFailed(thrown.message, { is_permanent: true })
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
  const { imap_host = '', imap_port, imap_security } = credentials
  return {
    host: imap_host,
    port: Number(imap_port || 993),
    security: (imap_security || 'tls') as MailServer['security'],
    ...account(credentials),
  }
}

async function smtpServer(
  { credentials }: Connection,
  context: Context,
): Promise<MailServer & { from: string }> {
  const { smtp_host, smtp_port, smtp_security, address = '' } = credentials
  if (!smtp_host) return mailServer(context)
  return {
    host: smtp_host,
    port: Number(smtp_port || 465),
    security: (smtp_security || 'tls') as MailServer['security'],
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
function toInbound(mail: Email, { digest, place, connection, isCut, now }: Source): InboundMessage | null {
  const { address = '', authserv_id = '' } = connection.credentials
  const from = mail.from?.address?.toLowerCase() ?? ''
  if (from === '' || from === address.toLowerCase() || isAutomatic(mail)) return null
  if (!isConfirmed(mail.headers, from, authserv_id)) return null
  const files = filesOf(mail, place, isCut)
  const whole = (mail.text ?? textOf((mail.html ?? '').slice(0, 4 * maxText))).slice(0, maxText)
  const isForwarded = /^\s{0,5}(fwd?|wg|tr|rv)\s{0,3}:/i.test(mail.subject ?? '')
  const written = isForwarded ? whole.trim() : withoutHistory(whole)
  const isReply = /^\s{0,5}(re|aw|sv|antw)\s{0,3}:/i.test(mail.subject ?? '')
  const text = isReply || !mail.subject ? written : `${mail.subject}\n\n${written}`.trim()
  if (text === '' && files.length === 0) return null
  const sent = Date.parse(mail.date ?? '')
  const name = mail.from?.name || null
  return inboundMessage({
    id: mail.messageId ?? digest,
    sender: { id: from, name },
    peer: { kind: 'dm', id: from, name, thread_id: null, team_id: null },
    text,
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
const automaticHeaders = [
  'list-id',
  'list-unsubscribe',
  'x-autoreply',
  'x-autorespond',
  'x-failed-recipients',
]

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
    /^(mailer-daemon|postmaster|(no|do-?not)-?reply|bounces?)[@+]/.test(
      mail.from?.address?.toLowerCase() ?? '',
    )
  )
}

function filesOf({ attachments }: Email, place: Source['place'], isCut: boolean): InboundFile[] {
  return attachments.flatMap(({ filename, mimeType, content, disposition }, index) => {
    // Images in a signature.
    if (disposition === 'inline' && !filename) return []
    const size_bytes = typeof content === 'string' ? content.length : content.byteLength
    return [
      {
        name: filename ?? 'attachment',
        mime_type: mimeType,
        size_bytes,
        reference: {
          ...{ ...place, index: String(index) },
          ...(isCut && index === attachments.length - 1 && { cut: 'yes' }),
        },
      },
    ]
  })
}

const quoteMarks = [
  /^>/,
  /^-{2,} ?(Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original) ?-{2,}/i,
  /^_{10,}$/,
  /^(On|Am|Le|El) .{5,200}(wrote|schrieb|écrit|escribió).{0,100}:$/,
]

/** Whether earlier emails begin at this line. Mail programs break the line that names the sender. */
function isQuoteMark(lines: readonly string[], index: number): boolean {
  const line = (lines[index] ?? '').slice(0, 400)
  const next = (lines[index + 1] ?? '').slice(0, 400)
  return (
    quoteMarks.some((mark) => mark.test(line)) ||
    (quoteMarks.at(-1)?.test(`${line.trim()} ${next.trim()}`) ?? false) ||
    // Outlook repeats the headers.
    (/^(From|Von|De): /.test(line) && /^(Sent|Date|Gesendet|Datum|Envoyé|Enviado)\s?: /.test(next))
  )
}

/** What a mail program adds below the text. */
const appended =
  /^(Sent from (my|Outlook|Mail) |Get Outlook for |Von meinem .{1,60} gesendet|Envoyé de mon |Enviado desde mi )/

/** The text without the quoted earlier emails and the signature. */
export function withoutHistory(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const marked = lines.map((_, index) => isQuoteMark(lines, index))
  const first = marked.indexOf(true)
  const rest =
    first === -1 ? [] : lines.filter((line, index) => index > first && line.trim() !== '' && !marked[index])
  const isBelow = rest.some((line) => !line.startsWith('>')) && /^>/.test(lines[first] ?? '')
  // Text below or between quotes belongs to the answer.
  const kept = first === -1 || isBelow ? lines : lines.slice(0, first)
  return withoutSignature(kept)
}

/** RFC 3676 section 4.3: a signature begins after a line of two hyphens and a space. */
function withoutSignature(lines: readonly string[]): string {
  const end = lines.indexOf('-- ')
  const kept = (end > 0 ? lines.slice(0, end) : lines).join('\n').trim()
  const last = kept.lastIndexOf('\n')
  return last > 0 && appended.test(kept.slice(last + 1)) ? kept.slice(0, last).trim() : kept
}

const hiddenTags = ['style', 'script', 'head', 'title']
const blockTags = ['p', 'div', 'tr', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote']

/** The text of an HTML email without a text part. */
function textOf(html: string): string {
  let text = ''
  let hidden = 0
  const parser = new Parser({
    onopentag(name) {
      if (hiddenTags.includes(name)) hidden += 1
      if (name === 'br') text += '\n'
    },
    ontext(part) {
      if (hidden === 0) text += part.replaceAll(/\s+/g, ' ')
    },
    onclosetag(name) {
      if (hiddenTags.includes(name)) hidden -= 1
      if (blockTags.includes(name)) text += '\n'
    },
  })
  parser.end(html)
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

function mailOf(message: OutboundMessage, { credentials }: Connection, from: string) {
  const { markdown, files, peer, reply, id } = message
  const { message_id, references = '', subject = '' } = reply ?? {}
  const known = [...references.split(/\s+/), message_id ?? ''].filter((one) => /^<[^<>\s]{3,300}>$/.test(one))
  return {
    from,
    to: [peer.id],
    subject: subjectOf(subject, markdown),
    text: markdown,
    html: `<div style="white-space:pre-wrap">${translateMarkdown(markdown, telegramHtml)}</div>`,
    message_id: `<${id.replace(/[^\w.-]/g, '-')}.${(credentials.address ?? '').replace('@', '.at.')}@hearthd>`,
    ...(message_id && { in_reply_to: message_id, references: known }),
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
