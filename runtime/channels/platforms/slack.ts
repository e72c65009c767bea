import { z } from 'zod'
import type { Context } from '../../context.ts'
import { ownValue } from '../../own-value.ts'
import { equalConstantTime, hmacSha256, isRecent, toHex } from '../../secrets/signatures.ts'
import { iso, second } from '../../time.ts'
import {
  type Connection,
  type InboundMessage,
  inboundMessage,
  type OutboundFile,
  type OutboundMessage,
  type Peer,
  type Platform,
  type RawRequest,
  type Received,
  SendFailed,
} from '../platform.ts'
import { type Dialect, escapeHtml, singleMarks, translateMarkdown } from './markdown.ts'
import { checkHealth, failureOf, parseJson, requestApi, requireFile, requireHost, uuidOf } from './request.ts'

const api = 'https://slack.com/api'
const title = 'Slack'

const credentials = z.object({
  signing_secret: z
    .string()
    .min(16)
    .max(200)
    .meta({ title: 'Signing secret', description: 'Basic Information → App Credentials', secret: true }),
  bot_token: z
    .string()
    .regex(/^xoxb-[\w-]{10,400}$/, 'must be a bot token that starts with xoxb-')
    .meta({ title: 'Bot token', description: 'OAuth & Permissions → Bot User OAuth Token', secret: true }),
})

const File = z.object({
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  url_private_download: z.string().optional(),
})

const Message = z.object({
  user: z.string().optional(),
  bot_id: z.string().optional(),
  text: z.string().default(''),
  ts: z.string(),
  thread_ts: z.string().optional(),
  files: z.array(File).optional(),
  edited: z.object({ ts: z.string() }).optional(),
})
type Message = z.output<typeof Message>

/** https://api.slack.com/events/message and `app_mention` */
const Event = z.object({
  type: z.enum(['message', 'app_mention']),
  subtype: z.string().optional(),
  channel: z.string(),
  channel_type: z.string().optional(),
  message: Message.optional(),
  previous_message: Message.optional(),
})

const Callback = z.object({
  type: z.literal('event_callback'),
  team_id: z.string().optional(),
  authorizations: z.array(z.object({ user_id: z.string() })).optional(),
  event: z.looseObject({}),
})
type Callback = z.output<typeof Callback>

/** https://api.slack.com/reference/interaction-payloads/block-actions */
const Pressed = z.object({
  type: z.literal('block_actions'),
  team: z.object({ id: z.string() }).nullish(),
  user: z.object({ id: z.string(), name: z.string().optional() }),
  channel: z.object({ id: z.string(), name: z.string().optional() }),
  container: z.object({ thread_ts: z.string().optional() }).optional(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional(), action_ts: z.string() })),
})

/** Maximum characters of a section block. */
const maxSection = 3_000

