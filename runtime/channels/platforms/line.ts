import { z } from 'zod'
import type { Context } from '../../context.ts'
import { parseJson } from '../../json.ts'
import { ownValue } from '../../own-value.ts'
import { equalConstantTime, hmacSha256, toPaddedBase64 } from '../../secrets/signatures.ts'
import { iso, second } from '../../time.ts'
import {
  type Connection,
  type InboundFile,
  type InboundMessage,
  inboundFile,
  inboundMessage,
  type OutboundMessage,
  type Peer,
  type Platform,
  quoteOf,
  type RawRequest,
  type SendFailed,
} from '../platform.ts'
import { plainText, translateWithin } from './markdown.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  checkHealth,
  failureOf,
  isFresh,
  requestApi,
  requireFile,
  uuidOf,
} from './request.ts'

const api = 'https://api.line.me/v2/bot'
const dataApi = 'https://api-data.line.me/v2/bot'
const title = 'LINE'

const credentials = z.object({
  channel_secret: z.string().min(16).max(100).meta({
    title: 'Channel secret',
    description: 'LINE Developers → your channel → Basic settings',
    secret: true,
  }),
  channel_access_token: z.string().min(20).max(1_000).meta({
    title: 'Channel access token',
    description: 'LINE Developers → your channel → Messaging API → long-lived token',
    secret: true,
  }),
})

const Source = z.object({
  type: z.enum(['user', 'group', 'room']),
  userId: z.string().optional(),
  groupId: z.string().optional(),
  roomId: z.string().optional(),
})

const Content = z.object({
  id: z.string(),
  type: z.string(),
  text: z.string().optional(),
  fileName: z.string().optional(),
  fileSize: z.number().optional(),
  quotedMessageId: z.string().optional(),
  keywords: z.array(z.string()).optional(),
  title: z.string().optional(),
  address: z.string().optional(),
  latitude: z.number().optional(),
  longitude: z.number().optional(),
  mention: z.object({ mentionees: z.array(z.object({ isSelf: z.boolean().optional() })) }).optional(),
})

/** https://developers.line.biz/en/reference/messaging-api/#webhook-event-objects */
const Event = z.object({
  type: z.string(),
  mode: z.string().optional(),
  timestamp: z.number(),
  webhookEventId: z.string(),
  replyToken: z.string().optional(),
  source: Source,
  message: Content.optional(),
  postback: z.object({ data: z.string() }).optional(),
})
type Event = z.output<typeof Event>

export const line: Platform = {
  name: 'line',
  title,
  credentials,
  setup_steps: [
    'In the [LINE Official Account Manager](https://manager.line.biz), create an account and turn on the Messaging API.',
    'At [developers.line.biz](https://developers.line.biz/console/), copy the channel secret and issue a long-lived channel access token. Save both here.',
    'Connect the channel: hearthd registers `{webhook_url}`. Then turn on **Use webhook** there.',
    'In the account settings, turn off automatic replies, and allow group chats if you want to add the bot to groups.',
  ],
  limits: { text_characters: 5_000, messages_per_second: 10, file_bytes: 0, acknowledge_seconds: 2 },
  has: { buttons: true, typing: true, files: true, groups: true },

  async receive(request, { credentials }, context) {
    const refusal = await refusalOf(request, credentials.channel_secret ?? '')
    if (refusal) return { kind: 'refused', reason: refusal }
    const body = z.object({ events: z.array(z.unknown()) }).safeParse(parseJson(request.body)).data
    const messages = (body?.events ?? []).flatMap((one) => {
      const event = Event.safeParse(one).data
      return event ? toInbound(event) : []
    })
    const now = context.clock.now()
    return { kind: 'accepted', messages: messages.filter((message) => isFresh(message, now)) }
  },

  /** A reply is free but works only once and within a minute; everything else is sent as a push message. */
  async send(message, connection, context) {
    const messages = contentOf(message)
    const { reply_token, issued_at } = message.reply ?? {}
    const replied = reply_token ? await tryReply(reply_token, messages, { connection, context }) : null
    if (replied) return replied
    // Nothing else uses the token: this message was sent before a crash. An older token may have expired instead.
    const age = context.clock.now() - Number(issued_at)
    if (reply_token && age >= 0 && age < tokenLife) return { platform_message_id: null }
    const headers = { 'x-line-retry-key': await uuidOf(message.id) }
    const json = { to: message.peer.id, messages }
    const answer = await request(context, connection, '/message/push', { method: 'POST', json, headers })
    // The retry key is known: the message was already accepted.
    if (answer.status !== 200 && answer.status !== 409) throw failure(answer, context)
    return { platform_message_id: sentId(answer) }
  },

  /** LINE shows the indicator in direct chats only. */
  async typing({ kind, id }, connection, context) {
    if (kind !== 'dm') return
    const json = { chatId: id, loadingSeconds: 20 }
    await call(context, connection, '/chat/loading/start', { method: 'POST', json })
  },

  download({ reference }, { credentials }, context) {
    const { channel_access_token: bearer = '' } = credentials
    const id = encodeURIComponent(reference.message_id ?? '')
    return requireFile(context, `${dataApi}/message/${id}/content`, { title, bearer })
  },

  async connect(connection, context) {
    const json = { endpoint: connection.webhook_url }
    await call(context, connection, '/channel/webhook/endpoint', { method: 'PUT', json })
  },

  health: (connection, context) =>
    checkHealth(title, async () => {
      const { displayName } = z
        .object({ displayName: z.string() })
        .parse((await call(context, connection, '/info', {})).body)
      const { endpoint, active } = z
        .object({ endpoint: z.string(), active: z.boolean() })
        .parse((await call(context, connection, '/channel/webhook/endpoint', {})).body)
      if (endpoint !== connection.webhook_url)
        return { ok: false, detail: `${displayName} sends to a different address; connect the channel again` }
      if (!active) return { ok: false, detail: `Turn on "Use webhook" for ${displayName}` }
      return { ok: true, detail: `Connected as ${displayName}` }
    }),
}

