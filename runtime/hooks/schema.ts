import { z } from 'zod'

const Name = z.string().trim().min(1).max(200)

/** An event type or a prefix of event types: `job.run.failed`, `job.*`, `*`. */
export const EventPattern = z
  .string()
  .max(100)
  .regex(
    /^(\*|[a-z_]+(\.[a-z_]+)*(\.\*)?)$/,
    'must be an event type such as job.run.failed, or a pattern such as job.*',
  )

const Patterns = z.array(EventPattern).min(1).max(50)
/** A JSONata expression over `type`, `ts` and `data`; only events for which it is true match. */
const Filter = z.string().max(10_000)
const Url = z.url({ protocol: /^https?$/ }).max(2_000)
/** Text, or `whsec_` followed by base64 of 24 to 64 bytes, as in Standard Webhooks. */
const Secret = z.string().min(16).max(200)

/** A secret as it is shown after it was created. */
export const SecretHint = z.object({ configured: z.literal(true), hint: z.string() })

const webhookFields = {
  name: Name,
  url: Url,
  events: Patterns,
  filter: Filter.default(''),
  enabled: z.boolean().default(true),
  /** Each delivery waits until the previous one has succeeded or failed permanently. */
  ordered: z.boolean().default(false),
}

export const NewWebhook = z.object({ ...webhookFields, secret: Secret.optional() })
export type NewWebhook = z.output<typeof NewWebhook>

export const WebhookChanges = z.object({
  name: Name.optional(),
  url: Url.optional(),
  events: Patterns.optional(),
  filter: Filter.optional(),
  enabled: z.boolean().optional(),
  ordered: z.boolean().optional(),
})
export type WebhookChanges = z.output<typeof WebhookChanges>

export const Webhook = z.object({
  id: z.string(),
  owner_id: z.string(),
  ...webhookFields,
  filter: z.string(),
  enabled: z.boolean(),
  ordered: z.boolean(),
  /** Why the daemon disabled it. */
  disabled_reason: z.string().nullable(),
  secret: SecretHint,
  /** Until then, deliveries are also signed with the previous secret. */
  old_secret_until: z.string().nullable(),
  pending: z.number().int(),
  failed: z.number().int(),
  last_delivery_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Webhook = z.output<typeof Webhook>

/** A webhook with its secret, which is shown once. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() })
export type WebhookWithSecret = z.output<typeof WebhookWithSecret>

export const Rotation = z.object({
  /** Default: a new random one. */
  secret: Secret.optional(),
  /** How long deliveries are also signed with the old secret. */
  overlap_hours: z.number().min(0).max(720).default(24),
})
export type Rotation = z.output<typeof Rotation>

export const DeliveryStatus = z.enum(['pending', 'succeeded', 'failed', 'cancelled'])
export type DeliveryStatus = z.output<typeof DeliveryStatus>

export const Attempt = z.object({
  at: z.string(),
  duration_ms: z.number().int(),
  response_status: z.number().int().nullable(),
  /** The first characters of the response body. */
  response_excerpt: z.string(),
  error: z.string().nullable(),
})
export type Attempt = z.output<typeof Attempt>

export const Delivery = z.object({
  id: z.string(),
  webhook_id: z.string(),
  event_type: z.string(),
  status: DeliveryStatus,
  /** Attempts since it was last queued. */
  attempt: z.number().int(),
  last_attempt: Attempt.nullable(),
  next_attempt_at: z.string().nullable(),
  created_at: z.string(),
  completed_at: z.string().nullable(),
})
export type Delivery = z.output<typeof Delivery>

export const DeliveryDetails = Delivery.extend({ payload: z.unknown(), attempts: z.array(Attempt) })
export type DeliveryDetails = z.output<typeof DeliveryDetails>
