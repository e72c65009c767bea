import type { ModelCallRow } from '../../../runtime/ledger/schema.ts'
import type { Category } from '../../../runtime/ledger/spender.ts'
import type { AlertEntry } from '../../../runtime/monitoring/alert-schema.ts'
import type { Alert } from '../../../runtime/monitoring/alerts.ts'
import { locale } from '../../parts/locale.ts'
import { statusesOf } from '../../parts/statuses.ts'

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

/** Purposes of model calls. */
export const categories: Record<Category, string> = {
  chat: 'Chats',
  scheduled: 'Schedules',
  internal: 'Maintenance',
  project_developer: 'Project planning and review',
  loops: 'Loops',
  projects: 'Project tasks',
}

export const callStatus = statusesOf<ModelCallRow['status']>({ reserved: 'Running', released: 'Lost' })

export const alertStatus = statusesOf<Alert['state']>({ ok: 'OK' })

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
