import type { JWTPayload } from 'jose'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { parseJson } from '../../json.ts'
import { toPaddedBase64 } from '../../secrets/signatures.ts'
import { iso } from '../../time.ts'
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
  type Quote,
  type RawRequest,
  type Received,
  type SendFailed,
} from '../platform.ts'
import { simpleMarkdown, translateMarkdown } from './markdown.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  checkHealth,
  failureOf,
  requestApi,
  requestFile,
  requireFile,
  requireSuccess,
} from './request.ts'
import { bearerOf, requestToken, type VendorKey, verifyJwt, withAccessToken } from './tokens.ts'

const title = 'Teams'
const issuer = 'https://api.botframework.com'
const openIdConfiguration = 'https://login.botframework.com/v1/.well-known/openidconfiguration'
const scope = 'https://api.botframework.com/.default'
/** Service URL for people who have not written since the daemon started. */
const globalService = 'https://smba.trafficmanager.net/teams/'
/** Seconds; the documentation allows five minutes. */
const tolerance = 300

const guid = z.guid('must be a GUID')

const credentials = z.object({
  app_id: guid.meta({ title: 'App ID', description: 'The Microsoft App ID of the bot' }),
  app_password: z.string().min(10).max(200).meta({
    title: 'Client secret',
    description: 'Certificates & secrets → the value of a client secret',
    secret: true,
  }),
  tenant_id: z
    .union([z.literal(''), guid])
    .default('')
    .meta({
      title: 'Tenant ID',
      description: 'The directory of a single-tenant bot. Leave blank for a multi-tenant bot',
    }),
})

const Account = z.object({ id: z.string(), name: z.string().optional(), aadObjectId: z.string().optional() })

const Attachment = z.object({
  contentType: z.string(),
  contentUrl: z.string().optional(),
  name: z.string().optional(),
  content: z.unknown().optional(),
})

/** https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference#activity-object */
const Activity = z.object({
  type: z.string(),
  id: z.string(),
  timestamp: z.string().optional(),
  serviceUrl: z.string(),
  channelId: z.string(),
  from: Account,
  recipient: Account,
  conversation: z.object({
    id: z.string(),
    conversationType: z.string().optional(),
    name: z.string().optional(),
    tenantId: z.string().optional(),
  }),
  text: z.string().nullish(),
  replyToId: z.string().nullish(),
  value: z.unknown().optional(),
  entities: z.array(z.looseObject({ type: z.string() })).nullish(),
  attachments: z.array(z.unknown()).nullish(),
  channelData: z
    .object({
      tenant: z.object({ id: z.string() }).nullish(),
      team: z.object({ id: z.string() }).nullish(),
      eventType: z.string().nullish(),
    })
    .nullish(),
})
type Activity = z.output<typeof Activity>

