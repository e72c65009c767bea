import { z } from 'zod'
import type { Context } from '../../context.ts'
import { processState } from '../../process-state.ts'
import { equalConstantTime, hmacSha256, toHex } from '../../secrets/signatures.ts'
import { iso, second } from '../../time.ts'
import {
  type Connection,
  type InboundFile,
  type InboundMessage,
  inboundMessage,
  type OutboundMessage,
  type Peer,
  type Platform,
  SendFailed,
} from '../platform.ts'
import { type Dialect, escapeHtml, plainText, translateMarkdown } from './markdown.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  checkHealth,
  failureOf,
  formOf,
  parseJson,
  requestApi,
  requireFile,
} from './request.ts'

const origin = 'https://api.telegram.org'
const title = 'Telegram'

const credentials = z.object({
  bot_token: z
    .string()
    .regex(/^\d{1,20}:[\w-]{10,100}$/, 'must be a bot token such as 123456:ABC-DEF')
    .meta({ title: 'Bot token', description: 'The token from @BotFather', secret: true }),
})

const User = z.object({
  id: z.number(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(''),
  last_name: z.string().optional(),
  username: z.string().optional(),
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
  reply_to_message: z.object({ from: User.optional() }).optional(),
  photo: z.array(Media).optional(),
  document: Media.optional(),
  audio: Media.optional(),
  voice: Media.optional(),
  video: Media.optional(),
  video_note: Media.optional(),
  animation: Media.optional(),
})
type Message = z.output<typeof Message>

/** https://core.telegram.org/bots/api#update */
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
    'Copy the token that it shows into **Bot token**.',
    'Connect the channel: hearthd then registers `{webhook_url}` with Telegram. It must be reachable from the internet over HTTPS.',
    'For groups: add the bot to the group and mention it, or turn off the privacy mode with `/setprivacy`.',
  ],
  limits: { text_characters: 4_096, messages_per_second: 1, file_bytes: 50_000_000, acknowledge_seconds: 60 },
  has: { buttons: true, typing: true, files: true, groups: true },
  separate_files: true,

  async receive({ headers, body }, connection, context) {
    const given = headers.get('x-telegram-bot-api-secret-token') ?? ''
    if (!equalConstantTime(given, await webhookSecret(connection)))
      return { kind: 'refused', reason: 'the secret token is missing or wrong' }
    const update = Update.safeParse(parseJson(body))
    if (!update.success) return { kind: 'accepted', messages: [] }
    const { message, edited_message, callback_query: pressed } = update.data
    if (pressed)
      return {
        kind: 'accepted',
        messages: pressed.message && pressed.data ? [toPressed(pressed.message, pressed)] : [],
        // The webhook response can contain an API call; this one stops the button's progress indicator.
        response: Response.json({ method: 'answerCallbackQuery', callback_query_id: pressed.id }),
      }
    const found = message ?? edited_message
    const isUsable = found?.from && !found.from.is_bot
    return {
      kind: 'accepted',
      messages: isUsable ? await toInbound(found, { isEdit: !message, connection, context }) : [],
    }
  },

  async send(message, connection, context) {
    const chat = chatOf(message.peer)
    let sent: string | null = null
    if (message.markdown.trim() !== '' || message.buttons.length > 0)
      sent = await sendText(message, connection, context)
    for (const file of message.files) {
      const form = formOf(textsOf(chat), 'document', file)
      const result = await call(context, connection, 'sendDocument', { method: 'POST', body: form })
      sent ??= sentId(result)
    }
    return { platform_message_id: sent }
  },

  async typing(peer, connection, context) {
    const json = { ...chatOf(peer), action: 'typing' }
    await call(context, connection, 'sendChatAction', { method: 'POST', json })
  },

  async download({ reference }, connection, context) {
    const json = { file_id: reference.file_id }
    const result = await call(context, connection, 'getFile', { method: 'POST', json })
    const path = z.object({ file_path: z.string() }).safeParse(result)
    if (!path.success) throw new SendFailed('Telegram did not return the file', { is_permanent: true })
    const url = `${origin}/file/bot${connection.credentials.bot_token}/${path.data.file_path}`
    return requireFile(context, url, { title })
  },

  async connect(connection, context) {
    const json = {
      url: connection.webhook_url,
      secret_token: await webhookSecret(connection),
      allowed_updates: ['message', 'edited_message', 'callback_query'],
      max_connections: 10,
    }
    await call(context, connection, 'setWebhook', { method: 'POST', json })
  },

  async disconnect(connection, context) {
    await call(context, connection, 'deleteWebhook', { method: 'POST', json: {} })
  },

  health: (connection, context) =>
    checkHealth(title, async () => {
      const bot = User.parse(await call(context, connection, 'getMe'))
      const hook = z
        .object({ url: z.string(), last_error_message: z.string().optional() })
        .parse(await call(context, connection, 'getWebhookInfo'))
      const name = `@${bot.username ?? bot.first_name}`
      if (hook.url !== connection.webhook_url)
        return { ok: false, detail: `${name} sends to a different address; connect the channel again` }
      const failed = hook.last_error_message
      return { ok: true, detail: failed ? `${name}; last delivery: ${failed}` : `Connected as ${name}` }
    }),
}

