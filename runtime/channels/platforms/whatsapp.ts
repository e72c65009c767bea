import { z } from 'zod'
import type { Context } from '../../context.ts'
import { parseJson } from '../../json.ts'
import { equalConstantTime, hmacSha256, toHex } from '../../secrets/signatures.ts'
import { iso, second } from '../../time.ts'
import {
  type Connection,
  type InboundFile,
  type InboundMessage,
  inboundFile,
  inboundMessage,
  type OutboundFile,
  type OutboundMessage,
  type Platform,
  quoteOf,
  type RawRequest,
  type Received,
  type SendFailed,
} from '../platform.ts'
import { singleMarks, translateWithin } from './markdown.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  checkHealth,
  failureOf,
  formOf,
  isFresh,
  requestApi,
  requireFile,
  requireHost,
} from './request.ts'

const graph = 'https://graph.facebook.com/v23.0'
const title = 'WhatsApp'

const credentials = z.object({
  phone_number_id: z
    .string()
    .regex(/^\d{5,25}$/, 'must be the ID that Meta shows, 5 to 25 digits')
    .meta({ title: 'Phone number ID', description: 'WhatsApp → API Setup; not the phone number itself' }),
  access_token: z.string().min(20).max(1_000).meta({
    title: 'Access token',
    description: 'The permanent token of a system user with the permission whatsapp_business_messaging',
    secret: true,
  }),
  app_secret: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')
    .meta({ title: 'App secret', description: 'App settings → Basic', secret: true }),
  verify_token: z.string().min(8).max(200).meta({
    title: 'Verify token',
    description: 'Any text you choose; enter the same text at Meta',
    secret: true,
  }),
})

const Media = z.object({
  id: z.string(),
  mime_type: z.string().optional(),
  filename: z.string().optional(),
  caption: z.string().optional(),
  voice: z.boolean().optional(),
})

const Contact = z.object({
  name: z.object({ formatted_name: z.string() }),
  phones: z.array(z.object({ phone: z.string().optional() })).default([]),
})

const Message = z.object({
  from: z.string(),
  id: z.string(),
  timestamp: z.string(),
  type: z.string(),
  text: z.object({ body: z.string() }).optional(),
  context: z
    .object({ id: z.string().optional(), forwarded: z.boolean(), frequently_forwarded: z.boolean() })
    .partial()
    .optional(),
  location: z
    .object({ latitude: z.number(), longitude: z.number(), name: z.string(), address: z.string() })
    .partial()
    .optional(),
  contacts: z.array(Contact).optional(),
  image: Media.optional(),
  document: Media.optional(),
  audio: Media.optional(),
  video: Media.optional(),
  sticker: Media.optional(),
  button: z.object({ payload: z.string().optional(), text: z.string() }).optional(),
  interactive: z
    .object({
      button_reply: z.object({ id: z.string() }).optional(),
      list_reply: z.object({ id: z.string() }).optional(),
    })
    .optional(),
})
type Message = z.output<typeof Message>

const Value = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  contacts: z
    .array(z.object({ wa_id: z.string(), profile: z.object({ name: z.string().optional() }).optional() }))
    .optional(),
  messages: z.array(z.unknown()).optional(),
})

/** https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components */
const Notification = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(z.object({ changes: z.array(z.object({ field: z.string(), value: z.unknown() })) })),
})

const maxInteractiveText = 1_024

