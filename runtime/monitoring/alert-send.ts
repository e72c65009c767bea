import { z } from 'zod'
import { nobody } from '../auth/owner.ts'
import { event } from '../events/event.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { iso } from '../time.ts'
import { insertWork } from '../work/store.ts'
import type { StoredAlert } from './alert-schema.ts'
import { insertEntry } from './alert-store.ts'
import { summaryOf, valueText } from './alert-text.ts'

interface Watched {
  /** Since when each condition has been true, in milliseconds since the epoch. Reset by a restart. */
  true_since: Map<string, number>
  /** The value at the latest check. */
  values: Map<string, number>
}

export const watched = processState((): Watched => ({ true_since: new Map(), values: new Map() }))

/** Discards the results of earlier checks, because the condition changed. */
export function forgetChecks(host: Host, id: string): void {
  watched(host).true_since.delete(id)
  watched(host).values.delete(id)
}

export const alertDeliveryKind = 'monitoring.alert_delivery'

export const Message = z.object({
  event: z.enum(['fired', 'resolved']),
  at: z.string(),
  alert_id: z.string(),
  name: z.string(),
  condition: z.string(),
  threshold: z.number(),
  period_minutes: z.number(),
  value: z.number().nullable(),
  by: z.string().nullable(),
})
export type Message = z.output<typeof Message>

/** Queues the delivery of a message. UI notifications need none: the event is enough. */
function deliverAlert(host: Host, { id, delivery }: StoredAlert, message: Message): Statement[] {
  if (delivery.type === 'notification') return []
  return [insertWork(host, { kind: alertDeliveryKind, subject: id, owner_id: nobody, payload: message }).statement]
}

export const alertChanged = (id: string) => event('alert.changed', { alert_id: id })

/** The event, history entry and queued delivery for an alert that fired or was resolved. */
export function sendAlert(
  host: Host,
  alert: StoredAlert,
  { what, value, by }: { what: 'fired' | 'resolved'; value: number | null; by: string | null },
) {
  const { id, name, condition, threshold, period_minutes } = alert
  const texts = { summary: summaryOf(alert), value_text: value === null ? null : valueText(alert, value) }
  const data = { alert_id: id, name, condition, threshold, period_minutes, value, ...texts }
  const statements: Statement[] = [
    insertEntry(host, id, { event: what, value, by }),
    ...deliverAlert(host, alert, { ...data, event: what, at: iso(host.clock.now()), by }),
  ]
  const events = [what === 'fired' ? event('alert.fired', data) : event('alert.resolved', { ...data, by })]
  return { statements, events }
}
