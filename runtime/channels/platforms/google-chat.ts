import { importPKCS8, SignJWT } from 'jose'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { parseJson } from '../../json.ts'
import { iso, second } from '../../time.ts'
import {
  type Connection,
  type InboundFile,
  type InboundMessage,
  inboundFile,
  inboundMessage,
  type OutboundMessage,
  type Platform,
  permanent,
  quoteOf,
  type Received,
} from '../platform.ts'
import { type Dialect, singleMarks, translateWithin } from './markdown.ts'
import { type ApiRequest, checkHealth, failureOf, requestApi, requestFile, requireSuccess } from './request.ts'
import { bearerOf, type JwtRules, requestToken, verifyJwt, withAccessToken } from './tokens.ts'

const api = 'https://chat.googleapis.com/v1'
const title = 'Google Chat'
const sender = 'chat@system.gserviceaccount.com'
const tokenUrl = 'https://oauth2.googleapis.com/token'
/** Seconds. */
const tolerance = 300

const credentials = z.object({
  service_account: z
    .string()
    .max(10_000)
    .refine((text) => accountOf(text) !== null, 'must be the JSON key of a service account')
    .meta({
      title: 'Service account key',
      description: 'The JSON key file of the service account, as text',
      secret: true,
    }),
  audience: z
    .union([z.literal(''), z.string().regex(/^\d{5,20}$/, 'must be the project number')])
    .default('')
    .meta({
      title: 'Project number',
      description: 'Only if the app’s authentication audience is the project number instead of the endpoint URL',
    }),
})

const Account = z.object({
  client_email: z.email(),
  private_key: z.string().startsWith('-----BEGIN PRIVATE KEY-----'),
})

const accountOf = (text: string) => Account.safeParse(parseJson(text)).data ?? null

const User = z.object({ name: z.string(), displayName: z.string().optional(), type: z.string().optional() })

const Attachment = z.object({
  contentName: z.string().optional(),
  contentType: z.string().optional(),
  attachmentDataRef: z.object({ resourceName: z.string() }).optional(),
})

const Space = z.object({
  name: z.string().regex(/^spaces\/[\w-]{1,100}$/),
  type: z.string().optional(),
  spaceType: z.string().optional(),
  displayName: z.string().optional(),
})

const Message = z.object({
  name: z.string(),
  sender: User.optional(),
  text: z.string().optional(),
  argumentText: z.string().optional(),
  createTime: z.string().optional(),
  thread: z.object({ name: z.string() }).optional(),
  quotedMessageMetadata: z
    .object({
      name: z.string(),
      quoteType: z.string().optional(),
      quotedMessageSnapshot: z.object({ text: z.string().default('') }).optional(),
    })
    .optional(),
  attachment: z.array(Attachment).optional(),
})

/** https://developers.google.com/workspace/chat/api/reference/rest/v1/Event */
const Event = z.object({
  type: z.string(),
  eventTime: z.string().optional(),
  user: User,
  space: Space,
  message: Message.optional(),
  action: z.object({ parameters: z.array(z.object({ key: z.string(), value: z.string() })).optional() }).optional(),
  common: z.object({ parameters: z.record(z.string(), z.string()).optional() }).optional(),
})
type Event = z.output<typeof Event>

