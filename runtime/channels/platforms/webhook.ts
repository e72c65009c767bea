import { z } from 'zod'
import { parseBody } from '../../http/body.ts'
import { checkBody } from '../../http/validate.ts'
import { signStandard, standardHeader, toPaddedBase64, verifyStandard } from '../../secrets/signatures.ts'
import { iso, second } from '../../time.ts'
import { type InboundMessage, inboundFile, inboundMessage, type Platform, permanent, quoteOf } from '../platform.ts'
import { failureOf, requestApi, requireFile } from './request.ts'

const title = 'The webhook'

const credentials = z.object({
  secret: z.string().min(16).max(200).meta({
    title: 'Secret',
    description: 'Signs messages in both directions with Standard Webhooks: text, or whsec_ followed by base64',
    secret: true,
  }),
  url: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .meta({ title: 'URL for answers', description: 'Receives the answers. If empty, no answers are sent' }),
})

const text = z.string().max(500)

const Posted = z.object({
  id: text.min(1).optional(),
  edits: text.min(1).nullish(),
  text: z.string().max(100_000).default(''),
  /** The value of a pressed button. */
  value: z.string().max(64).nullish(),
  sender: z.object({ id: text.min(1), name: text.nullish() }),
  conversation: z
    .object({ id: text.min(1), name: text.nullish(), kind: z.enum(['dm', 'group']).default('dm') })
    .optional(),
  thread_id: text.min(1).nullish(),
  is_mention: z.boolean().default(true),
  files: z
    .array(
      z.object({
        name: text.min(1),
        url: z.url({ protocol: /^https?$/ }).max(2_000),
        mime_type: text.nullish(),
        is_voice: z.boolean().default(false),
      }),
    )
    .max(20)
    .default([]),
  /** What others wrote: a message that this one answers, forwarded ones, a contact or a place. */
  quotes: z
    .array(
      z.object({
        kind: z.enum(['reply', 'forward', 'shared']),
        from: text.nullish(),
        text: z.string().max(100_000),
      }),
    )
    .max(20)
    .default([]),
})

/** Any program that can sign a request: Standard Webhooks in both directions. */
export const webhook: Platform = {
  name: 'webhook',
  title: 'Webhook',
  credentials,
  setup_steps: [
    'Choose a secret of at least 16 characters and save it here and in your program.',
    'Send messages as `POST {webhook_url}` with the JSON body `{"text": "Good morning", "sender": {"id": "ada"}}`. Optional: `id`, `edits`, `value`, `thread_id`, `is_mention`, `conversation: {id, name, kind}`, `quotes: [{kind, from, text}]` (kind: `reply`, `forward` or `shared`) and `files: [{name, url, mime_type, is_voice}]`.',
    'Sign every request with [Standard Webhooks](https://www.standardwebhooks.com): the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
    'For answers, enter the URL of your program. It receives `{"type": "message", "timestamp", "data": {text, buttons, files, conversation, thread_id}}`, signed in the same way; `webhook-id` is the same for every attempt.',
  ],
  limits: {
    text_characters: 16_000,
    messages_per_second: 10,
    file_bytes: 20_000_000,
    acknowledge_seconds: 15,
  },
  has: { buttons: true, typing: false, files: true, groups: true },

  async receive({ headers, body }, { credentials }, context) {
    const now = context.clock.now()
    // Multiple signatures are separated by spaces; a comma with a space means that the header was sent twice.
    if (standardHeader(headers, 'signature').includes(', '))
      return { kind: 'refused', reason: 'the signature was sent twice' }
    if (!(await verifyStandard(credentials.secret ?? '', { headers, body, now })))
      return { kind: 'refused', reason: 'the signature or the timestamp is missing, wrong or too old' }
    const posted = checkBody(Posted, parseBody(new TextDecoder().decode(body))) as z.output<typeof Posted>
    const id = posted.id ?? standardHeader(headers, 'id')
    return { kind: 'accepted', messages: [toInbound(posted, { id, now })] }
  },

  async send(message, { credentials }, context) {
    const { url = '', secret = '' } = credentials
    if (url === '') throw permanent('The channel has no URL for answers')
    const now = context.clock.now()
    const { peer, markdown, buttons, files, reply } = message
    const body = JSON.stringify({
      type: 'message',
      timestamp: iso(now),
      data: {
        id: message.id,
        conversation: { id: peer.id, name: peer.name, kind: peer.kind },
        thread_id: peer.thread_id,
        in_reply_to: reply?.id ?? null,
        text: markdown,
        buttons,
        files: files.map(({ bytes, ...file }) => ({ ...file, base64: toPaddedBase64(bytes) })),
      },
    })
    const signature = await signStandard([secret], {
      id: message.id,
      timestamp: Math.floor(now / second),
      body,
    })
    const headers = { 'content-type': 'application/json', ...signature }
    const answer = await requestApi(context, url, { method: 'POST', headers, body, redirect: 'manual' })
    if (answer.status < 200 || answer.status > 299) throw failureOf(answer, { title }, context.clock.now())
    return { platform_message_id: z.object({ id: text }).safeParse(answer.body).data?.id ?? null }
  },

  download: ({ reference }, _, context) => requireFile(context, reference.url ?? '', { title }),

  async health({ credentials }, context) {
    if (!credentials.secret) return { ok: false, detail: 'The channel has no secret' }
    const { url = '' } = credentials
    if (url === '') return { ok: true, detail: 'Receives messages but sends no answers' }
    const refusal = context.outbound.refusal(url)
    if (refusal !== null) return { ok: false, detail: `Cannot send answers: ${refusal}` }
    return { ok: true, detail: `Sends answers to ${new URL(url).host}` }
  },
}

function toInbound(
  { edits, value, sender, conversation, thread_id, files, quotes, ...posted }: z.output<typeof Posted>,
  { id, now }: { id: string; now: number },
): InboundMessage {
  return inboundMessage({
    id,
    edits: edits ?? null,
    sender: { id: sender.id, name: sender.name ?? null },
    peer: {
      kind: conversation?.kind ?? 'dm',
      id: conversation?.id ?? sender.id,
      name: conversation?.name ?? null,
      thread_id: thread_id ?? null,
      team_id: null,
    },
    text: posted.text,
    value: value ?? null,
    is_mention: posted.is_mention || (conversation?.kind ?? 'dm') === 'dm',
    quotes: quotes.map(({ kind, from, text }) => quoteOf(kind, text, from ?? null)),
    files: files.map(({ name, url, ...facts }) => inboundFile(name, { url }, facts)),
    sent_at: iso(now),
    reply: { id },
  })
}
