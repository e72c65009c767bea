import { z } from 'zod'
import type { Context } from '../../context.ts'
import { parseJson } from '../../json.ts'
import { processState } from '../../process-state.ts'
import { equalConstantTime, hmacSha256, toHex } from '../../secrets/signatures.ts'
import { iso, second } from '../../time.ts'
import { commandList } from '../command-list.ts'
import {
  type Connection,
  type InboundFile,
  type InboundMessage,
  inboundFile,
  inboundMessage,
  type OutboundFile,
  type OutboundMessage,
  type Peer,
  type Platform,
  permanent,
  SendFailed,
} from '../platform.ts'
import { type Dialect, escapeHtml, plainText, translateMarkdown } from './markdown.ts'
import { checkHealth, formOf, requireFile } from './request.ts'
import { call, serverOf, title } from './telegram-api.ts'
import { nameOf, quotesOf, Replied, senderOf, sharedFields, signsIn, User } from './telegram-kinds.ts'
import { pollUpdates, type ReadUpdate, updateKinds, Webhook } from './telegram-updates.ts'

const credentials = z.object({
  bot_token: z
    .string()
    .regex(/^\d{1,20}:[\w-]{10,100}$/, 'must be a bot token such as 123456:ABC-DEF')
    .meta({ title: 'Bot token', description: 'The token from @BotFather', secret: true }),
  api_url: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .meta({ title: 'Bot API server', description: 'Only if you run one of your own' }),
})

const Entity = z.object({ type: z.string(), offset: z.number(), length: z.number(), user: User.optional() })

