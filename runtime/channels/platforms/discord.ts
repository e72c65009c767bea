import { z } from 'zod'
import type { Context } from '../../context.ts'
import { fromHex, isRecent } from '../../secrets/signatures.ts'
import { iso, minute } from '../../time.ts'
import type {
  Connection,
  InboundFile,
  InboundMessage,
  OutboundMessage,
  Peer,
  Platform,
  RawRequest,
  Received,
  SendFailed,
} from '../platform.ts'
import { simpleMarkdown, translateWithin } from './markdown.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  checkHealth,
  failureOf,
  parseJson,
  requestApi,
  requireFile,
  requireHost,
} from './request.ts'

const api = 'https://discord.com/api/v10'
const title = 'Discord'

const id = z.string().regex(/^\d{15,22}$/, 'must be a number of 15 to 22 digits')

const credentials = z.object({
  application_id: id.meta({ title: 'Application ID', description: 'General Information → Application ID' }),
  public_key: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .meta({ title: 'Public key', description: 'General Information → Public Key' }),
  bot_token: z
    .string()
    .min(50)
    .max(200)
    .meta({ title: 'Bot token', description: 'Bot → Reset Token', secret: true }),
})

const User = z.object({
  id: z.string(),
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
})

const Attachment = z.object({
  filename: z.string(),
  content_type: z.string().nullish(),
  size: z.number(),
  url: z.string(),
})

/** https://discord.com/developers/docs/interactions/receiving-and-responding */
const Interaction = z.object({
  id: z.string(),
  type: z.number(),
  token: z.string(),
  guild_id: z.string().nullish(),
  channel_id: z.string().nullish(),
  channel: z
    .object({ id: z.string(), type: z.number(), name: z.string().nullish(), parent_id: z.string().nullish() })
    .nullish(),
  member: z.object({ user: User }).nullish(),
  user: User.nullish(),
  data: z
    .object({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z.array(z.object({ name: z.string(), value: z.unknown().optional() })).optional(),
      resolved: z.object({ attachments: z.record(z.string(), Attachment).optional() }).optional(),
    })
    .nullish(),
})
type Interaction = z.output<typeof Interaction>

const interactionTypes = { ping: 1, command: 2, component: 3 }
/** Types of interaction responses. */
const callbacks = { pong: 1, deferredMessage: 5, deferredUpdate: 6 }
/** Deferred: the message shows "… is thinking" until it is edited. */
const loadingFlag = 1 << 7
const threadTypes = [10, 11, 12]
const discordEpoch = 1_420_070_400_000

/** How long an interaction can be answered, in milliseconds; Discord allows 15 minutes. */
const tokenAge = 14 * minute

/**
 * The slash command `/ask` and buttons, as HTTP interactions. Discord delivers all other messages over its
 * gateway only, a WebSocket that the bot keeps open.
 */
export const discord: Platform = {
  name: 'discord',
  title,
  credentials,
  setup_steps: [
    'At [discord.com/developers/applications](https://discord.com/developers/applications), create an application.',
    'Copy the application ID, the public key and, under **Bot**, a new token. Save them here and connect the channel: hearthd registers the command `/ask`.',
    'Under **General Information**, enter `{webhook_url}` as the interactions endpoint URL. Discord checks it when you save.',
    'Under **Installation**, allow guild install with the scopes `bot` and `applications.commands` and the permissions Send Messages and Attach Files, then open the install link.',
    'Write `/ask` in a channel or in a direct message to the bot.',
  ],
  limits: { text_characters: 2_000, messages_per_second: 5, file_bytes: 10_000_000, acknowledge_seconds: 3 },
  has: { buttons: true, typing: true, files: true, groups: true, inbound: true },

  async receive(request, { credentials }, context) {
    const refusal = await refusalOf(request, credentials.public_key ?? '', context.clock.now())
    return refusal ? { kind: 'refused', reason: refusal } : interaction(parseJson(request.body))
  },

  async send(message, connection, context) {
    const answered = await answerInteraction(message, connection, context)
    if (answered !== null) return { platform_message_id: answered }
    const path = `/channels/${channelOf(message.peer)}/messages`
    // Discord returns the existing message if this nonce was used within the last few minutes.
    const nonce = context.secrets.sha256(message.id).slice(0, 25)
    const request = requestOf(message, { nonce, enforce_nonce: true })
    const sent = await call(context, connection, path, { method: 'POST', ...request })
    return { platform_message_id: sentId(sent) }
  },

  async typing(peer, connection, context) {
    await call(context, connection, `/channels/${channelOf(peer)}/typing`, { method: 'POST' })
  },

  async download({ reference }, _, context) {
    const url = requireHost(reference.url ?? '', ['discordapp.com', 'discordapp.net', 'discord.com'])
    return requireFile(context, url, { title })
  },

  async connect(connection, context) {
    const path = `/applications/${connection.credentials.application_id}/commands`
    await call(context, connection, path, { method: 'PUT', json: [askCommand] })
  },

  async disconnect(connection, context) {
    const path = `/applications/${connection.credentials.application_id}/commands`
    await call(context, connection, path, { method: 'PUT', json: [] })
  },

  health: (connection, context) =>
    checkHealth(title, async () => {
      const application = Application.parse(await call(context, connection, '/applications/@me', {}))
      const { application_id, public_key } = connection.credentials
      if (application.id !== application_id)
        return { ok: false, detail: 'The bot token belongs to another application' }
      if (application.verify_key !== public_key)
        return { ok: false, detail: 'The public key is not that of the application' }
      if (application.interactions_endpoint_url !== connection.webhook_url)
        return {
          ok: false,
          detail: `${application.name} uses a different interactions endpoint URL; enter this address there`,
        }
      return { ok: true, detail: `Connected as ${application.name}` }
    }),
}

