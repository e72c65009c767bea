import type { Alert, AlertEntry, MetricName } from '../../../runtime/monitoring/alert-schema.ts'
import { locale } from '../../parts/locale.ts'
import type { Status } from '../../parts/status.tsx'

type Unit = 'minute' | 'hour' | 'day'

/** Short labels of times for an axis. An hour that a clock change repeats shows its offset. */
export function pointLabels(points: readonly { label: string }[], unit: Unit): string[] {
  if (unit === 'day') return points.map(({ label }) => shortDay(label))
  const times = points.map(({ label }) => (unit === 'hour' ? label.slice(11, 16) : label))
  return times.map((time, at) =>
    unit === 'hour' && (times[at - 1] === time || times[at + 1] === time)
      ? `${time} ${points[at]?.label.slice(16)}`
      : time,
  )
}

/** Formats a calendar date; UTC keeps it from shifting. */
const shortDay = (date: string) =>
  new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  )

export const alertStates: Record<Alert['state'], Status> = {
  ok: { label: 'OK', color: 'teal' },
  firing: { label: 'Firing', color: 'red' },
  acknowledged: { label: 'Acknowledged', color: 'yellow' },
  snoozed: { label: 'Snoozed', color: 'gray' },
}

export const metricLabels: Record<MetricName, string> = {
  tokens_today: 'Tokens today',
  cost_today: 'Cost today (USD)',
  error_rate: 'Failed requests (0 to 1)',
  failed_runs: 'Failed job and workflow runs',
  missed_runs: 'Missed job runs',
  queue_depth: 'Overdue work',
  disk_free_pct: 'Free disk space (%)',
  rss_mb: 'Memory of hearthd (MB)',
  cpu_pct: 'Processor (%)',
  provider_heat: 'Provider limit (0 normal, 1 near, 2 reached)',
  devices_offline: 'Devices offline',
}

export const entryLabels: Record<AlertEntry['event'], string> = {
  created: 'Created',
  updated: 'Changed',
  fired: 'Fired',
  acknowledged: 'Acknowledged',
  snoozed: 'Snoozed',
  snooze_ended: 'Snooze ended',
  resolved: 'Resolved',
  error: 'Could not be computed',
  delivered: 'Delivered',
  delivery_failed: 'Delivery failed',
}