export const teams: Platform = {
  name: 'teams',
  title,
  credentials,
  setup_steps: [
    'In the [Azure portal](https://portal.azure.com), create an **Azure Bot**. Copy its Microsoft App ID and, for a single-tenant bot, the tenant ID.',
    'In the app registration, under **Certificates & secrets**, create a client secret and copy its value. Save everything here.',
    'In the Azure Bot, under **Configuration**, enter `{webhook_url}` as the messaging endpoint. Under **Channels**, add Microsoft Teams.',
    'In the [Teams developer portal](https://dev.teams.microsoft.com), create an app with this bot for the scopes personal, team and group chat, and install it.',
  ],
  limits: { text_characters: 8_000, messages_per_second: 1, file_bytes: 256_000, acknowledge_seconds: 10 },
  has: { buttons: true, typing: true, files: true, groups: true },

  async receive(request, { credentials }, context) {
    const token = bearerOf(request.headers)
    const { app_id = '', tenant_id = '' } = credentials
    if (token === null || app_id === '') return refused('the token or the app ID is missing')
    const verified = await verifyJwt(context, token, {
      jwks_url: () => keysUrl(context),
      issuer,
      audience: app_id,
      tolerance,
    })
    if (!verified.ok) return refused(verified.reason)
    return judge(request, { ...verified, tenant_id, now: context.clock.now() })
  },

  async send(message, connection, context) {
    const path = `/v3/conversations/${encodeURIComponent(conversationOf(message.peer))}/activities`
    const answer = await call(context, connection, message.reply, {
      path,
      json: activityOf(message, connection),
    })
    return { platform_message_id: z.object({ id: z.string() }).safeParse(answer.body).data?.id ?? null }
  },

  async edit(message, id, connection, context) {
    const conversation = encodeURIComponent(conversationOf(message.peer))
    const path = `/v3/conversations/${conversation}/activities/${encodeURIComponent(id)}`
    await call(context, connection, message.reply, {
      path,
      method: 'PUT',
      json: { ...activityOf(message, connection), id },
    })
  },

  async typing(peer, connection, context, reply) {
    const path = `/v3/conversations/${encodeURIComponent(conversationOf(peer))}/activities`
    await call(context, connection, reply ?? null, { path, json: { type: 'typing' } })
  },

  async download({ reference }, connection, context) {
    const { url = '', service_url } = reference
    // Images are served by the connector, which needs the bot's token. Other files have their own URL.
    if (!service_url) return requireFile(context, url, { title })
    if (URL.parse(url)?.origin !== URL.parse(service_url)?.origin)
      throw permanent('The image is not hosted by Microsoft')
    const response = await withAccessToken(context, connection, {
      fetchToken: () => fetchToken(context, connection),
      send: (bearer) => requestFile(context, url, { bearer }),
    })
    return requireSuccess(response, title, context.clock.now())
  },

  health: (connection, context) =>
    checkHealth(title, async () => {
      await fetchToken(context, connection)
      return { ok: true, detail: 'Microsoft accepts the app ID and the client secret' }
    }),
}

const refused = (reason: string): Received => ({ kind: 'refused', reason })

async function keysUrl(context: Context): Promise<string> {
  const { body } = await requestApi(context, openIdConfiguration, {})
  return z.object({ jwks_uri: z.url({ protocol: /^https$/ }) }).parse(body).jwks_uri
}

interface Proof {
  payload: JWTPayload
  key: VendorKey
  tenant_id: string
  now: number
}

/** The token must be for this service and, for a single-tenant bot, the message must come from the bot's tenant. */
function judge({ body }: RawRequest, { payload, key, tenant_id, now }: Proof): Received {
  const parsed = parseJson(body)
  const activity = Activity.safeParse(parsed).data
  const claimed = (parsed as { serviceUrl?: unknown } | null)?.serviceUrl
  if (
    typeof payload.serviceurl !== 'string' ||
    typeof claimed !== 'string' ||
    !isSameService(payload.serviceurl, claimed)
  )
    return refused('the serviceurl claim is missing or does not match the message')
  if (!activity) return { kind: 'accepted', messages: [] }
  // On Web Chat and Direct Line, which bots also have, senders choose their own id.
  if (activity.channelId !== 'msteams') return refused('the message is not from Teams')
  if (Array.isArray(key.endorsements) && !key.endorsements.includes(activity.channelId))
    return refused('the key is not endorsed for this channel')
  const tenant = activity.channelData?.tenant?.id ?? activity.conversation.tenantId
  if (tenant_id !== '' && tenant !== tenant_id) return refused('the message is from another tenant')
  return { kind: 'accepted', messages: toInbound(activity, now) }
}

const isSameService = (left: string, right: string): boolean =>
  left.toLowerCase().replace(/\/$/, '') === right.toLowerCase().replace(/\/$/, '')