const Application = z.object({
  id: z.string(),
  name: z.string(),
  verify_key: z.string(),
  interactions_endpoint_url: z.string().nullish(),
})

/** Contexts in which the command is available: servers, direct messages with the bot, other direct messages. */
const askCommand = {
  name: 'ask',
  type: 1,
  description: 'Send a message to the agent',
  options: [
    { name: 'message', description: 'Your message', type: 3, required: true, max_length: 6_000 },
    { name: 'file', description: 'A file to send with it', type: 11, required: false },
  ],
  integration_types: [0],
  contexts: [0, 1],
}

/** Ed25519 over the timestamp and the body. A replay within five minutes has the same id, so it is ignored. */
async function refusalOf(
  { headers, body }: RawRequest,
  publicKey: string,
  now: number,
): Promise<string | null> {
  const timestamp = headers.get('x-signature-timestamp') ?? ''
  const signature = fromHex(headers.get('x-signature-ed25519') ?? '')
  const key = fromHex(publicKey)
  if (key?.length !== 32) return 'the channel has no valid public key'
  if (!isRecent(timestamp, now)) return 'the timestamp is missing or more than 5 minutes off'
  if (signature?.length !== 64) return 'the signature is missing or malformed'
  const head = new TextEncoder().encode(timestamp)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  return (await verifyEd25519(key, signature, signed)) ? null : 'the signature is wrong'
}

/** RFC 8032. False also for bytes that are not a key. */
export async function verifyEd25519(
  key: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify'])
    return await crypto.subtle.verify({ name: 'Ed25519' }, imported, signature, message)
  } catch {
    return false
  }
}

function interaction(body: unknown): Received {
  const found = Interaction.safeParse(body).data
  if ((body as { type?: unknown } | null)?.type === interactionTypes.ping)
    return { kind: 'answered', response: Response.json({ type: callbacks.pong }) }
  const message = found && toInbound(found)
  if (!found || !message) return { kind: 'accepted', messages: [] }
  const type = message.kind === 'button' ? callbacks.deferredUpdate : callbacks.deferredMessage
  return { kind: 'accepted', messages: [message], response: Response.json({ type }) }
}

function toInbound(found: Interaction): InboundMessage | null {
  const user = found.member?.user ?? found.user
  const channel_id = found.channel?.id ?? found.channel_id
  const isButton = found.type === interactionTypes.component
  if (!user || user.bot || !channel_id || !(isButton || found.type === interactionTypes.command)) return null
  const { custom_id = '', options = [], resolved } = found.data ?? {}
  const text = options.find(({ name }) => name === 'message')?.value
  return {
    id: found.id,
    kind: isButton ? 'button' : 'message',
    edits: null,
    sender: { id: user.id, name: user.global_name ?? user.username },
    peer: peerOf(found, channel_id),
    text: typeof text === 'string' ? text : '',
    value: isButton ? custom_id : null,
    is_mention: true,
    files: Object.values(resolved?.attachments ?? {}).map(toFile),
    sent_at: iso(timeOf(found.id)),
    // The answer to a button is a separate message: its interaction ended with the acknowledgement.
    reply: isButton ? {} : { token: found.token, expires_at: String(timeOf(found.id) + tokenAge) },
  }
}

