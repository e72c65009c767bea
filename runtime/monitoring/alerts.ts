import { auditStatement } from '../auth/audit.ts'
import { holds } from '../auth/caller.ts'
import { findOwnChannel } from '../channels/channel-store.ts'
import type { Context } from '../context.ts'
import { conflict, invalidField, notFound } from '../fault.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import { iso, laterThan, minute } from '../time.ts'
import { alertChanged, forgetChecks, sendAlert, watched } from './alert-check.ts'
import { requireComputable } from './alert-condition.ts'
import { sealSecret } from './alert-delivery.ts'
import type {
  Alert,
  AlertChange,
  AlertDelivery,
  AlertEvent,
  NewAlert,
  NewAlertDelivery,
  StoredAlert,
} from './alert-schema.ts'
import { hasFired } from './alert-states.ts'
import {
  deleteAlert,
  findAlert,
  insertAlert,
  insertEntry,
  listStoredAlerts,
  updateAlert,
} from './alert-store.ts'
import { summaryOf, valueText } from './alert-text.ts'

export function showAlert(host: Host, { armed: _, delivery, ...alert }: StoredAlert): Alert {
  const shown =
    delivery.type === 'webhook'
      ? { type: delivery.type, url: delivery.url, signed: delivery.sealed_secret !== null }
      : delivery
  const value = watched(host).values.get(alert.id) ?? null
  const value_text = value === null ? null : valueText(alert, value)
  return { ...alert, delivery: shown, summary: summaryOf(alert), value, value_text }
}

/** Webhook URLs of chat services are secrets, so only administrators see more than the host. */
export function showAlertTo(context: Context, alert: StoredAlert): Alert {
  const shown = showAlert(context, alert)
  if (shown.delivery.type !== 'webhook' || holds(context.caller, 'admin')) return shown
  return { ...shown, delivery: { ...shown.delivery, url: new URL(shown.delivery.url).origin } }
}

export const listAlerts = async (context: Context): Promise<Alert[]> =>
  (await listStoredAlerts(context)).map((alert) => showAlertTo(context, alert))

export async function requireAlert(host: Host, id: string): Promise<StoredAlert> {
  const alert = await findAlert(host, id)
  if (alert) return alert
  throw notFound(`The alert ${id}`)
}

const audit = (context: Context, action: string, target: string) =>
  auditStatement(context, { action, target })

export async function addAlert(context: Context, input: NewAlert): Promise<Alert> {
  await requireComputable(context, input)
  const now = iso(context.clock.now())
  const alert: StoredAlert = {
    ...input,
    id: newId('alert', context.clock.now()),
    delivery: await sealDelivery(context, input.delivery, null),
    state: 'ok',
    armed: true,
    error: null,
    last_triggered: null,
    snoozed_until: null,
    created_at: now,
    updated_at: now,
  }
  const answer = showAlert(context, alert)
  const noted = insertEntry(context, alert.id, { event: 'created', by: context.caller.name })
  await context.commit(
    [insertAlert(alert), noted, audit(context, 'alert.created', alert.id)],
    [alertChanged(alert.id)],
    { answer },
  )
  context.process.wake()
  return answer
}

/** A secret belongs to one receiver, so changing the URL removes it unless it is given again. */
async function sealDelivery(
  context: Context,
  given: NewAlertDelivery,
  old: AlertDelivery | null,
): Promise<AlertDelivery> {
  if (given.type === 'channel' && !(await findOwnChannel(context, given.channel_id)))
    throw invalidField('delivery.channel_id', `there is no channel ${given.channel_id}`)
  if (given.type !== 'webhook') return given
  const { type, url, secret } = given
  if (secret) return { type, url, sealed_secret: await sealSecret(context, secret) }
  const kept = secret === undefined && old?.type === 'webhook' && old.url === url ? old.sealed_secret : null
  return { type, url, sealed_secret: kept }
}

const ruleFields = ['condition', 'threshold', 'period_minutes', 'enabled'] as const

/** Changes the given fields. If the rule changes or the alert is turned on or off, its state is reset to `ok`. */
export const changeAlert = (context: Context, id: string, change: AlertChange): Promise<Alert> =>
  againIfLost(() => changeOnce(context, id, change))

async function changeOnce(context: Context, id: string, change: AlertChange): Promise<Alert> {
  const old = await requireAlert(context, id)
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const delivery = change.delivery ? await sealDelivery(context, change.delivery, old.delivery) : old.delivery
  const merged: StoredAlert = {
    ...old,
    ...given,
    delivery,
    updated_at: laterThan(old.updated_at, context.clock.now()),
  }
  const restarts = ruleFields.some((field) => merged[field] !== old[field])
  if (restarts) await requireComputable(context, merged)
  const alert: StoredAlert = restarts
    ? { ...merged, state: 'ok', armed: true, error: null, snoozed_until: null }
    : merged
  const noted = insertEntry(context, id, { event: 'updated', by: context.caller.name })
  const by = context.caller.name
  const ended =
    restarts && hasFired(old)
      ? sendAlert(context, old, { what: 'resolved', value: null, by })
      : { statements: [], events: [] }
  await context.commit(
    [updateAlert(old, alert), noted, ...ended.statements, audit(context, 'alert.updated', id)],
    [alertChanged(id), ...ended.events],
  )
  if (restarts) forgetChecks(context, id)
  context.process.wake()
  return showAlert(context, alert)
}

export async function removeAlert(context: Context, id: string): Promise<void> {
  await againIfLost(async () => {
    await requireAlert(context, id)
    await context.commit([...deleteAlert(id), audit(context, 'alert.deleted', id)], [alertChanged(id)])
  })
  forgetChecks(context, id)
}

/** Acknowledges an alert: it stays silent until its condition has cleared. */
export const acknowledgeAlert = (context: Context, id: string): Promise<Alert> =>
  move(context, id, (alert) => {
    if (alert.state === 'acknowledged') return null
    if (alert.state !== 'firing')
      throw conflict(`The alert is ${alert.state}; only a firing alert can be acknowledged`)
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
  const old = await requireAlert(context, id)
  const moved = decide(old)
  if (moved === null) return showAlert(context, old)
  const alert = { ...moved.alert, updated_at: laterThan(old.updated_at, context.clock.now()) }
  const answer = showAlert(context, alert)
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
    [updateAlert(old, alert), ...sent.statements, audit(context, `alert.${moved.event}`, id)],
    sent.events,
    { answer },
  )
  context.process.wake()
  return answer
}
