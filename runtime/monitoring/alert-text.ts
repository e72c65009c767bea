import { z } from 'zod'
import { type AlertEntry, MetricName } from './alert-schema.ts'

/** How people read a metric. A value is shown as `value * scale`, with the unit. */
export const MetricText = z.object({
  name: MetricName,
  title: z.string(),
  unit: z.enum(['', '%', 'MB', 'USD']),
  scale: z.number(),
  /** Names of the values 0, 1 and 2, if they are levels. */
  levels: z.array(z.string()).nullable(),
})
export type MetricText = z.output<typeof MetricText>

const metric = (
  name: MetricName,
  title: string,
  { unit = '', scale = 1, levels = null }: Partial<MetricText> = {},
): MetricText => ({ name, title, unit, scale, levels })

export const metricTexts: MetricText[] = [
  metric('tokens_today', 'Tokens used today'),
  metric('cost_today', 'Cost today', { unit: 'USD' }),
  metric('error_rate', 'Failed requests', { unit: '%', scale: 100 }),
  metric('failed_runs', 'Failed job and workflow runs'),
  metric('missed_runs', 'Missed job runs'),
  metric('queue_depth', 'Overdue work'),
  metric('disk_free_pct', 'Free disk space', { unit: '%' }),
  metric('rss_mb', 'Memory of hearthd', { unit: 'MB' }),
  metric('cpu_pct', 'Processor load', { unit: '%' }),
  metric('provider_heat', 'Provider limit', { levels: ['normal', 'near', 'reached'] }),
  metric('devices_offline', 'Offline devices'),
]

interface Text {
  condition: string
  threshold: number
}

/** A condition such as `cost_today > threshold`, or only `cost_today`, which means the same. */
const simple = /^(\w+)(?:\s*([<>])=?\s*threshold)?$/

function partsOf({ condition }: Text): { text: MetricText; direction: 'above' | 'below' } | null {
  const [, name, sign] = simple.exec(condition) ?? []
  const text = metricTexts.find((one) => one.name === name)
  return text ? { text, direction: sign === '<' ? 'below' : 'above' } : null
}

/** `Cost today: above $5.00`; an expression is shown as it is. */
export function summaryOf(alert: Text): string {
  const parts = partsOf(alert)
  if (!parts) return `${alert.condition}, threshold ${rounded(alert.threshold)}`
  return `${parts.text.title}: ${parts.direction} ${valueText(alert, alert.threshold)}`
}

/** A value of the alert's metric with its unit. */
export function valueText(alert: Text, value: number): string {
  const text = partsOf(alert)?.text
  if (!text) return rounded(value)
  if (text.levels) return text.levels[value] ?? rounded(value)
  const scaled = value * text.scale
  if (text.unit === 'USD') return `$${scaled.toFixed(scaled > 0 && scaled < 0.01 ? 4 : 2)}`
  return text.unit === '' ? rounded(scaled) : `${rounded(scaled, 1)} ${text.unit}`
}

/** An entry of the history of the alert, with its value in words. */
export const withText = (alert: Text, entry: Omit<AlertEntry, 'value_text'>): AlertEntry => ({
  ...entry,
  value_text: entry.value === null ? null : valueText(alert, entry.value),
})

const rounded = (value: number, digits = 2) =>
  new Intl.NumberFormat('en', { maximumFractionDigits: Math.abs(value) < 100 ? digits : 0 }).format(value)
