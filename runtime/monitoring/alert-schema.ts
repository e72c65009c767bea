import { z } from 'zod'
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

/** `notification`: shown on every open page of the UI. */
export const NewAlertDelivery = z.discriminatedUnion('type', [
  z.object({ type: z.literal('notification') }),
  z.object({
    type: z.literal('webhook'),
    url,
    secret: z
      .string()
      .max(500)
      .nullish()
      .meta({ description: 'Signs the message with Standard Webhooks; null removes it, absent keeps it' }),
  }),
  z.object({ type: z.literal('email'), to: z.array(z.email()).min(1).max(20) }),
  z.object({
    type: z.literal('channel'),
    channel_id: reference('channel').min(1),
    to: z
      .string()
      .max(500)
      .nullish()
      .meta({ description: 'A chat, room or address of the platform. Default: the paired owner' }),
  }),
])
export type NewAlertDelivery = z.output<typeof NewAlertDelivery>

/** As stored: the secret is sealed. */
export type AlertDelivery =
  | Exclude<NewAlertDelivery, { type: 'webhook' }>
  | { type: 'webhook'; url: string; sealed_secret: string | null }

const ShownDelivery = z.discriminatedUnion('type', [
  z.object({ type: z.literal('notification') }),
  z.object({ type: z.literal('webhook'), url: z.string(), signed: z.boolean() }),
  z.object({ type: z.literal('email'), to: z.array(z.string()) }),
  z.object({ type: z.literal('channel'), channel_id: z.string(), to: z.string().nullish() }),
])

const members = {
  name: z.string().trim().min(1).max(200),
  condition: z
    .string()
    .trim()
    .min(1)
    .max(1_000)
    .meta({
      description: `A JSONata expression over ${MetricName.options.join(', ')} and threshold. The alert fires if the result is true or a number above the threshold`,
    }),
  threshold: z.number(),
  period_minutes: z.number().int().min(1).max(1_440),
  enabled: z.boolean(),
}

export const NewAlert = z.object({
  ...members,
  period_minutes: members.period_minutes.default(5),
  enabled: members.enabled.default(true),
  delivery: NewAlertDelivery.default({ type: 'notification' }),
})
export type NewAlert = z.output<typeof NewAlert>

export const AlertChange = z.object({ ...members, delivery: NewAlertDelivery }).partial()
export type AlertChange = z.output<typeof AlertChange>

export const Alert = z.object({
  id: z.string(),
  ...members,
  delivery: ShownDelivery,
  state: AlertState,
  value: z.number().nullable().meta({
    description:
      'Value at the latest check. For a boolean condition, its metric, or 1 or 0 if it uses several metrics. Null before the first check',
  }),
  summary: z.string().meta({ description: 'The condition in words, such as "Cost today: above $5.00"' }),
  value_text: z.string().nullable().meta({ description: '`value` with its unit' }),
  error: z.string().nullable().meta({ description: 'Why the condition could not be computed' }),
  last_triggered: z.string().nullable(),
  snoozed_until: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Alert = z.output<typeof Alert>

/** `armed`: the condition has been false since the alert last fired, so it can fire again. */
export interface StoredAlert extends Omit<Alert, 'delivery' | 'value' | 'summary' | 'value_text'> {
  delivery: AlertDelivery
  armed: boolean
}

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
