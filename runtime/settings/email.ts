import { z } from 'zod'
import type { Context } from '../context.ts'
import { invalidField, unavailable } from '../fault.ts'
import type { Host } from '../host.ts'
import { MailRefused, type MailServer } from '../ports/mail.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { changeSection, readSection, type Section, showSection, subsetOf } from './section.ts'

const purpose = 'settings:email'

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
  port: z.number().int().min(1).max(65_535).meta({ title: 'Port' }),
  security: z.enum(['starttls', 'tls', 'none']).meta({
    title: 'Encryption',
    description: 'starttls is usual with port 587, tls with 465; none is only for a server on this network',
  }),
  username: z
    .string()
    .max(320)
    .meta({ title: 'User name', description: 'Empty when the server asks for none' }),
}

const StoredEmail = z.object({
  ...members,
  from: From,
  sealed_password: z.string().nullable(),
  password_hint: z.string().nullable(),
})

const secret = { title: 'Password', description: 'Kept sealed and never shown', format: 'secret' }

export const EmailSettings = z.object({
  ...members,
  password: z.object({ configured: z.boolean(), hint: z.string().nullable() }).meta(secret),
  from: From,
})
export type EmailSettings = z.output<typeof EmailSettings>

export const EmailChange = subsetOf(
  z.object({ ...members, password: z.string().min(1).max(1_000).nullable().meta(secret), from: From }),
)
export type EmailChange = z.output<typeof EmailChange>

/** The mail server. A reset of the general settings keeps it: nobody could type its password again. */
export const emailSettings: Section<typeof StoredEmail> = {
  name: 'email',
  schema: StoredEmail,
  defaults: () => ({
    enabled: false,
    host: '',
    port: 587,
    security: 'starttls',
    username: '',
    from: '',
    sealed_password: null,
    password_hint: null,
  }),
  shown: {
    schema: EmailSettings,
    of: ({ sealed_password, password_hint, from, ...shown }) => ({
      ...shown,
      password: { configured: sealed_password !== null, hint: password_hint },
      from,
    }),
  },
  /** A password is sent to the server it was given for and to no other: with another host it is forgotten. */
  consequence: (old, change) =>
    change.host !== undefined && change.host !== old.host && change.sealed_password === undefined
      ? nothing
      : {},
  kept_on_reset: true,
}

export async function changeEmail(context: Context, { password, ...change }: EmailChange): Promise<unknown> {
  const sealed = password === undefined ? {} : await sealPassword(context, password)
  await changeSection(context, emailSettings, { ...change, ...sealed })
  return showSection(context, emailSettings)
}

const nothing = { sealed_password: null, password_hint: null }

async function sealPassword(context: Context, password: string | null) {
  if (password === null) return nothing
  const password_hint = password.length < 12 ? '…' : `…${password.slice(-4)}`
  return { sealed_password: await context.secrets.seal(password, purpose), password_hint }
}

async function serverOf(host: Host): Promise<MailServer & { from: string }> {
  const { sealed_password, ...settings } = await readSection(host, emailSettings)
  if (settings.host === '') throw invalidField('host', 'no mail server is set up')
  if (settings.from === '') throw invalidField('from', 'no sender is set up')
  const password = sealed_password ? { password: await host.secrets.open(sealed_password, purpose) } : {}
  const { port, security, username, from } = settings
  return { host: settings.host, port, security, ...(username && { username }), ...password, from }
}

export interface OutgoingMail {
  /** Nobody: the sender itself. */
  to: readonly string[]
  subject: string
  text: string
}

/**
 * Sends a mail through the server of the settings. Throws a `Fault` when email is switched off or not set up, and
 * `MailRefused` or `OutboundBlocked` when it could not be handed over to everybody.
 */
export async function sendEmail(context: Context, { to, ...mail }: OutgoingMail): Promise<void> {
  const { enabled } = await readSection(context, emailSettings)
  if (!enabled) throw unavailable('Email is not switched on in the settings')
  const { from, ...server } = await serverOf(context)
  const receivers = to.length > 0 ? to : [addressOf(from)]
  const { rejected } = await context.mail.send({ ...mail, from, to: receivers }, server)
  if (rejected.length > 0) throw new MailRefused(`The server does not deliver to ${rejected.join(', ')}`)
}

export const EmailTest = z.object({
  ok: z.boolean(),
  to: z.string(),
  message_id: z.string().nullable(),
  latency_ms: z.number().int(),
  /** The words of the server, or what stood in the way. */
  error: z.string().nullable(),
})
export type EmailTest = z.output<typeof EmailTest>

/** Sends one mail to `to`, or to the sender itself, and says what the server said. */
export async function testEmail(context: Context, to?: string): Promise<EmailTest> {
  const { from, ...server } = await serverOf(context)
  const receiver = to ?? addressOf(from)
  const begun = context.clock.now()
  const message = {
    from,
    to: [receiver],
    subject: 'A test from hearthd',
    text: 'This mail was sent to try the mail settings of hearthd. They work.\n',
  }
  try {
    const { message_id, rejected } = await context.mail.send(message, server)
    if (rejected.length > 0) throw new MailRefused(`The server does not deliver to ${rejected.join(', ')}`)
    return { ok: true, to: receiver, message_id, latency_ms: context.clock.now() - begun, error: null }
  } catch (thrown) {
    if (!(thrown instanceof MailRefused || thrown instanceof OutboundBlocked)) throw thrown
    const latency_ms = context.clock.now() - begun
    return { ok: false, to: receiver, message_id: null, latency_ms, error: thrown.message }
  }
}

const addressOf = (from: string) => from.match(/<([^>]+)>/)?.[1] ?? from
