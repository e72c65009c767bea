import { z } from 'zod'
import { publicUrl } from '../channels/index.ts'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import { isSameJson } from '../values.ts'
import { StartAction } from './action-schema.ts'
import { checkAction } from './actions.ts'
import { Enabled, Name, SecretHint } from './fields.ts'
import { secretPurpose, tokenPurpose } from './purposes.ts'
import { receivedCounts } from './received-store.ts'

/** Stored in lower case, as `Headers` has them. */
const HeaderName = z
  .string()
  .trim()
  .toLowerCase()
  .max(100)
  .regex(/^[a-z0-9-]+$/, 'must be the name of a header')

/** How a message is authenticated. All but `none` need a secret. */
export const IncomingAuth = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('none') }),
    /** The secret itself in a header, preceded by `Bearer ` if the header is `authorization`. */
    z.object({ kind: z.literal('token'), header: HeaderName.default('x-webhook-token') }),
    /** An HMAC-SHA256 of the body, in a header. */
    z.object({
      kind: z.literal('hmac_sha256'),
      header: HeaderName.default('x-signature-256'),
      prefix: z
        .string()
        .max(50)
        .default('')
        .meta({ description: 'Text before the signature in the header, such as sha256=' }),
      encoding: z
        .enum(['hex', 'base64'])
        .default('hex')
        .meta({ labels: { hex: 'Hexadecimal', base64: 'Base64' } }),
    }),
    z.object({ kind: z.literal('github') }),
    z.object({ kind: z.literal('gitlab') }),
    z.object({ kind: z.literal('stripe') }),
    z.object({ kind: z.literal('slack') }),
    z.object({ kind: z.literal('standard') }),
  ])
  .meta({
    title: 'Verified by',
    labels: {
      github: 'GitHub signature',
      gitlab: 'GitLab token',
      stripe: 'Stripe signature',
      slack: 'Slack signature',
      standard: 'Standard Webhooks or Svix signature',
      hmac_sha256: 'HMAC-SHA256 in a header',
      token: 'Secret in a header',
      none: 'None: anyone who knows the address',
    },
  })
export type IncomingAuth = z.output<typeof IncomingAuth>

/** Incoming webhooks receive messages of other services at an address of their own. */
export const incomingWebhooks = collection({
  noun: 'incoming webhook',
  prefix: 'whin',
  path: '/api/webhooks/incoming',
  items: 'webhooks',
  owner: 'caller',
  summaries: {
    create: 'Create an incoming webhook with its own address',
    update: 'Change an incoming webhook; its address is kept',
    remove: 'Delete an incoming webhook with its received messages',
  },
  events: { type: 'webhook.incoming', id: 'webhook_id', audit: 'webhook' },
  table: {
    name: 'incoming_webhooks',
    columns: ['enabled', 'token_hash', 'sealed_token', 'sealed_secret', 'capture_until'],
    packed: 'settings',
  },
  fields: {
    name: Name,
    enabled: Enabled,
    auth: IncomingAuth,
    /** Null: messages are recorded and start nothing. */
    action: StartAction.nullable().default(null),
    rate_limit: z.int().min(1).max(1_000).default(60).meta({ title: 'Messages per minute' }),
  },
  sent: {
    secret: z.string().trim().min(8).max(500).optional().meta({
      title: 'Secret',
      description: 'What the sender signs with, or sends in the header. Leave blank to keep the stored one',
      format: 'secret',
    }),
  },
  state: {
    /** Until then messages are recorded and start nothing. */
    capture_until: z.string().nullable().default(null),
  },
  hidden: {
    hint: z.string().nullable().default(null),
    sealed_secret: z.string().nullable().default(null),
    token_hash: z.string(),
    sealed_token: z.string(),
  },
  derived: {
    secret: SecretHint.nullable(),
    /** Path of the address on this daemon. Anyone who knows it can send messages. */
    path: z.string(),
    /** The address for senders on the internet; null until the public base URL of the channels is set. */
    url: z.string().nullable(),
    last_received_at: z.string().nullable(),
    received: z.int(),
    failed: z.int(),
  },
  async derive(context, { id, sealed_token, sealed_secret, hint }) {
    const path = `/api/webhooks/in/${await context.secrets.open(sealed_token, tokenPurpose)}`
    return {
      ...(await receivedCounts(context, id)),
      secret: sealed_secret === null ? null : { configured: true as const, hint: hint ?? '…' },
      path,
      url: await publicUrl(context, path),
    }
  },
  async prepare(context, { next, before, sent: { secret } }) {
    if (next.action && !isSameJson(next.action, before?.action)) await checkAction(context, next.action)
    if (next.auth.kind !== 'none' && !secret && !before?.sealed_secret)
      throw invalidField('secret', `is required: ${next.auth.kind} verifies messages with it`)
    const { token_hash, sealed_token } = before ?? (await newToken(context))
    if (secret === undefined) return { token_hash, sealed_token }
    const sealed_secret = await context.secrets.seal(secret, secretPurpose)
    return { token_hash, sealed_token, sealed_secret, hint: `…${secret.slice(-4)}` }
  },
})

export type Incoming = z.output<typeof incomingWebhooks.Row>
export type StoredIncoming = NonNullable<Awaited<ReturnType<typeof incomingWebhooks.find>>>

async function newToken({ secrets }: Context) {
  const token = secrets.random(24)
  return { token_hash: secrets.sha256(token), sealed_token: await secrets.seal(token, tokenPurpose) }
}