export const googleChat: Platform = {
  name: 'google_chat',
  title,
  credentials,
  setup_steps: [
    'In the [Google Cloud console](https://console.cloud.google.com), create a project and enable the Google Chat API.',
    'Under **IAM → Service accounts**, create a service account and a JSON key for it. Paste the file into **Service account key**.',
    'In the settings of the Google Chat API, under **Configuration**, turn off "Build this Chat app as a Workspace add-on", turn on interactive features, and enter `{webhook_url}` as the HTTP endpoint URL.',
    'Choose **HTTP endpoint URL** as the authentication audience, or **Project number** and enter the number here.',
    'Make the app visible to the people who will use it; they find it in Google Chat by its name.',
  ],
  limits: { text_characters: 4_000, messages_per_second: 1, file_bytes: 0, acknowledge_seconds: 30 },
  has: { buttons: true, typing: false, files: true, groups: true },

  async receive({ headers, body }, connection, context) {
    const token = bearerOf(headers)
    if (token === null) return { kind: 'refused', reason: 'the token is missing' }
    const verified = await verifyJwt(context, token, rulesOf(connection))
    if (!verified.ok) return { kind: 'refused', reason: verified.reason }
    const { email, email_verified } = verified.payload
    if (!connection.credentials.audience && (email !== sender || email_verified !== true))
      return { kind: 'refused', reason: 'the token was not issued by Google Chat' }
    return accepted(Event.safeParse(parseJson(body)).data, context.clock.now())
  },

  async send(message, connection, context) {
    const { peer } = message
    // Google returns the existing message for a repeated request id.
    const query = new URLSearchParams({
      requestId: context.secrets.sha256(message.id).slice(0, 36),
      ...(peer.thread_id !== null && { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' }),
    })
    const json = {
      ...contentOf(message),
      ...(peer.thread_id !== null && { thread: { name: peer.thread_id } }),
    }
    const path = `/${spaceOf(peer.id)}/messages?${query}`
    const answer = await call(context, connection, path, { method: 'POST', json })
    return { platform_message_id: z.object({ name: z.string() }).safeParse(answer.body).data?.name ?? null }
  },

  async edit(message, name, connection, context) {
    const json = { cardsV2: [], ...contentOf(message) }
    const path = `/${name}?updateMask=text,cardsV2`
    await call(context, connection, path, { method: 'PATCH', json })
  },

  async download({ reference }, connection, context) {
    const name = (reference.resource ?? '').split('/').map(encodeURIComponent).join('/')
    const url = `https://chat.googleapis.com/v1/media/${name}?alt=media`
    const response = await withAccessToken(context, connection, {
      fetchToken: () => fetchToken(context, connection),
      send: (bearer) => requestFile(context, url, { bearer }),
    })
    return requireSuccess(response, title, context.clock.now())
  },

  health: (connection, context) =>
    checkHealth(title, async () => {
      await call(context, connection, '/spaces?pageSize=1', {})
      const account = accountOf(connection.credentials.service_account ?? '')
      return { ok: true, detail: `Connected as ${account?.client_email}` }
    }),
}

/** https://developers.google.com/workspace/chat/verify-requests-from-chat */
function rulesOf({ credentials, webhook_url }: Connection): JwtRules {
  const { audience = '' } = credentials
  const byProject = audience !== ''
  const keys = byProject ? `service_accounts/v1/jwk/${sender}` : 'oauth2/v3/certs'
  return {
    issuer: byProject ? sender : 'https://accounts.google.com',
    audience: byProject ? audience : webhook_url,
    jwks_url: async () => `https://www.googleapis.com/${keys}`,
    tolerance,
  }
}

function accepted(event: Event | undefined, now: number): Received {
  const message = event && toInbound(event, now)
  // Google shows an error for a response without JSON.
  return { kind: 'accepted', messages: message ? [message] : [], response: Response.json({}) }
}

function toInbound(event: Event, now: number): InboundMessage | null {
  const { type, user, space, message } = event
  const value = event.common?.parameters?.value ?? event.action?.parameters?.find(({ key }) => key === 'value')?.value
  const isPressed = type === 'CARD_CLICKED'
  if ((!isPressed && type !== 'MESSAGE') || user.type === 'BOT' || !message) return null
  if (isPressed && value === undefined) return null
  const files = isPressed ? [] : (message.attachment ?? []).flatMap(toFile)
  const text = isPressed ? '' : (message.argumentText ?? message.text ?? '').trim()
  const { quotedMessageMetadata: quoted } = message
  const isForwarded = !isPressed && quoted?.quoteType === 'FORWARD'
  const forwarded = quoted?.quotedMessageSnapshot?.text ?? ''
  const quotes = isForwarded ? [quoteOf('forward', forwarded)] : []
  if (!isPressed && text === '' && files.length === 0 && quotes.length === 0) return null
  const isDirect = (space.spaceType ?? space.type) === 'DIRECT_MESSAGE' || space.type === 'DM'
  const sent_at = Date.parse((isPressed ? event.eventTime : message.createTime) ?? '')
  return inboundMessage({
    id: isPressed ? `button:${message.name}:${user.name}:${event.eventTime ?? ''}` : message.name,
    sender: { id: user.name, name: user.displayName ?? null },
    peer: {
      kind: isDirect ? 'dm' : 'group',
      id: space.name,
      name: space.displayName || null,
      thread_id: isDirect ? null : (message.thread?.name ?? null),
      team_id: null,
    },
    about: isPressed ? message.name : isForwarded ? null : (quoted?.name ?? null),
    text,
    quotes,
    // In a space, an app receives only the messages that mention it.
    value: isPressed ? (value ?? '') : null,
    files,
    sent_at: iso(Number.isNaN(sent_at) ? now : sent_at),
  })
}

function toFile({ contentName, contentType, attachmentDataRef }: z.output<typeof Attachment>): InboundFile[] {
  const resource = attachmentDataRef?.resourceName
  return resource ? [inboundFile(contentName ?? 'file', { resource }, { mime_type: contentType })] : []
}

function spaceOf(id: string): string {
  if (!Space.shape.name.safeParse(id).success) throw permanent(`${id.slice(0, 100)} is not a space such as spaces/AAAA`)
  return id
}

/** https://developers.google.com/workspace/chat/format-messages */
const chatText: Dialect = {
  ...singleMarks,
  // Text from a model must not mention everyone.
  text: (text) => text.replaceAll('<users/', '< users/'),
  link: (inner, url) => (inner === url || inner === '' ? url : `<${url}|${inner.replaceAll(/[|<>]/g, ' ')}>`),
  item: (inner, mark, depth) => `${'    '.repeat(depth)}${mark === '-' ? '*' : mark} ${inner}`,
}

/** An app cannot upload files with its own account. */
function contentOf({ markdown, buttons }: OutboundMessage): object {
  const text = translateWithin(markdown, chatText, 4_096)
  if (buttons.length === 0) return { text }
  const list = buttons.map(({ label, value, style }) => ({
    text: label,
    ...(style === 'primary' && { type: 'FILLED' }),
    onClick: { action: { function: 'press', parameters: [{ key: 'value', value }] } },
  }))
  const card = { sections: [{ widgets: [{ buttonList: { buttons: list } }] }] }
  return { text, cardsV2: [{ cardId: 'buttons', card }] }
}

async function call(context: Context, connection: Connection, path: string, request: ApiRequest) {
  const answer = await withAccessToken(context, connection, {
    fetchToken: () => fetchToken(context, connection),
    send: (bearer) => requestApi(context, `${api}${path}`, { ...request, bearer }),
  })
  if (answer.status === 200) return answer
  const error = z.object({ error: z.object({ message: z.string() }) }).safeParse(answer.body).data?.error
  throw failureOf(answer, { title, reason: error?.message.slice(0, 300) }, context.clock.now())
}

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
async function fetchToken(context: Context, { credentials }: Connection) {
  const account = accountOf(credentials.service_account ?? '')
  if (!account) throw permanent('The service account key is not valid')
  const assertion = await signAssertion(account, Math.floor(context.clock.now() / second))
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
  return requestToken(context, tokenUrl, { title: 'Google', form })
}

async function signAssertion({ client_email, private_key }: z.output<typeof Account>, now: number): Promise<string> {
  const key = await importPKCS8(private_key, 'RS256').catch(() => null)
  if (!key) throw permanent('The private key of the service account is not valid')
  return new SignJWT({ scope: 'https://www.googleapis.com/auth/chat.bot' })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(client_email)
    .setAudience(tokenUrl)
    .setIssuedAt(now)
    .setExpirationTime(now + 3_600)
    .sign(key)
}