function toInbound(activity: Activity, now: number): InboundMessage[] {
  const { type, from, recipient, conversation, channelData, serviceUrl } = activity
  const isEdit = type === 'messageUpdate' && channelData?.eventType !== 'softDeleteMessage'
  if ((type !== 'message' && !isEdit) || from.id === recipient.id) return []
  const value = z.object({ hearthd: z.string() }).safeParse(activity.value).data?.hearthd ?? null
  const files = (activity.attachments ?? []).flatMap((one) => toFile(one, serviceUrl))
  const text = readable(activity)
  const quotes = quotesOf(activity)
  if (value === null && text === '' && files.length === 0) return []
  const { id, thread_id } = splitConversation(conversation.id)
  const isPersonal = conversation.conversationType === 'personal'
  const sent_at = Date.parse(activity.timestamp ?? '')
  return [
    inboundMessage({
      id: isEdit ? `${activity.id}:${activity.timestamp ?? ''}` : activity.id,
      edits: isEdit ? activity.id : null,
      sender: { id: from.aadObjectId ?? from.id, name: from.name ?? null },
      peer: {
        kind: isPersonal ? 'dm' : 'group',
        id,
        name: isPersonal ? (from.name ?? null) : (conversation.name ?? null),
        thread_id,
        team_id: channelData?.team?.id ?? channelData?.tenant?.id ?? null,
      },
      about: value === null ? (quotes[0]?.id ?? null) : (activity.replyToId ?? null),
      text,
      quotes: quotes.map(({ id: _, ...quote }) => quote),
      value,
      is_mention: isPersonal || value !== null || mentionsOf(activity).some(({ id }) => id === recipient.id),
      files,
      sent_at: iso(Number.isNaN(sent_at) ? now : sent_at),
      reply: { service_url: serviceUrl, activity_id: activity.id },
    }),
  ]
}

/** The message that this one answers, as Teams shows it: the beginning of its text. */
const Reference = z.object({
  messageId: z.string(),
  messagePreview: z.string().default(''),
  messageSender: z
    .object({ user: z.object({ id: z.string().nullish(), displayName: z.string().nullish() }).nullish() })
    .nullish(),
})

function quotesOf({ attachments, from }: Activity): (Quote & { id: string })[] {
  return (attachments ?? []).flatMap((one) => {
    const { contentType, content } = Attachment.safeParse(one).data ?? {}
    if (contentType !== 'messageReference') return []
    const quoted = Reference.safeParse(typeof content === 'string' ? parseJson(content) : content).data
    if (!quoted) return []
    const user = quoted.messageSender?.user
    const is_own = user?.id != null && user.id === from.aadObjectId
    const { messageId: id, messagePreview: text } = quoted
    return [{ id, kind: 'reply' as const, from: user?.displayName ?? null, text, is_own }]
  })
}

const Mention = z.object({ type: z.literal('mention'), text: z.string().optional(), mentioned: Account })

const mentionsOf = ({ entities }: Activity): { id: string; text: string }[] =>
  (entities ?? []).flatMap((one) => {
    const mention = Mention.safeParse(one).data
    return mention ? [{ id: mention.mentioned.id, text: mention.text ?? '' }] : []
  })

/** The text without the bot's own mention and without the tags of other mentions. */
function readable(activity: Activity): string {
  const own = mentionsOf(activity).filter(({ id, text }) => id === activity.recipient.id && text !== '')
  const text = own.reduce((rest, mention) => rest.replace(mention.text, ''), activity.text ?? '')
  return text
    .replace(/<\/?at>/g, '')
    .replaceAll('&nbsp;', ' ')
    .trim()
}

/** In a team's channel, the id of a reply's thread follows the channel id. */
function splitConversation(conversation: string): { id: string; thread_id: string | null } {
  const [id = '', thread_id] = conversation.split(';messageid=')
  return { id, thread_id: thread_id ?? null }
}

const conversationOf = ({ id, thread_id }: Peer): string => (thread_id === null ? id : `${id};messageid=${thread_id}`)

const downloadInfo = 'application/vnd.microsoft.teams.file.download.info'

