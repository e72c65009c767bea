import { z } from 'zod'
import type { Context } from '../context.ts'
import { invalidField, unavailable } from '../fault.ts'
import type { Host } from '../host.ts'
import { MailRefused, type MailServer } from '../ports/mail.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import type { Subset } from '../sections/merge.ts'
import { sectionPurpose } from '../sections/purposes.ts'
import { changeSection, defineSection, readSection } from '../sections/section.ts'

const purpose = sectionPurpose('email')

const host = z
  .string()
  .trim()
  .max(253)
  .regex(/^[\w.:-]*$/, 'must be a host name or an address')
  .meta({ title: 'SMTP server', description: 'For example smtp.example.com' })

/** An address, or a name with one: `Hearth <hearth@example.com>`. */
const From = z
  .string()
  .trim()
  .max(320)
  .refine(
    (text) => text === '' || /^([^<>\r\n"]{0,200}<)?[^\s@<>,;"]+@[^\s@<>,;"]+>?$/.test(text),
    'must be an address such as hearth@example.com',
  )
  .meta({ title: 'Sender', description: 'An address, or a name with one: Hearth <hearth@example.com>' })

const members = {
  enabled: z.boolean().meta({ title: 'Send email' }),
  host,
  port: z.int().min(1).max(65_535).meta({ title: 'Port' }),
  security: z.enum(['starttls', 'tls', 'none']).meta({
    title: 'Encryption',
    description: 'STARTTLS is usual with port 587, TLS with port 465. None: only for a server on this network',
  }),
  username: z.string().max(320).meta({ title: 'Username', description: 'Empty if the server needs none' }),
}

const StoredEmail = z.object({
  ...members,
  from: From,
  sealed_password: z.string().nullable(),
  password_hint: z.string().nullable(),
})

const secret = { title: 'Password', description: 'Stored encrypted and never shown', format: 'secret' }

export const EmailSettings = z.object({
  ...members,
  password: z.object({ configured: z.boolean(), hint: z.string().nullable() }).meta(secret),
  from: From,
})

const SentEmail = z.object({
  ...members,
  password: z.string().min(1).max(1_000).nullable().meta(secret),
  from: From,
})
export type EmailChange = Subset<z.output<typeof SentEmail>>

const noPassword = { sealed_password: null, password_hint: null }

/** The mail server. A reset of the general settings keeps it: nobody could enter its password again. */
export const emailSettings = defineSection({
  name: 'email',
  title: 'the mail server',
  access: 'admin',
  schema: StoredEmail,
  sent: SentEmail,
  defaults: (): z.output<typeof StoredEmail> => ({
    enabled: false,
    host: '',
    port: 587,
    security: 'starttls',
    username: '',
    from: '',
    ...noPassword,
  }),
  shown: {
    schema: EmailSettings,
    of: ({ sealed_password, password_hint, from, ...settings }) => ({
      ...settings,
      password: { configured: sealed_password !== null, hint: password_hint },
      from,
    }),
  },
  /** A password is only for the server that it was given for: a change of the host removes it. */
  implied: (old, change) =>
    change.host !== undefined && change.host !== old.host && change.sealed_password === undefined ? noPassword : {},
  secrets: { sealed_password: 'password', password_hint: 'password' },
  kept_on_reset: true,
})

/** Changes the mail server; a password of null is removed. */
export async function changeEmail(context: Context, { password, ...change }: EmailChange): Promise<void> {
  const sealed = password === undefined ? {} : await sealPassword(context, password)
  await changeSection(context, emailSettings, { ...change, ...sealed })
}

async function sealPassword(context: Context, password: string | null) {
  if (password === null) return noPassword
  const password_hint = password.length < 12 ? '…' : `…${password.slice(-4)}`
  return { sealed_password: await context.secrets.seal(password, purpose), password_hint }
}

/** The configured server and sender. Throws a `Fault` if they are missing. */
export async function mailServer(host: Host): Promise<MailServer & { from: string }> {
  const { sealed_password, ...settings } = await readSection(host, emailSettings)
  if (settings.host === '') throw invalidField('host', 'no mail server is configured')
  if (settings.from === '') throw invalidField('from', 'no sender is configured')
  const password = sealed_password ? { password: await host.secrets.open(sealed_password, purpose) } : {}
  const { port, security, username, from } = settings
  return { host: settings.host, port, security, ...(username && { username }), ...password, from }
}

export interface OutgoingMail {
  /** Default: the sender. */
  to?: readonly string[]
  subject: string
  text: string
}

/**
 * Sends a mail through the configured server. Throws a `Fault` if email is disabled or not configured, and
 * `MailRefused` or `OutboundBlocked` if it was not accepted for all recipients.
 */
export async function sendEmail(context: Context, mail: OutgoingMail): Promise<void> {
  const { enabled } = await readSection(context, emailSettings)
  if (!enabled) throw unavailable('Email is disabled in the settings')
  await send(context, await mailServer(context), mail)
}

async function send(
  context: Context,
  { from, ...server }: MailServer & { from: string },
  { to = [], ...mail }: OutgoingMail,
): Promise<string> {
  const recipients = to.length > 0 ? to : [addressOf(from)]
  const safe = context.process.redaction.value(mail)
  const { message_id, rejected } = await context.mail.send({ ...safe, from, to: recipients }, server)
  if (rejected.length > 0) throw new MailRefused(`The server does not deliver to ${rejected.join(', ')}`)
  return message_id
}

export const EmailTest = z.object({
  ok: z.boolean(),
  to: z.string(),
  message_id: z.string().nullable(),
  latency_ms: z.int(),
  /** The answer of the server, or why it was not reached. */
  error: z.string().nullable(),
})
export type EmailTest = z.output<typeof EmailTest>

/** Sends one mail to `to`, by default to the sender, and reports the answer of the server. */
export async function testEmail(context: Context, to?: string): Promise<EmailTest> {
  const server = await mailServer(context)
  const recipient = to ?? addressOf(server.from)
  const started = context.clock.now()
  const result = (message_id: string | null, error: string | null): EmailTest => {
    return { ok: error === null, to: recipient, message_id, latency_ms: context.clock.now() - started, error }
  }
  const text = 'This mail was sent to test the mail settings of hearthd. They work.\n'
  try {
    return result(await send(context, server, { to: [recipient], subject: 'A test from hearthd', text }), null)
  } catch (thrown) {
    if (thrown instanceof MailRefused || thrown instanceof OutboundBlocked) return result(null, thrown.message)
    throw thrown
  }
}

const addressOf = (from: string) => from.match(/<([^<>]+)>/)?.[1] ?? from