/** Meta's Cloud API: direct messages only. */
export const whatsapp: Platform = {
  name: 'whatsapp',
  title,
  credentials,
  setup_steps: [
    'At [developers.facebook.com](https://developers.facebook.com/apps), create a business app and add the product WhatsApp.',
    'Under **WhatsApp → API Setup**, copy the phone number ID. In the business settings, create a system user and a permanent token with `whatsapp_business_messaging`. Under **App settings → Basic**, copy the app secret.',
    'Choose a verify token and save everything here.',
    'Under **WhatsApp → Configuration**, enter `{webhook_url}` as the callback URL and your verify token, then subscribe to the field `messages`.',
  ],
  limits: {
    text_characters: 4_000,
    button_text_characters: maxInteractiveText,
    messages_per_second: 10,
    file_bytes: 16_000_000,
    acknowledge_seconds: 10,
  },
  has: { buttons: true, typing: true, files: true, groups: false },
  separate_files: true,

  async receive(request, { credentials }, context) {
    const { app_secret = '', verify_token = '', phone_number_id = '' } = credentials
    if (request.method === 'GET') return handshake(request.url, verify_token)
    const refusal = await refusalOf(request, app_secret)
    if (refusal) return { kind: 'refused', reason: refusal }
    const notification = Notification.safeParse(parseJson(request.body)).data
    const values = notification?.entry.flatMap(({ changes }) =>
      changes.filter(({ field }) => field === 'messages').map(({ value }) => Value.safeParse(value).data),
    )
    // An app with several numbers sends all their messages to one address.
    const own = values?.filter((value) => value?.metadata.phone_number_id === phone_number_id) ?? []
    return { kind: 'accepted', messages: own.flatMap((value) => (value ? messagesOf(value, context) : [])) }
  },

  async send(message, connection, context) {
    let sent: string | null = null
    if (message.markdown.trim() !== '' || message.buttons.length > 0)
      sent = await post(context, connection, { ...addressed(message), ...contentOf(message) })
    for (const file of message.files) {
      const id = await upload(file, connection, context)
      const content = isPicture(file)
        ? { type: 'image', image: { id } }
        : { type: 'document', document: { id, filename: file.name } }
      const posted = await post(context, connection, { ...addressed(message), ...content })
      sent ??= posted
    }
    return { platform_message_id: sent }
  },

  /** The typing indicator refers to a received message, which it also marks as read. */
  async typing(_, connection, context, reply) {
    if (!reply?.message_id) return
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: reply.message_id }
    const json = { ...read, typing_indicator: { type: 'text' } }
    await call(context, connection, '/messages', { method: 'POST', json })
  },

  async react(emoji, { peer, reply: { message_id } }, connection, context) {
    if (!message_id) return
    const to = { messaging_product: 'whatsapp', recipient_type: 'individual', to: peer.id }
    await post(context, connection, { ...to, type: 'reaction', reaction: { message_id, emoji: emoji ?? '' } })
  },

  async download({ reference }, { credentials }, context) {
    const { access_token: bearer = '' } = credentials
    const id = encodeURIComponent(reference.media_id ?? '')
    const answer = await requestApi(context, `${graph}/${id}`, { bearer })
    const media = z.object({ url: z.string() }).safeParse(answer.body).data
    if (answer.status !== 200 || !media) throw failure(answer, context)
    const url = requireHost(media.url, ['fbsbx.com', 'facebook.com', 'fbcdn.net', 'whatsapp.net'])
    return requireFile(context, url, { title, bearer })
  },

  health: (connection, context) =>
    checkHealth(title, async () => {
      const fields = 'display_phone_number,verified_name'
      const phone = Phone.parse(await call(context, connection, `?fields=${fields}`, {}))
      return { ok: true, detail: `Connected as ${phone.verified_name} (${phone.display_phone_number})` }
    }),
}

const Phone = z.object({ display_phone_number: z.string(), verified_name: z.string().default('a business') })

/** https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests */
function handshake({ searchParams }: URL, verify_token: string): Received {
  const tokens = searchParams.getAll('hub.verify_token')
  const challenge = searchParams.get('hub.challenge')
  const isRight = tokens.length === 1 && equalConstantTime(tokens[0] ?? '', verify_token)
  if (!isRight || searchParams.get('hub.mode') !== 'subscribe' || challenge === null)
    return { kind: 'refused', reason: 'the verify token is missing or wrong' }
  const response = new Response(challenge, { headers: { 'content-type': 'text/plain' } })
  return { kind: 'answered', response }
}

async function refusalOf({ headers, body }: RawRequest, secret: string): Promise<string | null> {
  if (secret === '') return 'the channel has no app secret'
  const expected = `sha256=${toHex(await hmacSha256(secret, body))}`
  const signature = headers.get('x-hub-signature-256') ?? ''
  return equalConstantTime(signature, expected) ? null : 'the signature is missing or wrong'
}

function messagesOf({ contacts = [], messages = [] }: z.output<typeof Value>, context: Context): InboundMessage[] {
  return messages.flatMap((one) => {
    const message = Message.safeParse(one).data
    if (!message) return []
    const name = contacts.find(({ wa_id }) => wa_id === message.from)?.profile?.name ?? null
    const now = context.clock.now()
    const inbound = toInbound(message, { name, now })
    return inbound && isFresh(inbound, now) ? [inbound] : []
  })
}

const mediaKinds = ['image', 'document', 'audio', 'video', 'sticker'] as const

function toInbound(message: Message, { name, now }: { name: string | null; now: number }): InboundMessage | null {
  const { from, id, text, button, interactive } = message
  const kind = mediaKinds.find((one) => message[one])
  const media = kind && message[kind]
  const value = interactive?.button_reply?.id ?? interactive?.list_reply?.id ?? button?.payload ?? null
  const written = text?.body ?? media?.caption ?? positionIn(message)
  const isForwarded = message.context?.forwarded || message.context?.frequently_forwarded
  const shared = sharedIn(message)
  if (value === null && written === '' && !media && shared === '') return null
  return inboundMessage({
    id,
    sender: { id: from, name },
    peer: { kind: 'dm', id: from, name, thread_id: null, team_id: null },
    about: message.context?.id ?? null,
    text: isForwarded ? '' : written,
    quotes: [
      ...(isForwarded ? [quoteOf('forward', written)] : []),
      ...(shared === '' ? [] : [quoteOf('shared', shared)]),
    ],
    value,
    files: kind && media ? [toFile(kind, media)] : [],
    sent_at: iso(/^\d{1,12}$/.test(message.timestamp) ? Number(message.timestamp) * second : now),
    reply: { message_id: id },
  })
}

