import { owned } from '../auth/owner.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import { iso } from '../time.ts'
import { type KeptRows, pruneLog } from './prune.ts'
import type { Attempt, Delivery, DeliveryDetails, DeliveryStatus, NewWebhook } from './schema.ts'

type Settings = Omit<NewWebhook, 'secret' | 'enabled'> & { hint: string }

export interface StoredWebhook extends Settings {
  id: string
  owner_id: string
  enabled: boolean
  sealed_secret: string
  sealed_old_secret: string | null
  old_secret_until: string | null
  disabled_reason: string | null
  since: number
  created_at: string
  updated_at: string
}

const webhooks = new Table<StoredWebhook>('webhooks', {
  booleans: ['enabled'],
  packed: { column: 'settings', fields: ['name', 'url', 'events', 'filter', 'ordered', 'hint'] },
})

export const findWebhook = (host: Sql, id: string) => webhooks.find(host, { id })
export const findOwnWebhook = (context: Reader, id: string) => webhooks.find(context, { id }, owned(context))

/** The enabled webhooks of all owners. */
export const enabledWebhooks = (host: Sql) => webhooks.list(host, 'id', { enabled: true })

export interface WebhookCounts {
  pending: number
  failed: number
  last_delivery_at: string | null
}

const counted = `SELECT webhooks.*,
  (SELECT count(*) FROM webhook_deliveries AS one WHERE one.webhook_id = webhooks.id AND one.status = 'pending') AS pending,
  (SELECT count(*) FROM webhook_deliveries AS one WHERE one.webhook_id = webhooks.id AND one.status = 'failed') AS failed,
  (SELECT max(completed_at) FROM webhook_deliveries AS one WHERE one.webhook_id = webhooks.id) AS last_delivery_at
  FROM webhooks`

export async function countsOf({ sql }: Sql, id: string): Promise<WebhookCounts> {
  const [row] = await sql.read<WebhookCounts>(
    `SELECT pending, failed, last_delivery_at FROM (${counted} WHERE id = ?)`,
    [id],
  )
  return row ?? { pending: 0, failed: 0, last_delivery_at: null }
}

export async function listWebhooks(context: Reader, page: Page) {
  const own = owned(context)
  const query = { select: `${counted} WHERE ${own.sql}`, args: own.args, order: 'id DESC' }
  const { rows, total } = await selectPage<WebhookCounts>(context, query, page)
  const found = rows.map(({ pending, failed, last_delivery_at, ...row }) => ({
    webhook: webhooks.decode(row),
    counts: { pending, failed, last_delivery_at },
  }))
  return { webhooks: found, total }
}

export const insertWebhook = (webhook: StoredWebhook): Statement => webhooks.insert(webhook)

/** Stores a changed webhook if it has not been changed since `before` was read. */
export function updateWebhook(webhook: StoredWebhook, before: StoredWebhook): Statement {
  const { id, owner_id: _, created_at: _1, ...changes } = webhook
  const guard = 'The webhook was changed by another request; try again'
  return webhooks.update(changes, { id, updated_at: before.updated_at }, guard)
}

/** Disables a webhook whose receiver is gone, and cancels its pending deliveries. */
export const disableWebhook = (id: string, reason: string, now: string): Statement[] => [
  webhooks.update({ enabled: false, disabled_reason: reason, updated_at: now }, { id }),
  deliveries.update(
    { status: 'cancelled', next_attempt_at: null, completed_at: now },
    { webhook_id: id, status: 'pending' },
  ),
]

export const deleteWebhook = (id: string): Statement =>
  webhooks.delete({ id }, 'The webhook was already deleted')

export interface StoredDelivery extends Omit<Delivery, 'last_attempt'> {
  /** The request body. */
  payload: string
  attempts: Attempt[]
}

const deliveries = new Table<StoredDelivery>('webhook_deliveries', { json: ['attempts'] })

export function publicDelivery({ payload: _, attempts, ...delivery }: StoredDelivery): Delivery {
  return { ...delivery, last_attempt: attempts.at(-1) ?? null }
}

export const deliveryDetails = (delivery: StoredDelivery): DeliveryDetails => ({
  ...publicDelivery(delivery),
  payload: JSON.parse(delivery.payload) as unknown,
  attempts: delivery.attempts,
})

export const insertDelivery = (delivery: StoredDelivery): Statement => deliveries.insert(delivery)

export function updateDelivery(delivery: StoredDelivery): Statement {
  const { id, webhook_id: _, event_type: _1, payload: _2, created_at: _3, ...changes } = delivery
  return deliveries.update(changes, { id })
}

export const findDelivery = (host: Sql, webhook_id: string, id: string) =>
  deliveries.find(host, { webhook_id, id })

/** The due deliveries; for an ordered webhook, only the oldest pending one, if it is due. */
export async function dueDeliveries(
  host: Sql,
  { id: webhook_id, ordered }: StoredWebhook,
  { now, limit }: { now: number; limit: number },
): Promise<StoredDelivery[]> {
  const pending = { sql: `webhook_id = ? AND status = 'pending'`, args: [webhook_id] }
  const due = { sql: 'next_attempt_at <= ?', args: [iso(now)] }
  if (!ordered) return deliveries.list(host, `next_attempt_at, id LIMIT ${limit}`, pending, due)
  const oldest = await deliveries.list(host, 'id LIMIT 1', pending)
  return oldest.filter(({ next_attempt_at: at }) => at !== null && at <= iso(now))
}

/** When the next delivery is due, in milliseconds since the epoch; null if none is pending. */
export async function nextDelivery({ sql }: Sql, { id, ordered }: StoredWebhook): Promise<number | null> {
  const [row] = await sql.read<{ due: string | null }>(
    `SELECT next_attempt_at AS due FROM webhook_deliveries WHERE webhook_id = ? AND status = 'pending'
      ORDER BY ${ordered ? 'id' : 'next_attempt_at'} LIMIT 1`,
    [id],
  )
  return row?.due ? Date.parse(row.due) : null
}

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined
  limit: number
  offset: number
}

/** Deliveries without their payloads, which may be large. */
const shownDeliveries = new Table<StoredDelivery>('webhook_deliveries', {
  json: ['attempts'],
  select: `id, webhook_id, event_type, '' AS payload, status, attempt, attempts, next_attempt_at, created_at, completed_at`,
})

/** A page of the deliveries of a webhook, newest first. */
export async function listDeliveries(host: Sql, webhook_id: string, { status, ...page }: DeliveryFilter) {
  const { rows, total } = await shownDeliveries.page(host, page, 'id DESC', { webhook_id, status })
  return { deliveries: rows.map(publicDelivery), total }
}

export const pruneDeliveries = (limits: KeptRows): Statement[] =>
  pruneLog({ table: 'webhook_deliveries', owner: 'webhook_id', at: 'created_at' }, limits)
