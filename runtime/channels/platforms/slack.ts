import { z } from 'zod'
import type { Context } from '../../context.ts'
import { parseJson } from '../../json.ts'
import { equalConstantTime, hmacSha256, isRecent, toHex, withHead } from '../../secrets/signatures.ts'
import { iso, second } from '../../time.ts'
import { commandList } from '../command-list.ts'
import {
  type Connection,
  type InboundMessage,
  inboundFile,
  inboundMessage,
  type OutboundFile,
  type OutboundMessage,
  type Peer,
  type Platform,
  permanent,
  quoteOf,
  type RawRequest,
  type Received,
} from '../platform.ts'
import { type Dialect, escapeHtml, singleMarks, translateMarkdown } from './markdown.ts'
import { checkHealth, failureOf, requestApi, requireFile, requireHost, uuidOf } from './request.ts'
import { call, title } from './slack-api.ts'
import { receiveOverSocket } from './slack-socket.ts'

const credentials = z.object({
  bot_token: z
    .string()
    .regex(/^xoxb-[\w-]{10,400}$/, 'must be a bot token that starts with xoxb-')
    .meta({ title: 'Bot token', description: 'OAuth & Permissions → Bot User OAuth Token', secret: true }),
  app_token: z
    .string()
    .regex(/^(xapp-[\w-]{10,400})?$/, 'must be an app-level token that starts with xapp-')
    .default('')
    .meta({
      title: 'App-level token',
      description: 'Basic Information → App-Level Tokens, with the scope connections:write',
      secret: true,
    }),
  signing_secret: z
    .string()
    .max(200)
    .regex(/^(.{16,})?$/, 'must have at least 16 characters')
    .default('')
    .meta({
      title: 'Signing secret',
      description:
        'Only without Socket Mode, if Slack sends to the public address. Basic Information → App Credentials',
      secret: true,
      advanced: true,
    }),
})

/** What a bot must be allowed to do. */
const scopes = {
  sending: ['chat:write'],
  receiving: ['im:history', 'app_mentions:read'],
  optional: ['channels:history', 'commands', 'files:read', 'files:write', 'groups:history', 'reactions:write'],
}

/** The app as Slack creates it from its manifest. */
const manifest = {
  display_information: { name: 'hearthd' },
  features: {
    bot_user: { display_name: 'hearthd', always_online: true },
    slash_commands: [
      {
        command: '/hearthd',
        description: 'Commands that no model reads',
        usage_hint: commandList.map(({ name }) => name).join(', '),
        should_escape: false,
      },
    ],
    app_home: { messages_tab_enabled: true, messages_tab_read_only_enabled: false },
  },
  oauth_config: { scopes: { bot: Object.values(scopes).flat().sort() } },
  settings: {
    event_subscriptions: { bot_events: ['app_mention', 'message.channels', 'message.groups', 'message.im'] },
    interactivity: { is_enabled: true },
    socket_mode_enabled: true,
  },
}

const File = z.object({
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  subtype: z.string().nullish(),
  size: z.number().nullish(),
  url_private_download: z.string().optional(),
})

/** A message that was shared from elsewhere: https://api.slack.com/reference/messaging/attachments */
const Shared = z.object({
  is_share: z.boolean().optional(),
  author_name: z.string().optional(),
  text: z.string().default(''),
})

const Message = z.object({
  user: z.string().optional(),
  attachments: z.array(Shared).optional().catch(undefined),
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
  container: z.object({ thread_ts: z.string().optional(), message_ts: z.string().optional() }).optional(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional(), action_ts: z.string() })),
})

/** People cannot send text that begins with a slash, so `/hearthd stop` is what `/stop` is elsewhere. */
const Command = z.object({
  command: z.string(),
  text: z.string().default(''),
  trigger_id: z.string(),
  team_id: z.string().optional(),
  user_id: z.string(),
  user_name: z.string().optional(),
  channel_id: z.string(),
})

/** Maximum characters of a section block. */
const maxSection = 3_000