export const slack: Platform = {
  name: 'slack',
  title,
  credentials,
  setup_steps: [
    'At [api.slack.com/apps](https://api.slack.com/apps), create an app from scratch in your workspace.',
    'Under **OAuth & Permissions**, add the bot scopes `chat:write`, `files:read`, `files:write`, `im:history`, `app_mentions:read`, and `channels:history` for threads. Install the app and copy the bot token.',
    'Under **Basic Information**, copy the signing secret. Save both here.',
    'Under **Event Subscriptions**, turn on events, enter `{webhook_url}` as the request URL, and subscribe to the bot events `message.im`, `app_mention` and `message.channels`.',
    'Under **Interactivity & Shortcuts**, turn it on and enter the same URL. Under **App Home**, allow messages in the Messages tab.',
  ],
  limits: {
    text_characters: 3_500,
    button_text_characters: maxSection,
    messages_per_second: 1,
    file_bytes: 100_000_000,
    acknowledge_seconds: 3,
  },
  has: { buttons: true, typing: false, files: true, groups: true },
  separate_files: true,

  async receive(request, { credentials }, context) {
    const refusal = await refusalOf(request, credentials.signing_secret ?? '', context.clock.now())
    if (refusal) return { kind: 'refused', reason: refusal }
    const text = new TextDecoder().decode(request.body)
    const isForm = (request.headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded')
    return isForm
      ? pressed(parseJson(new URLSearchParams(text).get('payload') ?? ''))
      : event(parseJson(text))
  },

  async send(message, connection, context) {
    const { markdown, buttons, files, peer } = message
    let sent: string | null = null
    if (markdown.trim() !== '' || buttons.length > 0) {
      const json = {
        ...placeOf(peer),
        client_msg_id: await uuidOf(message.id),
        unfurl_links: false,
        unfurl_media: false,
        ...contentOf(message),
      }
      const answer = await call(context, connection, 'chat.postMessage', { json })
      sent = z.object({ ts: z.string() }).safeParse(answer).data?.ts ?? null
    }
    if (files.length > 0) await sendFiles(files, peer, { connection, context })
    return { platform_message_id: sent }
  },

  async download({ reference }, { credentials }, context) {
    const url = requireHost(reference.url ?? '', ['slack.com', 'slack-files.com', 'slack-edge.com'])
    const { bot_token: bearer = '' } = credentials
    const response = await requireFile(context, url, { title, bearer })
    // Without the scope files:read, Slack returns its sign-in page.
    if (!(response.headers.get('content-type') ?? '').startsWith('text/html') || reference.html === 'yes')
      return response
    await response.body?.cancel()
    throw new SendFailed('Slack did not return the file; give the app the scope files:read', {
      is_permanent: true,
    })
  },

  health: (connection, context) =>
    checkHealth(title, async () => {
      const { user, team } = Identity.parse(await call(context, connection, 'auth.test', {}))
      return { ok: true, detail: `Connected as @${user} in ${team}` }
    }),
}

const Identity = z.object({ user: z.string(), team: z.string() })

/** https://api.slack.com/authentication/verifying-requests-from-slack */
async function refusalOf({ headers, body }: RawRequest, secret: string, now: number): Promise<string | null> {
  const timestamp = headers.get('x-slack-request-timestamp') ?? ''
  if (secret === '') return 'the channel has no signing secret'
  if (!isRecent(timestamp, now)) return 'the timestamp is missing or more than 5 minutes off'
  const head = new TextEncoder().encode(`v0:${timestamp}:`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  const expected = `v0=${toHex(await hmacSha256(secret, signed))}`
  const given = headers.get('x-slack-signature') ?? ''
  return equalConstantTime(given, expected) ? null : 'the signature is missing or wrong'
}

const nothing: Received = { kind: 'accepted', messages: [] }

function event(body: unknown): Received {
  const handshake = z
    .object({ type: z.literal('url_verification'), challenge: z.string() })
    .safeParse(body).data
  if (handshake) return { kind: 'answered', response: Response.json({ challenge: handshake.challenge }) }
  const callback = Callback.safeParse(body).data
  const found = Event.safeParse(callback?.event).data
  if (!callback || !found) return nothing
  if (found.subtype === 'message_changed') return edited(callback, found)
  if (found.subtype !== undefined && !['file_share', 'thread_broadcast'].includes(found.subtype))
    return nothing
  const message = Message.safeParse(callback.event).data
  return message ? { kind: 'accepted', messages: inbound(callback, found, message) } : nothing
}

/** Link previews also change messages; only a changed text is an edit. */
function edited(
  callback: Callback,
  { channel, channel_type, type, message, previous_message }: z.output<typeof Event>,
): Received {
  if (!message || message.text === previous_message?.text) return nothing
  const [inner] = inbound(callback, { type, channel, channel_type }, message)
  if (!inner) return nothing
  const id = `${inner.id}:${message.edited?.ts ?? ''}`
  return { kind: 'accepted', messages: [{ ...inner, id, kind: 'edit', edits: inner.id, files: [] }] }
}

function inbound(
  { team_id, authorizations = [] }: Callback,
  { type, channel, channel_type }: Pick<z.output<typeof Event>, 'type' | 'channel' | 'channel_type'>,
  { user, bot_id, text, ts, thread_ts, files = [] }: Message,
): InboundMessage[] {
  const botUser = authorizations[0]?.user_id
  if (!user || bot_id || user === botUser) return []
  const isDirect = channel_type === 'im' || (channel_type === undefined && channel.startsWith('D'))
  const isNamed = botUser !== undefined && text.includes(`<@${botUser}>`)
  return [
    inboundMessage({
      // `message` and `app_mention` report the same message, so they share an id.
      id: `${channel}:${ts}`,
      sender: { id: user, name: null },
      peer: {
        kind: isDirect ? 'dm' : 'group',
        id: channel,
        name: null,
        thread_id: thread_ts ?? null,
        team_id: team_id ?? null,
      },
      text: readable(text, botUser),
      is_mention: isDirect || isNamed || type === 'app_mention',
      files: files.flatMap(({ name, mimetype, size, url_private_download: url }) =>
        url
          ? [
              {
                name: name ?? 'file',
                mime_type: mimetype ?? null,
                size_bytes: size ?? null,
                reference: { url, html: mimetype === 'text/html' ? 'yes' : 'no' },
              },
            ]
          : [],
      ),
      sent_at: iso(Math.floor(Number(ts) * second)),
    }),
  ]
}

/** Slack's text as people see it: links, mentions and escaped characters are resolved. */
function readable(text: string, botUser: string | undefined): string {
  const plain = text.replace(/<([^<>]{1,3000})>/g, (_, inner: string) => {
    if (inner === `@${botUser}`) return ''
    const [target = '', label] = inner.split('|')
    if (/^[@#!]/.test(target)) return label ? `${target[0]}${label}` : target
    return label && label !== target ? `${label} (${target})` : target
  })
  return plain.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim()
}

function pressed(body: unknown): Received {
  const found = Pressed.safeParse(body).data
  const [action] = found?.actions ?? []
  if (!found || !action?.value) return nothing
  const { user, channel, team, container } = found
  const message = inboundMessage({
    id: `button:${channel.id}:${user.id}:${action.action_ts}`,
    sender: { id: user.id, name: user.name ?? null },
    peer: {
      kind: channel.id.startsWith('D') ? 'dm' : 'group',
      id: channel.id,
      name: channel.name ?? null,
      thread_id: container?.thread_ts ?? null,
      team_id: team?.id ?? null,
    },
    value: action.value,
    sent_at: iso(Math.floor(Number(action.action_ts) * second)),
  })
  return { kind: 'accepted', messages: [message] }
}

const placeOf = ({ id, thread_id }: Peer) => ({
  channel: id,
  ...(thread_id !== null && { thread_ts: thread_id }),
})

/** https://api.slack.com/reference/surfaces/formatting */
export const slackText: Dialect = {
  ...singleMarks,
  text: escapeHtml,
  code: (text) => `\`${escapeHtml(text)}\``,
  codeBlock: (text) => `\`\`\`\n${escapeHtml(text)}\n\`\`\``,
  link: (inner, url) =>
    `<${escapeHtml(url).replaceAll('|', '%7C')}|${inner.replaceAll('|', '¦') || escapeHtml(url)}>`,
}

function contentOf({ markdown, buttons }: OutboundMessage) {
  const text = translateMarkdown(markdown.trim() || 'Choose:', slackText)
  if (buttons.length === 0) return { text }
  const sections = Array.from({ length: Math.ceil(text.length / maxSection) }, (_, index) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: text.slice(index * maxSection, (index + 1) * maxSection) },
  }))
  const elements = buttons.map(({ label, value, style }, index) => ({
    type: 'button',
    action_id: `button_${index}`,
    text: { type: 'plain_text', text: label.slice(0, 75) },
    value,
    ...(style !== 'default' && { style }),
  }))
  return { text, blocks: [...sections, { type: 'actions', elements }] }
}

interface Destination {
  connection: Connection
  context: Context
}

/** https://api.slack.com/messaging/files#uploading_files */
async function sendFiles(
  files: readonly OutboundFile[],
  peer: Peer,
  { connection, context }: Destination,
): Promise<void> {
  const uploaded: { id: string; title: string }[] = []
  for (const { name, bytes } of files) {
    const form = new URLSearchParams({ filename: name, length: String(bytes.length) })
    const answer = await call(context, connection, 'files.getUploadURLExternal', { form })
    const { upload_url, file_id } = Upload.parse(answer)
    const stored = await requestApi(context, requireHost(upload_url, ['slack.com']), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes as BodyInit,
    })
    if (stored.status !== 200) throw failureOf(stored, { title }, context.clock.now())
    uploaded.push({ id: file_id, title: name })
  }
  const { channel, ...thread } = placeOf(peer)
  await call(context, connection, 'files.completeUploadExternal', {
    json: { files: uploaded, channel_id: channel, ...thread },
  })
}

