import { z } from 'zod'
import type { StoredOf } from '../collection-types.ts'
import { reference } from '../references.ts'

/** Metrics that a condition can use; `alert-metrics.ts` computes them. */
export const MetricName = z.enum([
  'tokens_today',
  'cost_today',
  'error_rate',
  'failed_runs',
  'missed_runs',
  'queue_depth',
  'disk_free_pct',
  'rss_mb',
  'cpu_pct',
  'provider_heat',
  'devices_offline',
])
export type MetricName = z.output<typeof MetricName>

/** `snoozed`: silent until `snoozed_until`, whether or not it was firing. */
export const AlertState = z.enum(['ok', 'firing', 'acknowledged', 'snoozed'])
export type AlertState = z.output<typeof AlertState>

const url = z
  .string()
  .trim()
  .max(2_000)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be a URL with http or https')
  .refine((text) => !/\/\/[^/]*@/.test(text), 'must not contain a user name or a password')

const notification = z.object({ type: z.literal('notification') })
const email = z.object({
  type: z.literal('email'),
  to: z.array(z.email()).min(1).max(20).meta({ title: 'Addresses', description: 'Set up the mail server in Settings' }),
})
const channel = z.object({
  type: z.literal('channel'),
  channel_id: reference('channel').min(1).meta({ title: 'Channel' }),
  to: z
    .string()
    .max(500)
    .nullish()
    .meta({
      title: 'Recipient',
      description: 'A chat, room or address of the platform',
      format: 'line',
      labels: { null: 'The paired owner' },
    }),
})

/** `notification`: shown on every open page of the UI. */
export const NewAlertDelivery = z
  .discriminatedUnion('type', [
    notification,
    z.object({
      type: z.literal('webhook'),
      url: url.meta({ title: 'URL', format: 'uri' }),
      secret: z.string().max(500).nullish().meta({
        title: 'Secret',
        description: 'Signs the message with Standard Webhooks; null removes it, absent keeps it',
        format: 'secret',
      }),
    }),
    email,
    channel,
  ])
  .meta({
    title: 'Notify',
    labels: {
      notification: 'In hearthd only',
      webhook: 'In hearthd and by webhook',
      email: 'In hearthd and by email',
      channel: 'In hearthd and on a channel',
    },
  })
export type NewAlertDelivery = z.output<typeof NewAlertDelivery>

/** As stored: the secret is sealed. */
const AlertDelivery = z.discriminatedUnion('type', [
  notification,
  z.object({ type: z.literal('webhook'), url: z.string(), sealed_secret: z.string().nullable() }),
  email,
  channel,
])
export type AlertDelivery = z.output<typeof AlertDelivery>

export const ShownDelivery = z.discriminatedUnion('type', [
  notification,
  z.object({ type: z.literal('webhook'), url: z.string(), signed: z.boolean() }),
  z.object({ type: z.literal('email'), to: z.array(z.string()) }),
  z.object({ type: z.literal('channel'), channel_id: z.string(), to: z.string().nullish() }),
])

export const fields = {
  name: z.string().trim().min(1).max(200).meta({ title: 'Name' }),
  condition: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .meta({
      title: 'Expression',
      description: `A JSONata expression over ${MetricName.options.join(', ')} and threshold. The alert fires if the result is true or a number above the threshold`,
      format: 'expression',
    }),
  threshold: z.number().meta({ title: 'Threshold' }),
  period_minutes: z.int().min(1).max(1_440).default(5).meta({
    title: 'Period in minutes',
    description:
      'Failures are counted over this period; other metrics must stay past the threshold for the whole period',
  }),
  enabled: z.boolean().default(true).meta({ title: 'Enabled' }),
}

export const state = {
  state: AlertState.default('ok'),
  error: z.string().nullable().default(null).meta({ description: 'Why the condition could not be computed' }),
  last_triggered: z.string().nullable().default(null),
  snoozed_until: z.string().nullable().default(null),
}

export const hidden = {
  delivery: AlertDelivery,
  /** The condition has been false since the alert last fired, so it can fire again. */
  armed: z.boolean().default(true),
}

export type StoredAlert = StoredOf<'shared', typeof fields, typeof state, typeof hidden>

export const AlertEvent = z.enum([
  'created',
  'updated',
  'fired',
  'acknowledged',
  'snoozed',
  'snooze_ended',
  'resolved',
  'error',
  'delivered',
  'delivery_failed',
])
export type AlertEvent = z.output<typeof AlertEvent>

export const AlertEntry = z.object({
  id: z.string(),
  at: z.string(),
  event: AlertEvent,
  value: z.number().nullable(),
  value_text: z.string().nullable().meta({ description: '`value` with its unit' }),
  by: z.string().nullable().meta({ description: 'Who made the change; null for the daemon' }),
  note: z.string().nullable(),
})
export type AlertEntry = z.output<typeof AlertEntry>
