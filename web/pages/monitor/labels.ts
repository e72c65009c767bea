import type { AlertEntry } from '../../../runtime/monitoring/alert-schema.ts'
import type { Alert } from '../../../runtime/monitoring/alerts.ts'
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
