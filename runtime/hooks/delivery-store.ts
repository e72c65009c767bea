import { z } from 'zod'
import type { StoredEvent } from '../events/commit.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import { iso } from '../time.ts'
import { type KeptRows, pruneLog } from './log-store.ts'

export const DeliveryStatus = z.enum(['pending', 'succeeded', 'failed', 'cancelled'])
type DeliveryStatus = z.output<typeof DeliveryStatus>

const Attempt = z.object({
  at: z.string(),
  duration_ms: z.int(),
  response_status: z.int().nullable(),
  /** The first characters of the response body. */
  response_excerpt: z.string(),
  error: z.string().nullable(),
})
export type Attempt = z.output<typeof Attempt>

export const Delivery = z.object({
  id: z.string(),
  webhook_id: z.string(),
  event_type: z.string(),
  status: DeliveryStatus,
  /** Attempts since it was last queued. */
  attempt: z.int(),
  last_attempt: Attempt.nullable(),
  next_attempt_at: z.string().nullable(),
  created_at: z.string(),
  completed_at: z.string().nullable(),
})
export type Delivery = z.output<typeof Delivery>

export const DeliveryDetails = Delivery.extend({ payload: z.unknown(), attempts: z.array(Attempt) })
export type DeliveryDetails = z.output<typeof DeliveryDetails>

export interface StoredDelivery extends Omit<Delivery, 'last_attempt'> {
  /** The request body. */
  payload: string
  attempts: Attempt[]
}

const deliveries = new Table<StoredDelivery>('webhook_deliveries', { json: ['attempts'] })

/** Deliveries without their payloads, which may be large. */
const deliveriesInLists = new Table<StoredDelivery>('webhook_deliveries', {
  json: ['attempts'],
  select: `id, webhook_id, event_type, '' AS payload, status, attempt, attempts, next_attempt_at, created_at, completed_at`,
})

export function publicDelivery({ payload: _, attempts, ...delivery }: StoredDelivery): Delivery {
  return { ...delivery, last_attempt: attempts.at(-1) ?? null }
}

export const deliveryDetails = (delivery: StoredDelivery): DeliveryDetails => ({
  ...publicDelivery(delivery),
  payload: JSON.parse(delivery.payload) as unknown,
  attempts: delivery.attempts,
})

/** A delivery of an event that is due now. */
export function newDelivery(
  { clock }: Pick<Host, 'clock'>,
  webhook_id: string,
  { type, ts, data }: Pick<StoredEvent, 'type' | 'ts' | 'data'>,
): StoredDelivery {
  const now = clock.now()
  return {
    id: newId('dlv', now),
    webhook_id,
    event_type: type,
    payload: JSON.stringify({ type, timestamp: ts, data }),
    status: 'pending',
    attempt: 0,
    attempts: [],
    next_attempt_at: iso(now),
    created_at: iso(now),
    completed_at: null,
  }
}

export interface DeliveryCounts {
  pending: number
  failed: number
  last_delivery_at: string | null
}

export async function countsOf({ sql }: Sql, webhook: string): Promise<DeliveryCounts> {
  const [row] = await sql.read<DeliveryCounts>(
    `SELECT (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = ?1 AND status = 'pending') AS pending,
      (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = ?1 AND status = 'failed') AS failed,
      (SELECT max(completed_at) FROM webhook_deliveries WHERE webhook_id = ?1) AS last_delivery_at`,
    [webhook],
  )
  return row ?? { pending: 0, failed: 0, last_delivery_at: null }
}

export const insertDelivery = (delivery: StoredDelivery): Statement => deliveries.insert(delivery)

export function updateDelivery(delivery: StoredDelivery): Statement {
  const { id, webhook_id: _, event_type: _1, payload: _2, created_at: _3, ...changes } = delivery
  return deliveries.update(changes, { id })
}

export const cancelDeliveries = (webhook_id: string, now: string): Statement =>
  deliveries.update(
    { status: 'cancelled', next_attempt_at: null, completed_at: now },
    { webhook_id, status: 'pending' },
  )

export const findDelivery = (host: Sql, webhook_id: string, id: string) => deliveries.find(host, { webhook_id, id })

interface Receiver {
  id: string
  ordered: boolean
}

/** The due deliveries; for an ordered webhook, only the oldest pending one, if it is due. */
export async function dueDeliveries(
  host: Sql,
  { id: webhook_id, ordered }: Receiver,
  { now, limit }: { now: number; limit: number },
): Promise<StoredDelivery[]> {
  const pending = sql`webhook_id = ${webhook_id} AND status = 'pending'`
  const due = sql`next_attempt_at <= ${iso(now)}`
  if (!ordered) return deliveries.list(host, `next_attempt_at, id LIMIT ${limit}`, pending, due)
  const oldest = await deliveries.list(host, 'id LIMIT 1', pending)
  return oldest.filter(({ next_attempt_at: at }) => at !== null && at <= iso(now))
}

/** When the next delivery is due, in milliseconds since the epoch; null if none is pending. */
export async function nextDelivery(host: Sql, { id: webhook_id, ordered }: Receiver): Promise<number | null> {
  const order = ordered ? 'id' : 'next_attempt_at'
  const next = await deliveriesInLists.first(host, order, { webhook_id }, `status = 'pending'`)
  return next?.next_attempt_at ? Date.parse(next.next_attempt_at) : null
}

/** A page of the deliveries of a webhook, newest first. */
export async function listDeliveries(
  host: Sql,
  webhook_id: string,
  { status, ...page }: Page & { status?: DeliveryStatus | undefined },
) {
  const { rows, total } = await deliveriesInLists.page(host, page, 'id DESC', { webhook_id, status })
  return { rows: rows.map(publicDelivery), total }
}

export const pruneDeliveries = (limits: KeptRows): Statement[] =>
  pruneLog({ table: 'webhook_deliveries', owner: 'webhook_id', at: 'created_at' }, limits)