const Media = z.object({
  file_id: z.string(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
  file_size: z.number().optional(),
})

const Message = z.object({
  message_id: z.number(),
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().optional(),
  from: User.optional(),
  chat: z.object({ id: z.number(), type: z.string(), title: z.string().optional() }),
  date: z.number(),
  edit_date: z.number().optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(Entity).optional(),
  caption_entities: z.array(Entity).optional(),
  reply_to_message: Replied.optional(),
  ...sharedFields,
  photo: z.array(Media).optional(),
  document: Media.optional(),
  audio: Media.optional(),
  voice: Media.optional(),
  video: Media.optional(),
  video_note: Media.optional(),
  animation: Media.optional(),
})
type Message = z.output<typeof Message>

const Update = z.object({
  message: Message.optional(),
  edited_message: Message.optional(),
  callback_query: z
    .object({ id: z.string(), from: User, message: Message.optional(), data: z.string().optional() })
    .optional(),
})

/** Bots can download files of up to 20 MB and send files of up to 50 MB. */
export const telegram: Platform = {
  name: 'telegram',
  title,
  credentials,
  setup_steps: [
    'In Telegram, open a chat with [@BotFather](https://t.me/BotFather), send `/newbot` and answer its questions.',
    'Copy the token that it shows into **Bot token**, then connect the channel.',
    'Write to your bot.',
    'For groups: add the bot to the group and mention it, or turn off the privacy mode with `/setprivacy`.',
  ],
  limits: { text_characters: 4_096, messages_per_second: 1, file_bytes: 50_000_000, acknowledge_seconds: 60 },
  has: { buttons: true, typing: true, files: true, groups: true },
  separate_files: true,

  async receive({ headers, body }, connection, context) {
    const token = headers.get('x-telegram-bot-api-secret-token') ?? ''
    if (!equalConstantTime(token, await webhookSecret(connection)))
      return { kind: 'refused', reason: 'the secret token is missing or wrong' }
    const { messages, acknowledgement } = await readUpdate(parseJson(body), connection, context)
    // The webhook response can contain an API call.
    const response = acknowledgement && { response: Response.json(acknowledgement) }
    return { kind: 'accepted', messages, ...response }
  },

  uses_webhook: (channel) => usesWebhook(channel),

  listen: (cursor, connection, context, listener) =>
    pollUpdates(cursor, {
      connection,
      context,
      listener,
      read: (update) => readUpdate(update, connection, context),
    }),

  async send(message, connection, context) {
    const chat = chatOf(message.peer)
    let sent: string | null = null
    if (message.markdown.trim() !== '' || message.buttons.length > 0)
      sent = await sendText(message, connection, context)
    for (const file of message.files) {
      sent ??= sentId(await sendFile(file, chat, { connection, context }))
    }
    return { platform_message_id: sent }
  },

  async edit(message, id, connection, context) {
    const json = { chat_id: message.peer.id, message_id: messageIn(id), ...appearance(message) }
    await formatted(message, async (text) => {
      await call(context, connection, 'editMessageText', { method: 'POST', json: { ...json, ...text } })
    }).catch((thrown: unknown) => {
      if (!(thrown instanceof SendFailed && /message is not modified/i.test(thrown.message))) throw thrown
    })
  },

  async typing(peer, connection, context) {
    const json = { ...chatOf(peer), action: 'typing' }
    await call(context, connection, 'sendChatAction', { method: 'POST', json })
  },

  async react(emoji, { peer, reply }, connection, context) {
    if (!reply.message_id) return
    const reaction = emoji === null ? [] : [{ type: 'emoji', emoji }]
    const json = { chat_id: peer.id, message_id: Number(reply.message_id), reaction }
    await call(context, connection, 'setMessageReaction', { method: 'POST', json })
  },

  async download({ reference }, connection, context) {
    const json = { file_id: reference.file_id }
    const result = await call(context, connection, 'getFile', { method: 'POST', json })
    const path = z.object({ file_path: z.string() }).safeParse(result)
    if (!path.success) throw permanent('Telegram did not return the file')
    return requireFile(context, `${serverOf(connection).files}/${path.data.file_path}`, { title })
  },

  /** Also ends the delivery to another program, because a person asked for it. */
  async connect(connection, context) {
    const { webhook_url: url } = connection
    const json = {
      url,
      secret_token: await webhookSecret(connection),
      allowed_updates: updateKinds,
      max_connections: 10,
    }
    if (usesWebhook(connection)) await call(context, connection, 'setWebhook', { method: 'POST', json })
    else await this.disconnect?.(connection, context)
    const commands = commandList.map(({ name: command, description }) => ({ command, description }))
    await call(context, connection, 'setMyCommands', { method: 'POST', json: { commands } })
  },

  async disconnect(connection, context) {
    await call(context, connection, 'deleteWebhook', { method: 'POST', json: {} })
  },

  health: (connection, context) =>
    checkHealth(title, async () => {
      const bot = User.parse(await call(context, connection, 'getMe'))
      const hook = Webhook.parse(await call(context, connection, 'getWebhookInfo'))
      const detail = `Connected as @${bot.username ?? bot.first_name}`
      const receiving = deliveryOf(hook, connection)
      return { ok: true, detail, ...(receiving && { receiving }) }
    }),
}

/** Telegram delivers to an encrypted address only. */
const usesWebhook = ({ webhook_url }: Pick<Connection, 'webhook_url'>): boolean => webhook_url.startsWith('https://')

/** Whether Telegram delivers to the address of the channel. Undefined if it delivers to none, and should not. */
function deliveryOf({ url, last_error_message: failed, pending_update_count }: Webhook, connection: Connection) {
  if (url !== (usesWebhook(connection) ? connection.webhook_url : ''))
    return { ok: false, detail: 'Telegram delivers to a different address; connect the channel again' }
  if (url === '') return undefined
  return failed && pending_update_count > 0
    ? { ok: false, detail: `Telegram cannot deliver to ${url}: ${failed}` }
    : { ok: true, detail: `Telegram delivers to ${url}` }
}

/** The webhook secret, derived from the bot token so that nobody has to choose one. */
async function webhookSecret({ credentials, channel_id }: Connection): Promise<string> {
  const { bot_token = '' } = credentials
  return bot_token === '' ? '' : toHex(await hmacSha256(bot_token, `hearthd webhook of ${channel_id}`))
}

/** What an update contains: https://core.telegram.org/bots/api#update */
async function readUpdate(body: unknown, connection: Connection, context: Context): Promise<ReadUpdate> {
  const { message, edited_message, callback_query: pressed } = Update.safeParse(body).data ?? {}
  if (pressed)
    return {
      messages: pressed.message && pressed.data ? [toPressed(pressed.message, pressed)] : [],
      acknowledgement: { method: 'answerCallbackQuery', callback_query_id: pressed.id },
    }
  const content = message ?? edited_message
  const isUsable = content?.from && !content.from.is_bot
  const source = { isEdit: !message, connection, context }
  return { messages: isUsable ? await toInbound(content, source) : [], acknowledgement: null }
}

interface Source {
  isEdit: boolean
  connection: Connection
  context: Context
}

const idOf = ({ chat, message_id }: Message): string => `${chat.id}:${message_id}`

async function toInbound(message: Message, source: Source): Promise<InboundMessage[]> {
  const { from, reply_to_message: replied, forward_origin: forwarded } = message
  const files = filesOf(message)
  const quotes = quotesOf(message)
  const text = forwarded ? '' : await textOf(message, source)
  if (!from || (text === '' && files.length === 0 && quotes.every(({ kind }) => kind === 'reply'))) return []
  const id = idOf(message)
  const { isEdit } = source
  return [
    inboundMessage({
      id: isEdit ? `${id}:${message.edit_date ?? message.date}` : id,
      edits: isEdit ? id : null,
      sender: senderOf(from),
      peer: peerOf(message, from),
      about: replied ? `${message.chat.id}:${replied.message_id}` : null,
      text,
      quotes,
      is_mention: message.chat.type === 'private' || (await isMention(message, source)),
      files,
      sent_at: iso((message.edit_date ?? message.date) * second),
      reply: { message_id: String(message.message_id) },
    }),
  ]
}

/** The text without a mention of the bot, or what is said without words. */
async function textOf(message: Message, { connection, context }: Source): Promise<string> {
  const text = message.text ?? message.caption ?? ''
  if (text === '') return signsIn(message)
  if (message.chat.type === 'private' || !text.includes('@')) return text
  const name = await botName(connection, context)
  const mention = `@${name}`
  const isNamed = name !== '' && text.toLowerCase().startsWith(`${mention} `)
  return isNamed ? text.slice(mention.length).trim() : text
}

function toPressed(
  message: Message,
  { id, from, data = '' }: { id: string; from: z.output<typeof User>; data?: string | undefined },
): InboundMessage {
  return inboundMessage({
    id: `button:${id}`,
    sender: senderOf(from),
    peer: peerOf(message, from),
    about: idOf(message),
    value: data,
    sent_at: iso(message.date * second),
  })
}

function peerOf({ chat, message_thread_id, is_topic_message }: Message, from: z.output<typeof User>): Peer {
  const isPrivate = chat.type === 'private'
  return {
    kind: isPrivate ? 'dm' : 'group',
    id: String(chat.id),
    name: isPrivate ? nameOf(from) || null : (chat.title ?? null),
    thread_id: is_topic_message && message_thread_id !== undefined ? String(message_thread_id) : null,
    team_id: null,
  }
}

/** Of files that Telegram sends without a name. */
const extensions: Readonly<Record<string, string>> = { photo: '.jpg', voice: '.ogg', video_note: '.mp4' }

const mediaKinds = ['document', 'audio', 'voice', 'video', 'video_note', 'animation'] as const

function filesOf(message: Message): InboundFile[] {
  // Telegram also sends an animation as a document.
  const kind = mediaKinds.find((one) => message[one])
  const photo = message.photo?.reduce((left, right) => ((right.file_size ?? 0) >= (left.file_size ?? 0) ? right : left))
  const file = kind ? message[kind] : photo
  if (!file) return []
  const mime_type = file.mime_type ?? (photo === file ? 'image/jpeg' : null)
  const name = file.file_name ?? `${kind ?? 'photo'}-${message.message_id}${extensions[kind ?? 'photo'] ?? ''}`
  const is_voice = kind === 'voice' || kind === 'video_note'
  return [inboundFile(name, { file_id: file.file_id }, { mime_type, size_bytes: file.file_size, is_voice })]
}

/** Names of the bots, for mentions in groups. */
const botNames = processState(() => new Map<string, string>())

/** Whether a group message replies to the bot, mentions it, or is a command for it. */
async function isMention(message: Message, { connection, context }: Source): Promise<boolean> {
  const botId = botIdOf(connection)
  if (String(message.reply_to_message?.from?.id) === botId) return true
  const text = message.text ?? message.caption ?? ''
  const marked = (message.entities ?? message.caption_entities ?? []).map(({ type, offset, length, user }) => ({
    type,
    user,
    text: text.slice(offset, offset + length).toLowerCase(),
  }))
  if (marked.some(({ user }) => user && String(user.id) === botId)) return true
  const naming = marked.filter((one) => ['mention', 'bot_command'].includes(one.type) && one.text.includes('@'))
  if (naming.length === 0) return false
  const name = await botName(connection, context)
  return name !== '' && naming.some((one) => one.text.endsWith(`@${name}`))
}

const botIdOf = ({ credentials }: Connection): string => credentials.bot_token?.split(':')[0] ?? ''

async function botName(connection: Connection, context: Context): Promise<string> {
  const names = botNames(context)
  const botId = botIdOf(connection)
  const cached = names.get(botId)
  if (cached !== undefined) return cached
  const bot = User.safeParse(await call(context, connection, 'getMe')).data
  const name = bot?.username?.toLowerCase() ?? ''
  names.set(botId, name)
  return name
}

const chatOf = ({ id, thread_id }: Peer): Record<string, string> => ({
  chat_id: id,
  ...(thread_id !== null && { message_thread_id: thread_id }),
})

const sentId = (result: unknown): string | null => {
  const sent = Message.safeParse(result).data
  return sent ? idOf(sent) : null
}

/** https://core.telegram.org/bots/api#html-style */
export const telegramHtml: Dialect = {
  ...plainText,
  text: escapeHtml,
  bold: (inner) => `<b>${inner}</b>`,
  italic: (inner) => `<i>${inner}</i>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  link: (inner, url) => `<a href="${escapeHtml(url).replaceAll('"', '&quot;')}">${inner || escapeHtml(url)}</a>`,
  codeBlock: (text, language) =>
    language === ''
      ? `<pre>${escapeHtml(text)}</pre>`
      : `<pre><code class="language-${language}">${escapeHtml(text)}</code></pre>`,
  heading: (inner) => `<b>${inner.replaceAll(/<\/?b>/g, '')}</b>`,
  quote: (inner) => `<blockquote>${inner.replaceAll(/<\/?blockquote>/g, '')}</blockquote>`,
}

interface Destination {
  connection: Connection
  context: Context
}

async function sendText(message: OutboundMessage, connection: Connection, context: Context): Promise<string | null> {
  const json = { ...chatOf(message.peer), ...replyTo(message), ...appearance(message) }
  return formatted(message, async (text) =>
    sentId(await call(context, connection, 'sendMessage', { method: 'POST', json: { ...json, ...text } })),
  )
}

/** Sends formatted text, or plain text if Telegram rejects the formatting. */
async function formatted<Result>(message: OutboundMessage, send: (text: object) => Promise<Result>): Promise<Result> {
  const markdown = message.markdown.trim() || 'Choose:'
  try {
    return await send({ text: translateMarkdown(markdown, telegramHtml), parse_mode: 'HTML' })
  } catch (thrown) {
    if (!(thrown instanceof SendFailed && /can't parse entities|message is too long/i.test(thrown.message)))
      throw thrown
    return await send({ text: markdown })
  }
}

/** The number of a message in its chat. */
const messageIn = (id: string): number => Number(id.split(':').at(-1))

const photoTypes = ['image/jpeg', 'image/png', 'image/webp']
const maxPhoto = 10_000_000

/** A picture is shown in the chat, unless Telegram does not take it as one. */
async function sendFile(
  file: OutboundFile,
  chat: Record<string, string>,
  { connection, context }: Destination,
): Promise<unknown> {
  const upload = (method: string, field: string) =>
    call(context, connection, method, { method: 'POST', body: formOf(chat, field, file) })
  const isPhoto = photoTypes.includes(file.mime_type) && file.bytes.byteLength <= maxPhoto
  if (!isPhoto) return upload('sendDocument', 'document')
  return upload('sendPhoto', 'photo').catch((thrown: unknown) => {
    if (!(thrown instanceof SendFailed && thrown.is_permanent)) throw thrown
    return upload('sendDocument', 'document')
  })
}

/** In groups, the answer quotes the message. */
const replyTo = ({ peer, reply }: OutboundMessage) =>
  peer.kind === 'group' && reply?.message_id
    ? { reply_parameters: { message_id: Number(reply.message_id), allow_sending_without_reply: true } }
    : {}

const appearance = (message: OutboundMessage) => ({
  link_preview_options: { is_disabled: true },
  ...(message.buttons.length > 0 && { reply_markup: { inline_keyboard: keyboardOf(message) } }),
})

/** Characters of a label that fits next to another one. */
const halfWidth = 16

/** Two buttons in a row, if all are short. */
function keyboardOf({ buttons }: OutboundMessage) {
  const keys = buttons.map(({ label, value }) => ({ text: label, callback_data: value }))
  const perRow = keys.every(({ text }) => text.length <= halfWidth) ? 2 : 1
  return Array.from({ length: Math.ceil(keys.length / perRow) }, (_, row) =>
    keys.slice(row * perRow, (row + 1) * perRow),
  )
}