/** The high bits of a snowflake are the milliseconds since 2015. */
const timeOf = (snowflake: string): number => Number(BigInt(snowflake) >> 22n) + discordEpoch

function peerOf({ guild_id, channel }: Interaction, channel_id: string): Peer {
  const isThread = channel?.parent_id && threadTypes.includes(channel.type)
  return {
    kind: guild_id ? 'group' : 'dm',
    id: isThread ? (channel.parent_id ?? channel_id) : channel_id,
    name: channel?.name ?? null,
    thread_id: isThread ? channel_id : null,
    team_id: guild_id ?? null,
  }
}

const toFile = ({ filename, content_type, size, url }: z.output<typeof Attachment>): InboundFile => ({
  name: filename,
  mime_type: content_type ?? null,
  size_bytes: size,
  reference: { url },
})

const channelOf = ({ id, thread_id }: Peer): string => encodeURIComponent(thread_id ?? id)

/**
 * Answers a slash command while its token is valid: the first message replaces "… is thinking", later ones follow it.
 * Null if there is no interaction to answer.
 */
async function answerInteraction(
  message: OutboundMessage,
  connection: Connection,
  context: Context,
): Promise<string | null> {
  const { token, expires_at } = message.reply ?? {}
  if (!token || Number(expires_at) <= context.clock.now()) return null
  const hook = `/webhooks/${connection.credentials.application_id}/${encodeURIComponent(token)}`
  const original = `${hook}/messages/@original`
  const answer = await requestApi(context, `${api}${original}`, {})
  // The token has expired after all.
  if ([401, 404].includes(answer.status)) return null
  if (answer.status !== 200) throw failure(answer, context)
  const first = Original.parse(answer.body)
  const request = requestOf(message)
  // A retry of the first message finds that it was already sent.
  const isOwn =
    (first.flags & loadingFlag) !== 0 || (first.content !== '' && first.content === contentOf(message))
  const sent = isOwn
    ? await call(context, connection, original, { method: 'PATCH', ...request })
    : await call(context, connection, hook, { method: 'POST', ...request })
  return sentId(sent)
}

const Original = z.object({ flags: z.number().default(0), content: z.string().default('') })

const sentId = (sent: unknown): string | null => z.object({ id: z.string() }).safeParse(sent).data?.id ?? null

const buttonStyles = { primary: 1, default: 2, danger: 4 }
/** An action row has at most five buttons. */
const rowLength = 5

const contentOf = ({ markdown }: OutboundMessage): string => translateWithin(markdown, simpleMarkdown, 2_000)

function requestOf(message: OutboundMessage, more: object = {}): ApiRequest {
  const { buttons, files } = message
  const components = buttons.map(({ label, value, style }) => ({
    type: 2,
    style: buttonStyles[style],
    label: label.slice(0, 80),
    custom_id: value,
  }))
  const rows = Array.from({ length: Math.ceil(components.length / rowLength) }, (_, index) => ({
    type: 1,
    components: components.slice(index * rowLength, (index + 1) * rowLength),
  }))
  const json = {
    content: contentOf(message),
    // Text from a model must not mention everyone.
    allowed_mentions: { parse: [] },
    ...(rows.length > 0 && { components: rows }),
    ...more,
  }
  if (files.length === 0) return { json }
  const form = new FormData()
  const attachments = files.map(({ name }, index) => ({ id: index, filename: name }))
  form.set('payload_json', JSON.stringify({ ...json, attachments }))
  for (const [index, { name, mime_type, bytes }] of files.entries())
    form.set(`files[${index}]`, new Blob([bytes as BlobPart], { type: mime_type }), name)
  return { body: form }
}

async function call(
  context: Context,
  { credentials }: Connection,
  path: string,
  request: ApiRequest,
): Promise<unknown> {
  const authorization = `Bot ${credentials.bot_token}`
  const answer = await requestApi(context, `${api}${path}`, { ...request, headers: { authorization } })
  if (answer.status >= 200 && answer.status < 300) return answer.body
  throw failure(answer, context)
}

const Failure = z.object({
  message: z.string(),
  code: z.number().optional(),
  retry_after: z.number().optional(),
})

function failure(answer: ApiAnswer, context: Context): SendFailed {
  const body = Failure.safeParse(answer.body).data
  const missing = body?.code === 50_001 ? '; add the bot to the channel' : ''
  return failureOf(
    answer,
    {
      title,
      reason: body && `${body.message.slice(0, 300)}${missing}`,
      retry_after_seconds: body?.retry_after === undefined ? undefined : Math.ceil(body.retry_after),
    },
    context.clock.now(),
  )
}