const Upload = z.object({ upload_url: z.string(), file_id: z.string() })

/** Temporary Slack errors, which may be retried. */
const passing = [
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'ratelimited',
  'rate_limited',
]

const remedies: Readonly<Record<string, string>> = {
  invalid_auth: 'the bot token is wrong',
  account_inactive: 'the bot token belongs to a removed app; install the app again',
  token_revoked: 'the bot token was revoked; install the app again',
  token_expired: 'the bot token has expired; copy the new one',
  not_in_channel: 'invite the bot to the channel',
  channel_not_found: 'the channel does not exist, or the bot is not in it',
  missing_scope: 'the app lacks a scope; see the setup steps',
}

/** Calls a Web API method and returns its result. */
async function call(
  context: Context,
  { credentials }: Connection,
  method: string,
  { json, form }: { json?: unknown; form?: URLSearchParams },
): Promise<unknown> {
  const { bot_token: bearer = '' } = credentials
  const request = json === undefined ? { body: form ?? new URLSearchParams() } : { json }
  const answer = await requestApi(context, `${api}/${method}`, { method: 'POST', bearer, ...request })
  const body = z.object({ ok: z.boolean(), error: z.string().optional() }).safeParse(answer.body).data
  if (answer.status === 200 && body?.ok) return answer.body
  const error = body?.error ?? ''
  if (answer.status !== 200 || error === '') {
    const failed = answer.status === 200 ? { ...answer, status: 502 } : answer
    throw failureOf(failed, { title, reason: error || undefined }, context.clock.now())
  }
  const remedy = ownValue(remedies, error)
  throw new SendFailed(`Slack refused the request: ${error}${remedy ? ` (${remedy})` : ''}`, {
    is_permanent: !passing.includes(error),
  })
}