async function refusalOf({ headers, body }: RawRequest, secret: string): Promise<string | null> {
  if (secret === '') return 'the channel has no secret'
  const expected = toPaddedBase64(await hmacSha256(secret, body))
  const signature = headers.get('x-line-signature') ?? ''
  return equalConstantTime(signature, expected) ? null : 'the signature is missing or wrong'
}

const fileTypes: Readonly<Record<string, { name: string; mime_type: string | null }>> = {
  image: { name: 'image.jpg', mime_type: 'image/jpeg' },
  video: { name: 'video.mp4', mime_type: 'video/mp4' },
  audio: { name: 'audio.m4a', mime_type: 'audio/mp4' },
  file: { name: 'file', mime_type: null },
}

function toInbound({ type, mode, source, message, postback, ...event }: Event): InboundMessage[] {
  const { userId } = source
  // In standby mode, another program answers this chat.
  if (!userId || mode === 'standby') return []
  const files = message ? filesOf(message) : []
  const text = message?.text ?? (message ? signsIn(message) : '')
  const place = [message?.title, message?.address].filter(Boolean).join(', ')
  const isPressed = type === 'postback' && postback !== undefined
  if (!isPressed && (type !== 'message' || (text === '' && files.length === 0))) return []
  return [
    inboundMessage({
      // What a quote names; a redelivery has the same.
      id: message?.id ?? event.webhookEventId,
      sender: { id: userId, name: null },
      peer: peerOf(source, userId),
      about: message?.quotedMessageId ?? null,
      text,
      quotes: place === '' ? [] : [quoteOf('shared', `Place: ${place}`)],
      value: isPressed ? postback.data : null,
      is_mention:
        isPressed || source.type === 'user' || (message?.mention?.mentionees ?? []).some(({ isSelf }) => isSelf),
      files,
      sent_at: iso(event.timestamp),
      reply: event.replyToken ? { reply_token: event.replyToken, issued_at: String(event.timestamp) } : {},
    }),
  ]
}

/** Stickers and positions as text. */
function signsIn({ type, keywords = [], latitude, longitude }: z.output<typeof Content>): string {
  if (type === 'sticker') return `[sticker ${keywords.slice(0, 3).join(', ')}]`
  return latitude === undefined || longitude === undefined ? '' : `[location ${latitude}, ${longitude}]`
}

function peerOf({ type, groupId, roomId }: z.output<typeof Source>, userId: string): Peer {
  return {
    kind: type === 'user' ? 'dm' : 'group',
    id: groupId ?? roomId ?? userId,
    name: null,
    thread_id: null,
    team_id: null,
  }
}

function filesOf({ id, type, fileName, fileSize }: z.output<typeof Content>): InboundFile[] {
  const fileType = ownValue(fileTypes, type)
  if (!fileType) return []
  const { name, mime_type } = fileType
  return [
    inboundFile(fileName ?? name, { message_id: id }, { mime_type, size_bytes: fileSize, is_voice: type === 'audio' }),
  ]
}

const maxTemplateButtons = 4

/** LINE shows plain text. A bot cannot upload files. */
function contentOf({ markdown, buttons }: OutboundMessage): object[] {
  const text = translateWithin(markdown.trim(), plainText, 5_000)
  const messages: object[] = text === '' ? [] : [{ type: 'text', text }]
  // More buttons need more templates; a message has at most five parts.
  for (let at = 0; at < Math.min(buttons.length, 4 * maxTemplateButtons); at += maxTemplateButtons) {
    const actions = buttons.slice(at, at + maxTemplateButtons).map(({ label, value }) => ({
      type: 'postback',
      label: label.slice(0, 20),
      data: value,
      displayText: label.slice(0, 300),
    }))
    messages.push({
      type: 'template',
      altText: 'Choose',
      template: { type: 'buttons', text: 'Choose:', actions },
    })
  }
  return messages
}

interface Destination {
  connection: Connection
  context: Context
}

/** Time for which a reply token is valid, in milliseconds. */
const tokenLife = 60 * second

/** Null if the token was used before or has expired. */
async function tryReply(
  replyToken: string,
  messages: object[],
  { connection, context }: Destination,
): Promise<{ platform_message_id: string | null } | null> {
  const json = { replyToken, messages }
  const answer = await request(context, connection, '/message/reply', { method: 'POST', json })
  if (answer.status === 200) return { platform_message_id: sentId(answer) }
  if (answer.status === 400 && /reply token/i.test(messageOf(answer) ?? '')) return null
  throw failure(answer, context)
}

const sentId = ({ body }: ApiAnswer): string | null =>
  z.object({ sentMessages: z.array(z.object({ id: z.string() })) }).safeParse(body).data?.sentMessages[0]?.id ?? null

const messageOf = ({ body }: ApiAnswer): string | undefined =>
  z.object({ message: z.string() }).safeParse(body).data?.message

const request = (context: Context, { credentials }: Connection, path: string, init: ApiRequest): Promise<ApiAnswer> =>
  requestApi(context, `${api}${path}`, { bearer: credentials.channel_access_token ?? '', ...init })

async function call(context: Context, connection: Connection, path: string, init: ApiRequest) {
  const answer = await request(context, connection, path, init)
  if (answer.status < 200 || answer.status > 299) throw failure(answer, context)
  return answer
}

const failure = (answer: ApiAnswer, context: Context): SendFailed =>
  failureOf(answer, { title, reason: messageOf(answer)?.slice(0, 300) }, context.clock.now())
