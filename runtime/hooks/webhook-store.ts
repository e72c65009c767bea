import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { iso } from '../time.ts'
import { type KeptRows, pruneLog } from './prune.ts'
import type { Attempt, Delivery, DeliveryDetails, DeliveryStatus, NewWebhook } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

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

type WebhookRow = Omit<StoredWebhook, keyof Settings | 'enabled'> & { enabled: number; settings: string }

const toWebhook = ({ settings, enabled, ...row }: WebhookRow): StoredWebhook => ({
  ...row,
  ...(JSON.parse(settings) as Settings),
  enabled: enabled === 1,
})

export const findWebhook = async ({ sql }: Sql, id: string): Promise<StoredWebhook | null> => {
  const [row] = await sql.read<WebhookRow>('SELECT * FROM webhooks WHERE id = ?', [id])
  return row ? toWebhook(row) : null
}

export async function findOwnWebhook(context: Reader, id: string): Promise<StoredWebhook | null> {
  const own = owned(context)
  const [row] = await context.sql.read<WebhookRow>(`SELECT * FROM webhooks WHERE id = ? AND ${own.sql}`, [
    id,
    ...own.args,
  ])
  return row ? toWebhook(row) : null
}

/** The enabled webhooks of all owners. */
export async function enabledWebhooks({ sql }: Sql): Promise<StoredWebhook[]> {
  return (await sql.read<WebhookRow>('SELECT * FROM webhooks WHERE enabled = 1 ORDER BY id')).map(toWebhook)
}

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
  const { rows, total } = await selectPage<WebhookRow & WebhookCounts>(context, query, page)
  const webhooks = rows.map(({ pending, failed, last_delivery_at, ...row }) => ({
    webhook: toWebhook(row),
    counts: { pending, failed, last_delivery_at },
  }))
  return { webhooks, total }
}

function settingsOf({ name, url, events, filter, ordered, hint }: StoredWebhook): string {
  const settings: Settings = { name, url, events, filter, ordered, hint }
  return JSON.stringify(settings)
}

export const insertWebhook = (webhook: StoredWebhook): Statement => ({
  sql: `INSERT INTO webhooks (id, owner_id, enabled, settings, sealed_secret, sealed_old_secret, old_secret_until, disabled_reason, since, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    ...[webhook.id, webhook.owner_id, Number(webhook.enabled), settingsOf(webhook), webhook.sealed_secret],
    ...[webhook.sealed_old_secret, webhook.old_secret_until, webhook.disabled_reason, webhook.since],
    ...[webhook.created_at, webhook.updated_at],
  ],
})

/** Stores a changed webhook if it has not been changed since `before` was read. */
export const updateWebhook = (webhook: StoredWebhook, before: StoredWebhook): Statement => ({
  sql: `UPDATE webhooks SET enabled = ?, settings = ?, sealed_secret = ?, sealed_old_secret = ?, old_secret_until = ?,
      disabled_reason = ?, since = ?, updated_at = ? WHERE id = ? AND updated_at = ?`,
  args: [
    ...[Number(webhook.enabled), settingsOf(webhook), webhook.sealed_secret, webhook.sealed_old_secret],
    ...[webhook.old_secret_until, webhook.disabled_reason, webhook.since, webhook.updated_at],
    ...[webhook.id, before.updated_at],
  ],
  guard: 'The webhook was changed by another request; try again',
})

/** Disables a webhook whose receiver is gone, and cancels its pending deliveries. */
export const disableWebhook = (id: string, reason: string, now: string): Statement[] => [
  {
    sql: 'UPDATE webhooks SET enabled = 0, disabled_reason = ?, updated_at = ? WHERE id = ?',
    args: [reason, now, id],
  },
  {
    sql: `UPDATE webhook_deliveries SET status = 'cancelled', next_attempt_at = NULL, completed_at = ?
      WHERE webhook_id = ? AND status = 'pending'`,
    args: [now, id],
  },
]

export const deleteWebhook = (id: string): Statement => ({
  sql: 'DELETE FROM webhooks WHERE id = ?',
  args: [id],
  guard: 'The webhook was already deleted',
})

export interface StoredDelivery extends Omit<Delivery, 'last_attempt'> {
  /** The request body. */
  payload: string
  attempts: Attempt[]
}

type DeliveryRow = Omit<StoredDelivery, 'attempts'> & { attempts: string }

const toDelivery = (row: DeliveryRow): StoredDelivery => ({
  ...row,
  attempts: JSON.parse(row.attempts) as Attempt[],
})

export function publicDelivery({ payload: _, attempts, ...delivery }: StoredDelivery): Delivery {
  return { ...delivery, last_attempt: attempts.at(-1) ?? null }
}

export const deliveryDetails = (delivery: StoredDelivery): DeliveryDetails => ({
  ...publicDelivery(delivery),
  payload: JSON.parse(delivery.payload) as unknown,
  attempts: delivery.attempts,
})

export const insertDelivery = (delivery: StoredDelivery): Statement => ({
  sql: `INSERT INTO webhook_deliveries (id, webhook_id, event_type, payload, status, attempt, attempts, next_attempt_at, created_at, completed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    ...[delivery.id, delivery.webhook_id, delivery.event_type, delivery.payload, delivery.status],
    ...[delivery.attempt, JSON.stringify(delivery.attempts), delivery.next_attempt_at],
    ...[delivery.created_at, delivery.completed_at],
  ],
})