const positionIn = ({ location: { latitude, longitude } = {} }: Message): string =>
  latitude === undefined || longitude === undefined ? '' : `[location ${latitude}, ${longitude}]`

/** Contacts and the names of places: text that somebody else may have written. */
function sharedIn({ contacts = [], location: { name, address } = {} }: Message): string {
  const people = contacts.map(({ name: { formatted_name }, phones }) =>
    ['Contact: ', [formatted_name, ...phones.map(({ phone }) => phone)].filter(Boolean).join(', ')].join(''),
  )
  const place = [name, address].filter(Boolean).join(', ')
  return [...people, ...(place === '' ? [] : [`Place: ${place}`])].join('\n')
}

function toFile(kind: string, { id, mime_type, filename, voice }: z.output<typeof Media>): InboundFile {
  const type = mime_type?.split(';')[0]?.trim() ?? null
  const extension = type?.split('/')[1]?.replace(/^x-/, '') ?? 'bin'
  return inboundFile(
    filename ?? `${kind}.${extension}`,
    { media_id: id },
    { mime_type: type, is_voice: voice === true },
  )
}

const addressed = ({ peer, reply }: OutboundMessage) => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: peer.id,
  ...(reply?.message_id && { context: { message_id: reply.message_id } }),
})

const maxPicture = 5_000_000

/** Pictures are shown in the chat. */
const isPicture = ({ mime_type, bytes }: OutboundFile): boolean =>
  /^image\/(jpeg|png)$/.test(mime_type) && bytes.byteLength <= maxPicture

const maxButtons = 3

/** Up to three buttons, or a list of up to ten rows. */
function contentOf({ markdown, buttons }: OutboundMessage) {
  const text = translateWithin(markdown.trim() || 'Choose:', singleMarks, 4_096)
  if (buttons.length === 0) return { type: 'text', text: { body: text, preview_url: false } }
  const body = {
    text: text.length <= maxInteractiveText ? text : `${text.slice(0, maxInteractiveText - 1)}…`,
  }
  const titled = (max: number) => buttons.map(({ label, value }) => ({ id: value, title: label.slice(0, max) }))
  const interactive =
    buttons.length <= maxButtons
      ? { type: 'button', body, action: { buttons: titled(20).map((reply) => ({ type: 'reply', reply })) } }
      : { type: 'list', body, action: { button: 'Choose', sections: [{ rows: titled(24).slice(0, 10) }] } }
  return { type: 'interactive', interactive }
}

async function post(context: Context, connection: Connection, json: object): Promise<string | null> {
  const answer = await call(context, connection, '/messages', { method: 'POST', json })
  return z.object({ messages: z.array(z.object({ id: z.string() })) }).safeParse(answer).data?.messages[0]?.id ?? null
}

async function upload(file: OutboundFile, connection: Connection, context: Context): Promise<string> {
  const form = formOf({ messaging_product: 'whatsapp', type: file.mime_type }, 'file', file)
  const answer = await call(context, connection, '/media', { method: 'POST', body: form })
  return z.object({ id: z.string() }).parse(answer).id
}

async function call(context: Context, { credentials }: Connection, path: string, request: ApiRequest) {
  const { phone_number_id = '', access_token: bearer = '' } = credentials
  const url = `${graph}/${encodeURIComponent(phone_number_id)}${path}`
  const answer = await requestApi(context, url, { bearer, ...request })
  if (answer.status >= 200 && answer.status < 300) return answer.body
  throw failure(answer, context)
}

const GraphError = z.object({
  error: z.object({
    message: z.string().default(''),
    code: z.number(),
    error_data: z.object({ details: z.string().optional() }).optional(),
  }),
})

/** https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
const rateCodes = [4, 80_007, 130_429, 131_048, 131_056]
const passingCodes = [1, 2, 131_000, 131_016, 133_004]
const remedies: Readonly<Record<number, string>> = {
  190: 'the access token has expired or was revoked; create a new one',
  131026: 'the number does not use WhatsApp or cannot receive this message',
  131047: 'the person last wrote more than 24 hours ago; after that WhatsApp allows templates only',
}

function failure(answer: ApiAnswer, context: Context): SendFailed {
  const error = GraphError.safeParse(answer.body).data?.error
  const details = error && (remedies[error.code] ?? error.error_data?.details ?? error.message)
  const reason = error && `${details?.slice(0, 300)} (code ${error.code})`
  const status = statusOf(error?.code, answer.status)
  return failureOf({ ...answer, status }, { title, reason }, context.clock.now())
}

/** Meta also reports rate limits and its own failures with status 400. */
function statusOf(code: number | undefined, status: number): number {
  if (code === undefined) return status
  if (rateCodes.includes(code)) return 429
  return passingCodes.includes(code) ? 503 : status
}
