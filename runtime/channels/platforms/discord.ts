import { z } from 'zod'
import type { Context } from '../../context.ts'
import { parseJson } from '../../json.ts'
import { fromHex, isRecent, withHead } from '../../secrets/signatures.ts'
import { commandList } from '../command-list.ts'
import type { Connection, OutboundMessage, Peer, Platform, RawRequest } from '../platform.ts'
import { api, call, failure, title } from './discord-api.ts'
import { Application, listenToGateway, readsAll } from './discord-gateway.ts'
import { askName, receivedInteraction } from './discord-inbound.ts'
import { simpleMarkdown, translateWithin } from './markdown.ts'
import { type ApiRequest, checkHealth, requestApi, requireFile, requireHost } from './request.ts'

const id = z.string().regex(/^\d{15,22}$/, 'must be a number of 15 to 22 digits')

const credentials = z.object({
  application_id: id.meta({ title: 'Application ID', description: 'General Information → Application ID' }),
  public_key: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .default('')
    .meta({
      title: 'Public key',
      description: 'Only if the application has an interactions endpoint URL. General Information → Public Key',
      advanced: true,
    }),
  bot_token: z.string().min(50).max(200).meta({ title: 'Bot token', description: 'Bot → Reset Token', secret: true }),
})

/** Deferred: the message shows "… is thinking" until it is edited. */
const loadingFlag = 1 << 7
/** Discord fetches the links of a message to show them, which would carry away what an address contains. */
const suppressEmbeds = 1 << 2

/**
 * Messages, slash commands and buttons arrive over Discord's gateway. If the application has an interactions
 * endpoint URL, Discord sends commands and buttons there instead.
 */
export const discord: Platform = {
  name: 'discord',
  title,
  credentials,
  setup_steps: [
    'At [discord.com/developers/applications](https://discord.com/developers/applications), create an application. Leave its interactions endpoint URL empty.',
    'Copy the application ID and, under **Bot**, a new token into the fields below.',
    'Optional: under **Bot** → **Privileged Gateway Intents**, turn on **Message Content Intent**. Without it, the bot can read direct messages, and in servers only messages that mention it.',
    'Under **Installation**, allow guild install with the scopes `bot` and `applications.commands` and the permissions View Channels, Send Messages, Read Message History, Attach Files and Add Reactions, then open the install link.',
    'Connect the channel, then write to the bot: in a direct message, or in a server with a mention, a reply or `/ask`.',
  ],
  limits: { text_characters: 2_000, messages_per_second: 5, file_bytes: 10_000_000, acknowledge_seconds: 3 },
  has: { buttons: true, typing: true, files: true, groups: true },
  has_sessions: true,

  async receive(request, { credentials }, context) {
    const refusal = await refusalOf(request, credentials.public_key ?? '', context.clock.now())
    return refusal ? { kind: 'refused', reason: refusal } : receivedInteraction(parseJson(request.body))
  },

  async send(message, connection, context) {
    const answered = await answerInteraction(message, connection, context)
    if (answered !== null) return { platform_message_id: answered }
    const path = `/channels/${channelOf(message.peer)}/messages`
    // Discord returns the existing message if this nonce was used within the last few minutes.
    const nonce = context.secrets.sha256(message.id).slice(0, 25)
    const request = requestOf(message, { nonce, enforce_nonce: true, ...answeredMessage(message) })
    const sent = await call(context, connection, path, { method: 'POST', ...request })
    return { platform_message_id: sentId(sent) }
  },

  async edit(message, id, connection, context) {
    const { token, expires_at } = message.reply ?? {}
    const isOpen = token !== undefined && Number(expires_at) > context.clock.now()
    // What answers a command belongs to the command and not to the bot.
    const place = isOpen ? hookOf(connection, token) : `/channels/${channelOf(message.peer)}`
    const request = requestOf(message, message.buttons.length > 0 ? {} : { components: [] })
    await call(context, connection, `${place}/messages/${id}`, { method: 'PATCH', ...request })
  },

  async typing(peer, connection, context) {
    await call(context, connection, `/channels/${channelOf(peer)}/typing`, { method: 'POST' })
  },

  async react(emoji, { peer, reply: { message_id } }, connection, context) {
    if (!message_id) return
    // The only reaction is 👀, so it is the one to remove.
    const own = `reactions/${encodeURIComponent('👀')}/@me`
    const path = `/channels/${channelOf(peer)}/messages/${message_id}/${own}`
    await call(context, connection, path, { method: emoji === null ? 'DELETE' : 'PUT' })
  },

  async download({ reference }, _, context) {
    const url = requireHost(reference.url ?? '', ['discordapp.com', 'discordapp.net', 'discord.com'])
    return requireFile(context, url, { title })
  },

  async connect(connection, context) {
    const path = `/applications/${connection.credentials.application_id}/commands`
    await call(context, connection, path, { method: 'PUT', json: commands })
  },

  async disconnect(connection, context) {
    const path = `/applications/${connection.credentials.application_id}/commands`
    await call(context, connection, path, { method: 'PUT', json: [] })
  },

  listen: listenToGateway,

  health: (connection, context) =>
    checkHealth(title, async () => {
      const application = Application.parse(await call(context, connection, '/applications/@me', {}))
      const { application_id, public_key } = connection.credentials
      if (application.id !== application_id)
        return { ok: false, detail: 'The bot token belongs to another application' }
      const { name, interactions_endpoint_url: endpoint, verify_key } = application
      if (public_key && verify_key !== public_key)
        return { ok: false, detail: 'The public key is not that of the application' }
      if (endpoint && endpoint !== connection.webhook_url)
        return {
          ok: false,
          detail: `${name} has an interactions endpoint URL, so commands and buttons do not arrive here. Empty it under General Information`,
        }
      if (endpoint && !public_key)
        return { ok: false, detail: `${name} has an interactions endpoint URL, so the public key is needed` }
      const partly = readsAll(application)
        ? ''
        : '. The Message Content intent is off: in servers, only messages that mention the bot can be read'
      return { ok: true, detail: `Signed in as ${name}${partly}` }
    }),
}