/** The webhook secret, derived from the bot token so that nobody has to choose one. */
async function webhookSecret({ credentials, channel_id }: Connection): Promise<string> {
  const { bot_token = '' } = credentials
  return bot_token === '' ? '' : toHex(await hmacSha256(bot_token, `hearthd webhook of ${channel_id}`))
}

/** Calls a method of the Bot API and returns its result. */
async function call(
  context: Context,
  connection: Connection,
  method: string,
  request: ApiRequest = {},
): Promise<unknown> {
  const { bot_token = '' } = connection.credentials
  const answer = await requestApi(context, `${origin}/bot${bot_token}/${method}`, request)
  const { ok, result } = Answer.safeParse(answer.body).data ?? {}
  if (answer.status === 200 && ok) return result
  throw failure(answer, context)
}

const Answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
})

function failure(answer: ApiAnswer, context: Context): SendFailed {
  const body = Answer.safeParse(answer.body).data
  const refusal = {
    title,
    reason: body?.description?.slice(0, 500),
    retry_after_seconds: body?.parameters?.retry_after,
  }
  return failureOf(answer, refusal, context.clock.now())
}

interface Source {
  isEdit: boolean
  connection: Connection
  context: Context
}

const idOf = ({ chat, message_id }: Message): string => `${chat.id}:${message_id}`

async function toInbound(message: Message, source: Source): Promise<InboundMessage[]> {
  const { from } = message
  const files = filesOf(message)
  const text = message.text ?? message.caption ?? ''
  if (!from || (text === '' && files.length === 0)) return []
  const id = idOf(message)
  const { isEdit } = source
  return [
    inboundMessage({
      id: isEdit ? `${id}:${message.edit_date ?? message.date}` : id,
      edits: isEdit ? id : null,
      sender: senderOf(from),
      peer: peerOf(message, from),
      text,
      is_mention: message.chat.type === 'private' || (await isMention(message, source)),
      files,
      sent_at: iso((message.edit_date ?? message.date) * second),
      reply: { message_id: String(message.message_id) },
    }),
  ]
}

function toPressed(
  message: Message,
  { id, from, data = '' }: { id: string; from: z.output<typeof User>; data?: string | undefined },
): InboundMessage {
  return inboundMessage({
    id: `button:${id}`,
    sender: senderOf(from),
    peer: peerOf(message, from),
    value: data,
    sent_at: iso(message.date * second),
  })
}

const nameOf = ({ first_name, last_name, username }: z.output<typeof User>): string =>
  [first_name, last_name].filter(Boolean).join(' ') || (username ?? '')

const senderOf = (user: z.output<typeof User>) => ({ id: String(user.id), name: nameOf(user) || null })

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

const mediaKinds = ['document', 'audio', 'voice', 'video', 'video_note', 'animation'] as const

