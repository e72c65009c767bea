import { z } from 'zod'
import { reference } from '../references.ts'
import { StartAction } from './action-schema.ts'
import { SecretHint } from './schema.ts'

const HeaderName = z
  .string()
  .max(100)
  .regex(/^[a-z0-9-]+$/, 'must be a header name in lower case')

/** How a message is authenticated. All but `none` need a secret. */
export const IncomingAuth = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  /** The secret itself in a header, preceded by `Bearer ` if the header is `authorization`. */
  z.object({ kind: z.literal('token'), header: HeaderName.default('x-webhook-token') }),
  /** An HMAC-SHA256 of the body, in a header. */
  z.object({
    kind: z.literal('hmac_sha256'),
    header: HeaderName.default('x-signature-256'),
    prefix: z.string().max(50).default(''),
    encoding: z.enum(['hex', 'base64']).default('hex'),
  }),
  z.object({ kind: z.literal('github') }),
  z.object({ kind: z.literal('gitlab') }),
  z.object({ kind: z.literal('stripe') }),
  z.object({ kind: z.literal('slack') }),
  z.object({ kind: z.literal('standard') }),
])
export type IncomingAuth = z.output<typeof IncomingAuth>

const Name = z.string().trim().min(1).max(200)
const Secret = z.string().trim().min(8).max(500)
const RateLimit = z.number().int().min(1).max(1_000)

const fields = {
  name: Name,
  enabled: z.boolean().default(true),
  auth: IncomingAuth,
  /** Null: messages are recorded and start nothing. */
  action: StartAction.nullable().default(null),
  /** Messages per minute. */
  rate_limit: RateLimit.default(60),
}

export const NewIncoming = z.object({ ...fields, secret: Secret.optional() })
export type NewIncoming = z.output<typeof NewIncoming>

export const IncomingChanges = z.object({
  name: Name.optional(),
  enabled: z.boolean().optional(),
  auth: IncomingAuth.optional(),
  action: StartAction.nullable().optional(),
  rate_limit: RateLimit.optional(),
  secret: Secret.optional(),
})
export type IncomingChanges = z.output<typeof IncomingChanges>

export const Incoming = z.object({
  id: z.string(),
  owner_id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  auth: IncomingAuth,
  action: StartAction.nullable(),
  rate_limit: z.number().int(),
  secret: SecretHint.nullable(),
  /** Path of the address on this daemon. Anyone who knows it can send messages. */
  path: z.string(),
  /** The address for senders on the internet; null until the public base URL of the channels is set. */
  url: z.string().nullable(),
  /** Until then messages are recorded and start nothing. */
  capture_until: z.string().nullable(),
  last_received_at: z.string().nullable(),
  received: z.number().int(),
  failed: z.number().int(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Incoming = z.output<typeof Incoming>

/** `recorded`: stored without starting anything, because there was no action or capture was on. */
export const ReceivedStatus = z.enum(['pending', 'succeeded', 'failed', 'recorded'])
export type ReceivedStatus = z.output<typeof ReceivedStatus>

export const Received = z.object({
  id: z.string(),
  webhook_id: z.string(),
  status: ReceivedStatus,
  /** Ids of the started objects. */
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
  received_at: z.string(),
  completed_at: z.string().nullable(),
})
export type Received = z.output<typeof Received>

/** Variables available to template expressions. */
export const Message = z.object({
  body: z.unknown(),
  headers: z.record(z.string(), z.string()),
  query: z.record(z.string(), z.string()),
  received_at: z.string(),
})
export type Message = z.output<typeof Message>

export const ReceivedDetails = Received.extend({ message: Message })
export type ReceivedDetails = z.output<typeof ReceivedDetails>

export const Preview = z.object({
  action: StartAction,
  /** Id of a received message. Default, if `body` is not given either: the latest one. */
  delivery_id: reference('delivery', 100).optional(),
  body: z.unknown().optional(),
})

export const Previewed = z.object({
  /** The action with its templates rendered; null if that failed. */
  action: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
})
