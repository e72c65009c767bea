import { z } from 'zod'
import { auditStatement } from '../auth/audit.ts'
import { holds } from '../auth/caller.ts'
import { findOwnChannel } from '../channels/index.ts'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { conflict, invalidField } from '../fault.ts'
import { againIfLost } from '../lost-race.ts'
import { iso, laterThan, minute } from '../time.ts'
import { requireComputable } from './alert-condition.ts'
import {
  type AlertDelivery,
  type AlertEvent,
  fields,
  hidden,
  NewAlertDelivery,
  ShownDelivery,
  type StoredAlert,
  state,
} from './alert-schema.ts'
import { alertChanged, forgetChecks, sendAlert, watched } from './alert-send.ts'
import { hasFired } from './alert-states.ts'
import { insertEntry } from './alert-store.ts'
import { summaryOf, valueText } from './alert-text.ts'
import { alertPurpose } from './purposes.ts'

const initial = { state: 'ok', armed: true, error: null, snoozed_until: null } as const

/** Alerts fire when a condition over metrics is true. */
export const alerts = collection({
  noun: 'alert',
  prefix: 'alert',
  path: '/api/monitoring/alerts',
  items: 'alerts',
  owner: 'shared',
  access: 'admin',
  summaries: { list: 'List alerts with their states', remove: 'Delete an alert and its history' },
  events: {
    type: 'alert',
    id: 'alert_id',
    past: { created: 'changed', updated: 'changed', deleted: 'changed' },
  },
  order: 'id',
  table: { name: 'alerts', guard: ['state', 'armed', 'error', 'snoozed_until'] },
  fields,
  sent: { delivery: NewAlertDelivery.default({ type: 'notification' }).meta({ title: 'Notify' }) },
  state,
  hidden,
  derived: {
    delivery: ShownDelivery,
    value: z.number().nullable().meta({
      description:
        'Value at the latest check. For a boolean condition, its metric, or 1 or 0 if it uses several metrics. Null before the first check',
    }),
    summary: z.string().meta({ description: 'The condition in words, such as "Cost today: above $5.00"' }),
    value_text: z.string().nullable().meta({ description: '`value` with its unit' }),
  },
  derive(context, alert) {
    const value = watched(context).values.get(alert.id) ?? null
    const value_text = value === null ? null : valueText(alert, value)
    return { delivery: shownDelivery(context, alert), summary: summaryOf(alert), value, value_text }
  },
  /** If the rule changes or the alert is turned on or off, its state is reset. */
  async prepare(context, { next, before, sent }) {
    const delivery = await sealDelivery(context, sent.delivery, before?.delivery ?? null)
    if (before !== null && !restarts(next, before)) return { delivery }
    await requireComputable(context, next)
    // The answer must not show a value of the old rule.
    if (before !== null) forgetChecks(context, before.id)
    return { delivery, ...initial }
  },
  also(context, next, before) {
    const by = context.caller.name
    const noted = insertEntry(context, next.id, { event: before === null ? 'created' : 'updated', by })
    if (before === null || !restarts(next, before) || !hasFired(before)) return [noted]
    const ended = sendAlert(context, before, { what: 'resolved', value: null, by })
    return { statements: [noted, ...ended.statements], events: ended.events }
  },
  after(context, next, before) {
    if (before !== null && (next === null || restarts(next, before))) forgetChecks(context, before.id)
    context.process.wake()
  },
})

export type Alert = z.output<typeof alerts.Row>

const ruleFields = ['condition', 'threshold', 'period_minutes', 'enabled'] as const

const restarts = (next: Pick<StoredAlert, (typeof ruleFields)[number]>, before: StoredAlert): boolean =>
  ruleFields.some((field) => next[field] !== before[field])

/** Webhook URLs of chat services are secrets, so only administrators see more than the host. */
function shownDelivery({ caller }: Context, { delivery }: StoredAlert) {
  if (delivery.type !== 'webhook') return delivery
  const url = holds(caller, 'admin') ? delivery.url : new URL(delivery.url).origin
  return { type: delivery.type, url, signed: delivery.sealed_secret !== null }
}

/** A secret belongs to one receiver, so changing the URL removes it unless it is given again. */
async function sealDelivery(
  context: Context,
  delivery: NewAlertDelivery | undefined,
  old: AlertDelivery | null,
): Promise<AlertDelivery> {
  if (delivery === undefined) return old ?? { type: 'notification' }
  if (delivery.type === 'channel' && !(await findOwnChannel(context, delivery.channel_id)))
    throw invalidField('delivery.channel_id', `there is no channel ${delivery.channel_id}`)
  if (delivery.type !== 'webhook') return delivery
  const { type, url, secret } = delivery
  if (secret) return { type, url, sealed_secret: await context.secrets.seal(secret, alertPurpose) }
  const kept = secret === undefined && old?.type === 'webhook' && old.url === url ? old.sealed_secret : null
  return { type, url, sealed_secret: kept }
}

/** Acknowledges an alert: it stays silent until its condition has cleared. */
export const acknowledgeAlert = (context: Context, id: string): Promise<Alert> =>
  move(context, id, (alert) => {
    if (alert.state === 'acknowledged') return null
    if (alert.state !== 'firing') throw conflict(`The alert is ${alert.state}; only a firing alert can be acknowledged`)
    return { alert: { ...alert, state: 'acknowledged' }, event: 'acknowledged', note: null }
  })

/** Resolves an alert manually. It fires again after its condition has cleared and is met again. */
export const resolveAlert = (context: Context, id: string): Promise<Alert> =>
  move(context, id, (alert) => {
    if (alert.state === 'ok') throw conflict('The alert is ok; there is nothing to resolve')
    return { alert: { ...alert, state: 'ok', snoozed_until: null }, event: 'resolved', note: null }
  })

/** Silences an alert. If its condition is met when the snooze ends, it fires again. */
export const snoozeAlert = (context: Context, id: string, minutes: number): Promise<Alert> =>
  move(context, id, (alert) => {
    const snoozed_until = iso(context.clock.now() + minutes * minute)
    return {
      alert: { ...alert, state: 'snoozed', snoozed_until },
      event: 'snoozed',
      note: `until ${snoozed_until}`,
    }
  })

interface Move {
  alert: StoredAlert
  event: AlertEvent
  note: string | null
}

type Decide = (alert: StoredAlert) => Move | null

const move = (context: Context, id: string, decide: Decide): Promise<Alert> =>
  againIfLost(() => moveOnce(context, id, decide))

async function moveOnce(context: Context, id: string, decide: Decide): Promise<Alert> {
  const old = await alerts.require(context, id)
  const moved = decide(old)
  if (moved === null) return alerts.show(context, old)
  const alert = { ...moved.alert, updated_at: laterThan(old.updated_at, context.clock.now()) }
  const answer = await alerts.show(context, alert)
  const by = context.caller.name
  const value = watched(context).values.get(id) ?? null
  const sent =
    moved.event === 'resolved' && hasFired(old)
      ? sendAlert(context, alert, { what: 'resolved', value, by })
      : {
          statements: [insertEntry(context, id, { event: moved.event, value, by, note: moved.note })],
          events: [alertChanged(id)],
        }
  await context.commit(
    [
      alerts.updateStatement(old, alert),
      ...sent.statements,
      auditStatement(context, { action: `alert.${moved.event}`, target: id }),
    ],
    sent.events,
    { answer },
  )
  context.process.wake()
  return answer
}