/** Contexts in which the commands are available: servers, and direct messages with the bot. */
const place = { type: 1, integration_types: [0], contexts: [0, 1] }

const commands = [
  {
    ...place,
    name: askName,
    description: 'Send a message to the agent',
    options: [
      { name: 'message', description: 'Your message', type: 3, required: true, max_length: 6_000 },
      { name: 'file', description: 'A file to send with it', type: 11, required: false },
    ],
  },
  ...commandList.map(({ name, description, ...more }) => ({
    ...place,
    name,
    description,
    ...('argument' in more && {
      options: [{ name: 'message', description: more.argument, type: 3, required: false, max_length: 200 }],
    }),
  })),
]

/** Ed25519 over the timestamp and the body. A replay within five minutes has the same id, so it is ignored. */
async function refusalOf({ headers, body }: RawRequest, publicKey: string, now: number): Promise<string | null> {
  const timestamp = headers.get('x-signature-timestamp') ?? ''
  const signature = fromHex(headers.get('x-signature-ed25519') ?? '')
  const key = fromHex(publicKey)
  if (key?.length !== 32) return 'the channel has no valid public key'
  if (!isRecent(timestamp, now)) return 'the timestamp is missing or more than 5 minutes off'
  if (signature?.length !== 64) return 'the signature is missing or malformed'
  return (await verifyEd25519(key, signature, withHead(timestamp, body))) ? null : 'the signature is wrong'
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

const channelOf = ({ id, thread_id }: Peer): string => encodeURIComponent(thread_id ?? id)

/** In servers, an answer refers to its message. */
const answeredMessage = ({ peer, reply }: OutboundMessage) =>
  peer.kind === 'group' && reply?.message_id
    ? { message_reference: { message_id: reply.message_id, fail_if_not_exists: false } }
    : {}

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
  const hook = hookOf(connection, token)
  const original = `${hook}/messages/@original`
  const answer = await requestApi(context, `${api}${original}`, {})
  // The token has expired after all.
  if ([401, 404].includes(answer.status)) return null
  if (answer.status !== 200) throw failure(answer, context)
  const first = Original.parse(answer.body)
  const request = requestOf(message)
  // A retry of the first message finds that it was already sent.
  const isOwn = (first.flags & loadingFlag) !== 0 || (first.content !== '' && first.content === contentOf(message))
  const sent = isOwn
    ? await call(context, connection, original, { method: 'PATCH', ...request })
    : await call(context, connection, hook, { method: 'POST', ...request })
  return sentId(sent)
}

const hookOf = ({ credentials }: Connection, token: string): string =>
  `/webhooks/${credentials.application_id}/${encodeURIComponent(token)}`

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
    flags: suppressEmbeds,
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