export const updateDelivery = (delivery: StoredDelivery): Statement => ({
  sql: `UPDATE webhook_deliveries SET status = ?, attempt = ?, attempts = ?, next_attempt_at = ?, completed_at = ? WHERE id = ?`,
  args: [
    ...[delivery.status, delivery.attempt, JSON.stringify(delivery.attempts)],
    ...[delivery.next_attempt_at, delivery.completed_at, delivery.id],
  ],
})

export async function findDelivery(
  { sql }: Sql,
  webhook: string,
  id: string,
): Promise<StoredDelivery | null> {
  const [row] = await sql.read<DeliveryRow>(
    'SELECT * FROM webhook_deliveries WHERE webhook_id = ? AND id = ?',
    [webhook, id],
  )
  return row ? toDelivery(row) : null
}

/** The due deliveries; for an ordered webhook, only the oldest pending one, if it is due. */
export async function dueDeliveries(
  { sql }: Sql,
  { id, ordered }: StoredWebhook,
  { now, limit }: { now: number; limit: number },
): Promise<StoredDelivery[]> {
  const pending = `SELECT * FROM webhook_deliveries WHERE webhook_id = ? AND status = 'pending'`
  const rows = ordered
    ? await sql.read<DeliveryRow>(
        `SELECT * FROM (${pending} ORDER BY id LIMIT 1) WHERE next_attempt_at <= ?`,
        [id, iso(now)],
      )
    : await sql.read<DeliveryRow>(
        `${pending} AND next_attempt_at <= ? ORDER BY next_attempt_at, id LIMIT ?`,
        [id, iso(now), limit],
      )
  return rows.map(toDelivery)
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

/** A page of the deliveries of a webhook, newest first. */
export async function listDeliveries(host: Sql, webhook: string, { status, ...page }: DeliveryFilter) {
  const select = `SELECT id, webhook_id, event_type, '' AS payload, status, attempt, attempts, next_attempt_at, created_at,
      completed_at FROM webhook_deliveries WHERE webhook_id = ? AND (? IS NULL OR status = ?)`
  const query = { select, args: [webhook, status ?? null, status ?? null], order: 'id DESC' }
  const { rows, total } = await selectPage<DeliveryRow>(host, query, page)
  return { deliveries: rows.map((row) => publicDelivery(toDelivery(row))), total }
}

export const pruneDeliveries = (limits: KeptRows): Statement[] =>
  pruneLog({ table: 'webhook_deliveries', owner: 'webhook_id', at: 'created_at' }, limits)