function filesOf(message: Message): InboundFile[] {
  // Telegram also sends an animation as a document.
  const kind = mediaKinds.find((one) => message[one])
  const photo = message.photo?.reduce((left, right) =>
    (right.file_size ?? 0) >= (left.file_size ?? 0) ? right : left,
  )
  const found = kind ? message[kind] : photo
  if (!found) return []
  const mime_type = found.mime_type ?? (photo === found ? 'image/jpeg' : null)
  return [
    {
      name: found.file_name ?? `${kind ?? 'photo'}-${message.message_id}${photo === found ? '.jpg' : ''}`,
      mime_type,
      size_bytes: found.file_size ?? null,
      reference: { file_id: found.file_id },
    },
  ]
}

/** Names of the bots, for mentions in groups. */
const botNames = processState(() => new Map<string, string>())

/** Whether a group message replies to the bot, mentions it, or is a command for it. */
async function isMention(message: Message, { connection, context }: Source): Promise<boolean> {
  const botId = connection.credentials.bot_token?.split(':')[0] ?? ''
  if (String(message.reply_to_message?.from?.id) === botId) return true
  const text = message.text ?? message.caption ?? ''
  const marked = (message.entities ?? message.caption_entities ?? []).map(
    ({ type, offset, length, user }) => ({
      type,
      user,
      text: text.slice(offset, offset + length).toLowerCase(),
    }),
  )
  if (marked.some(({ user }) => user && String(user.id) === botId)) return true
  const naming = marked.filter(
    (one) => ['mention', 'bot_command'].includes(one.type) && one.text.includes('@'),
  )
  if (naming.length === 0) return false
  const name = await botName(botId, connection, context)
  return name !== '' && naming.some((one) => one.text.endsWith(`@${name}`))
}

async function botName(botId: string, connection: Connection, context: Context): Promise<string> {
  const names = botNames(context)
  const known = names.get(botId)
  if (known !== undefined) return known
  const bot = User.safeParse(await call(context, connection, 'getMe')).data
  const name = bot?.username?.toLowerCase() ?? ''
  names.set(botId, name)
  return name
}

const chatOf = ({ id, thread_id }: Peer) => ({
  chat_id: id,
  ...(thread_id !== null && { message_thread_id: thread_id }),
})

const textsOf = (chat: ReturnType<typeof chatOf>) => ({ ...chat }) as Record<string, string>

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
  link: (inner, url) =>
    `<a href="${escapeHtml(url).replaceAll('"', '&quot;')}">${inner || escapeHtml(url)}</a>`,
  codeBlock: (text, language) =>
    language === ''
      ? `<pre>${escapeHtml(text)}</pre>`
      : `<pre><code class="language-${language}">${escapeHtml(text)}</code></pre>`,
  heading: (inner) => `<b>${inner.replaceAll(/<\/?b>/g, '')}</b>`,
  quote: (inner) => `<blockquote>${inner.replaceAll(/<\/?blockquote>/g, '')}</blockquote>`,
}

/** Sends formatted text, or plain text if Telegram rejects the formatting. */
async function sendText(
  message: OutboundMessage,
  connection: Connection,
  context: Context,
): Promise<string | null> {
  const json = {
    ...chatOf(message.peer),
    link_preview_options: { is_disabled: true },
    ...replyTo(message),
    ...(message.buttons.length > 0 && { reply_markup: { inline_keyboard: keyboardOf(message) } }),
  }
  const send = (text: object) =>
    call(context, connection, 'sendMessage', { method: 'POST', json: { ...json, ...text } })
  const markdown = message.markdown.trim() || 'Choose:'
  const html = { text: translateMarkdown(markdown, telegramHtml), parse_mode: 'HTML' }
  try {
    return sentId(await send(html))
  } catch (thrown) {
    if (!(thrown instanceof SendFailed && /can't parse entities|message is too long/i.test(thrown.message)))
      throw thrown
    return sentId(await send({ text: markdown }))
  }
}

/** In groups, the answer quotes the message. */
const replyTo = ({ peer, reply }: OutboundMessage) =>
  peer.kind === 'group' && reply?.message_id
    ? { reply_parameters: { message_id: Number(reply.message_id), allow_sending_without_reply: true } }
    : {}

const keyboardOf = ({ buttons }: OutboundMessage) =>
  buttons.map(({ label, value }) => [{ text: label, callback_data: value }])