export const slack: Platform = {
  name: 'slack',
  title,
  credentials,
  setup_steps: [
    `At [api.slack.com/apps](https://api.slack.com/apps), choose **Create New App** → **From a manifest** and paste this:\n\n\`\`\`json\n${JSON.stringify(manifest)}\n\`\`\``,
    'Under **Install App**, install it and copy the bot token.',
    'Under **Basic Information** → **App-Level Tokens**, generate a token with the scope `connections:write`. Save both tokens here and connect the channel.',
    'Write to the bot: in a direct message, or in a channel to which you have invited it, with a mention. Slack keeps texts that begin with a slash for itself: write `/hearthd stop` instead of `/stop`.',
    'Only if your workspace does not allow Socket Mode: turn it off, enter `{webhook_url}` under **Event Subscriptions**, **Interactivity & Shortcuts** and **Slash Commands**, and copy the signing secret instead of the app-level token.',
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
    if (!isForm) return event(parseJson(text))
    const form = Object.fromEntries(new URLSearchParams(text))
    return form.payload === undefined ? commanded(form, context) : pressed(parseJson(form.payload))
  },

  // In Socket Mode, Slack sends nothing to an address.
  uses_webhook: ({ credentials }) => !credentials.app_token && Boolean(credentials.signing_secret),

  async listen(_, connection, context, listener) {
    if (!connection.credentials.app_token) throw permanent('Enter the app-level token; see the setup steps')
    const read = (payload: unknown) => {
      const isCommand = Command.safeParse(payload).success
      const read = isCommand ? commanded : Pressed.safeParse(payload).success ? pressed : event
      const received = read(payload, context)
      return received.kind === 'accepted' ? received.messages : []
    }
    return receiveOverSocket({ connection, context, listener, read })
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
      const { body } = await call(context, connection, 'chat.postMessage', { json })
      const { ts } = z.object({ ts: z.string() }).safeParse(body).data ?? {}
      sent = ts === undefined ? null : idOf(peer.id, ts)
    }
    if (files.length > 0) await sendFiles(files, peer, { connection, context })
    return { platform_message_id: sent }
  },

  async edit(message, id, connection, context) {
    const json = { channel: message.peer.id, ts: id.split(':').at(-1), blocks: [], ...contentOf(message) }
    await call(context, connection, 'chat.update', { json })
  },

  async react(emoji, { peer, reply: { ts } }, connection, context) {
    if (!ts) return
    // The only reaction is 👀, so it is the one to remove.
    const json = { channel: peer.id, timestamp: ts, name: 'eyes' }
    await call(context, connection, emoji === null ? 'reactions.remove' : 'reactions.add', { json })
  },

  async download({ reference }, { credentials }, context) {
    const url = requireHost(reference.url ?? '', ['slack.com', 'slack-files.com', 'slack-edge.com'])
    const { bot_token: bearer = '' } = credentials
    const response = await requireFile(context, url, { title, bearer })
    // Without the scope files:read, Slack returns its sign-in page.
    if (!(response.headers.get('content-type') ?? '').startsWith('text/html') || reference.html === 'yes')
      return response
    await response.body?.cancel()
    throw permanent('Slack did not return the file; give the app the scope files:read')
  },

  health: (connection, context) =>
    checkHealth(title, async () => {
      const { body, headers } = await call(context, connection, 'auth.test', {})
      const { user, team } = Identity.parse(body)
      const granted = headers
        .get('x-oauth-scopes')
        ?.split(',')
        .map((scope) => scope.trim())
      const lacks = (needed: string[]) => needed.filter((scope) => granted && !granted.includes(scope))
      const [sending, receiving] = [lacks(scopes.sending), lacks(scopes.receiving)]
      return {
        ...(sending.length === 0 ? { ok: true, detail: `Connected as @${user} in ${team}` } : lacking(sending)),
        ...(receiving.length > 0 && { receiving: lacking(receiving) }),
      }
    }),
}

const lacking = (missing: readonly string[]) => ({
  ok: false,
  detail: `The app lacks the scopes ${missing.join(', ')}; add them under OAuth & Permissions and install the app again`,
})

const Identity = z.object({ user: z.string(), team: z.string() })

/** https://api.slack.com/authentication/verifying-requests-from-slack */
async function refusalOf({ headers, body }: RawRequest, secret: string, now: number): Promise<string | null> {
  const timestamp = headers.get('x-slack-request-timestamp') ?? ''
  if (secret === '') return 'the channel has no signing secret'
  if (!isRecent(timestamp, now)) return 'the timestamp is missing or more than 5 minutes off'
  const expected = `v0=${toHex(await hmacSha256(secret, withHead(`v0:${timestamp}:`, body)))}`
  const signature = headers.get('x-slack-signature') ?? ''
  return equalConstantTime(signature, expected) ? null : 'the signature is missing or wrong'
}