function toFile(attachment: unknown, service_url: string): InboundFile[] {
  const file = Attachment.safeParse(attachment).data
  if (!file) return []
  const { contentType, contentUrl, name } = file
  if (contentType === downloadInfo) {
    const url = z.object({ downloadUrl: z.url({ protocol: /^https$/ }) }).safeParse(file.content).data?.downloadUrl
    return url ? [inboundFile(name ?? 'file', { url })] : []
  }
  if (!contentType.startsWith('image/') || !contentUrl?.startsWith('https://')) return []
  const mime_type = contentType === 'image/*' ? null : contentType
  return [inboundFile(name ?? 'picture', { url: contentUrl, service_url }, { mime_type })]
}

/** Maximum base64 characters of an inline image. */
const maxPicture = 256_000

const isPicture = ({ mime_type, bytes }: OutboundFile): boolean =>
  /^image\/(png|jpeg|gif)$/.test(mime_type) && bytes.length <= (maxPicture * 3) / 4

/** The text with the names of files that are not sent. */
function withNames(text: string, files: readonly OutboundFile[]): string {
  if (files.length === 0) return text
  const note = `(Not sent, because bots cannot send files here: ${files.map(({ name }) => name).join(', ')})`
  return text === '' ? note : `${text}\n\n${note}`
}

/** Small images are sent inline; bots have no simple way to send other files, so their names are listed. */
function activityOf({ markdown, buttons, files, reply }: OutboundMessage, { credentials }: Connection): object {
  const pictures = files.filter(isPicture).map(({ name, mime_type, bytes }) => ({
    contentType: mime_type,
    contentUrl: `data:${mime_type};base64,${toPaddedBase64(bytes)}`,
    name,
  }))
  const card = {
    contentType: 'application/vnd.microsoft.card.hero',
    content: {
      buttons: buttons.map(({ label, value }) => ({
        type: 'messageBack',
        title: label,
        displayText: label,
        text: label,
        value: { hearthd: value },
      })),
    },
  }
  return {
    type: 'message',
    from: { id: `28:${credentials.app_id}` },
    textFormat: 'markdown',
    text: withNames(
      translateMarkdown(markdown, simpleMarkdown),
      files.filter((file) => !isPicture(file)),
    ),
    ...(reply?.activity_id && { replyToId: reply.activity_id }),
    attachments: [...pictures, ...(buttons.length > 0 ? [card] : [])],
  }
}

async function call(
  context: Context,
  connection: Connection,
  reply: Readonly<Record<string, string>> | null,
  { path, json, method = 'POST' }: { path: string; json: object; method?: string },
): Promise<ApiAnswer> {
  const service = (reply?.service_url ?? globalService).replace(/\/$/, '')
  const request = (bearer: string): ApiRequest => ({ method, json, bearer })
  const answer = await withAccessToken(context, connection, {
    fetchToken: () => fetchToken(context, connection),
    send: (bearer) => requestApi(context, `${service}${path}`, request(bearer)),
  })
  if (answer.status < 200 || answer.status > 299) throw failure(answer, context)
  return answer
}

const Failure = z.object({ error: z.object({ code: z.string().optional(), message: z.string().optional() }) })

function failure(answer: ApiAnswer, context: Context): SendFailed {
  const error = Failure.safeParse(answer.body).data?.error
  // 403: the bot may not write to the conversation. 404: the bot was removed.
  const reason = error && [error.code, error.message].filter(Boolean).join(': ').slice(0, 300)
  return failureOf(answer, { title, reason }, context.clock.now())
}

/** https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication#bot-to-connector */
async function fetchToken(context: Context, { credentials }: Connection) {
  const { app_id = '', app_password = '', tenant_id } = credentials
  const url = `https://login.microsoftonline.com/${tenant_id || 'botframework.com'}/oauth2/v2.0/token`
  const form = { grant_type: 'client_credentials', client_id: app_id, client_secret: app_password, scope }
  return requestToken(context, url, { title: 'Microsoft', form })
}