/** The time of a message identifies it within its channel. */
const idOf = (channel: string, ts: string): string => `${channel}:${ts}`

const nothing: Received = { kind: 'accepted', messages: [] }

function event(body: unknown): Received {
  const handshake = z.object({ type: z.literal('url_verification'), challenge: z.string() }).safeParse(body).data
  if (handshake) return { kind: 'answered', response: Response.json({ challenge: handshake.challenge }) }
  const callback = Callback.safeParse(body).data
  const event = Event.safeParse(callback?.event).data
  if (!callback || !event) return nothing
  if (event.subtype === 'message_changed') return edited(callback, event)
  if (event.subtype !== undefined && !['file_share', 'thread_broadcast'].includes(event.subtype)) return nothing
  const message = Message.safeParse(callback.event).data
  return message ? { kind: 'accepted', messages: inbound(callback, event, message) } : nothing
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
  { user, bot_id, text, ts, thread_ts, files = [], attachments = [] }: Message,
): InboundMessage[] {
  const botUser = authorizations[0]?.user_id
  if (!user || bot_id || user === botUser) return []
  const isDirect = channel_type === 'im' || (channel_type === undefined && channel.startsWith('D'))
  const isNamed = botUser !== undefined && text.includes(`<@${botUser}>`)
  return [
    inboundMessage({
      // `message` and `app_mention` report the same message, so they share an id.
      id: idOf(channel, ts),
      sender: { id: user, name: null },
      peer: {
        kind: isDirect ? 'dm' : 'group',
        id: channel,
        name: null,
        thread_id: thread_ts ?? null,
        team_id: team_id ?? null,
      },
      about: thread_ts === undefined || thread_ts === ts ? null : idOf(channel, thread_ts),
      text: readable(text, botUser),
      quotes: attachments
        .filter(({ is_share }) => is_share)
        .map(({ author_name, text }) => quoteOf('forward', readable(text, botUser), author_name)),
      is_mention: isDirect || isNamed || type === 'app_mention',
      files: files.flatMap(({ name, mimetype: mime_type, size: size_bytes, url_private_download: url, subtype }) => {
        const html = mime_type === 'text/html' ? 'yes' : 'no'
        const facts = { mime_type, size_bytes, is_voice: subtype === 'slack_audio' }
        return url ? [inboundFile(name ?? 'file', { url, html }, facts)] : []
      }),
      reply: { ts },
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
  const press = Pressed.safeParse(body).data
  const [action] = press?.actions ?? []
  if (!press || !action?.value) return nothing
  const { user, channel, team, container } = press
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
    about: container?.message_ts === undefined ? null : idOf(channel.id, container.message_ts),
    value: action.value,
    sent_at: iso(Math.floor(Number(action.action_ts) * second)),
  })
  return { kind: 'accepted', messages: [message] }
}

function commanded(body: unknown, { clock }: Context): Received {
  const sent = Command.safeParse(body).data
  if (!sent) return nothing
  const { text, trigger_id, user_id, user_name = null, channel_id, team_id = null } = sent
  const message = inboundMessage({
    id: `command:${trigger_id}`,
    sender: { id: user_id, name: user_name },
    peer: {
      kind: channel_id.startsWith('D') ? 'dm' : 'group',
      id: channel_id,
      name: null,
      thread_id: null,
      team_id,
    },
    text: `/${text.trim() || 'help'}`,
    sent_at: iso(clock.now()),
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
  link: (inner, url) => `<${escapeHtml(url).replaceAll('|', '%7C')}|${inner.replaceAll('|', '¦') || escapeHtml(url)}>`,
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
async function sendFiles(files: readonly OutboundFile[], peer: Peer, { connection, context }: Destination) {
  const uploaded: { id: string; title: string }[] = []
  for (const { name, bytes } of files) {
    const form = new URLSearchParams({ filename: name, length: String(bytes.length) })
    const { body } = await call(context, connection, 'files.getUploadURLExternal', { form })
    const { upload_url, file_id } = Upload.parse(body)
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
