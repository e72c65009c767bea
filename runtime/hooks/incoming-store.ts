import { owned } from '../auth/owner.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import type { Message, NewIncoming, Received, ReceivedDetails } from './incoming-schema.ts'
import { type KeptRows, pruneLog } from './prune.ts'

type Settings = Omit<NewIncoming, 'secret' | 'enabled'> & { hint: string | null }

export interface StoredIncoming extends Settings {
  id: string
  owner_id: string
  enabled: boolean
  token_hash: string
  sealed_token: string
  sealed_secret: string | null
  capture_until: string | null
  created_at: string
  updated_at: string
}

const webhooks = new Table<StoredIncoming>('incoming_webhooks', {
  booleans: ['enabled'],
  packed: { column: 'settings', fields: ['name', 'auth', 'action', 'rate_limit', 'hint'] },
})

export const findIncoming = (host: Sql, id: string) => webhooks.find(host, { id })
export const findByToken = (host: Sql, token_hash: string) => webhooks.find(host, { token_hash })
export const findOwnIncoming = (context: Reader, id: string) => webhooks.find(context, { id }, owned(context))

export interface ReceivedCounts {
  received: number
  failed: number
  last_received_at: string | null
}

export async function receivedCounts({ sql }: Sql, id: string): Promise<ReceivedCounts> {
  const [row] = await sql.read<ReceivedCounts>(
    `SELECT count(*) AS received, coalesce(sum(status = 'failed'), 0) AS failed, max(received_at) AS last_received_at
      FROM incoming_deliveries WHERE webhook_id = ?`,
    [id],
  )
  return row ?? { received: 0, failed: 0, last_received_at: null }
}

export const listIncoming = (context: Reader, page: Page) =>
  webhooks.page(context, page, 'id DESC', owned(context))

export const insertIncoming = (webhook: StoredIncoming): Statement => webhooks.insert(webhook)

/** Stores a changed webhook if it has not been changed since `before` was read. */
export function updateIncoming(webhook: StoredIncoming, before: StoredIncoming): Statement {
  const { id, owner_id: _, token_hash: _1, sealed_token: _2, created_at: _3, ...changes } = webhook
  const guard = 'The webhook was changed by another request; try again'
  return webhooks.update(changes, { id, updated_at: before.updated_at }, guard)
}

export const deleteIncoming = (id: string): Statement =>
  webhooks.delete({ id }, 'The webhook was already deleted')

/** A received message with its raw body as text. */
export interface StoredReceived extends Received {
  message_key: string | null
  headers: Record<string, string>
  query: Record<string, string>
  body: string
}

const deliveries = new Table<StoredReceived>('incoming_deliveries', { json: ['headers', 'query', 'result'] })

export function publicReceived(received: StoredReceived): Received {
  const { message_key: _, headers: _1, query: _2, body: _3, ...known } = received
  return known
}

export const receivedDetails = (received: StoredReceived, message: Message): ReceivedDetails => ({
  ...publicReceived(received),
  message,
})

/** Guarded against a message with a known key. */
export const insertReceived = (received: StoredReceived): Statement => ({
  ...deliveries.insert(received, 'ON CONFLICT DO NOTHING'),
  guard: 'This message was already received',
})

export const endReceived = (
  id: string,
  end: Pick<Received, 'status' | 'result' | 'error' | 'completed_at'>,
): Statement => deliveries.update(end, { id })

/** Marks a message as pending again. */
export const reopenReceived = (id: string): Statement => ({
  sql: `UPDATE incoming_deliveries SET status = 'pending', result = NULL, error = NULL, completed_at = NULL
    WHERE id = ? AND status <> 'pending'`,
  args: [id],
  guard: 'The message is being processed',
})

export async function findByKey(host: Sql, webhook_id: string, message_key: string): Promise<string | null> {
  return (await deliveries.find(host, { webhook_id, message_key }))?.id ?? null
}

export const findReceived = (host: Sql, id: string) => deliveries.find(host, { id })

/** The latest message of a webhook. */
export const lastReceived = async (host: Sql, webhook_id: string): Promise<StoredReceived | null> =>
  (await deliveries.list(host, 'id DESC LIMIT 1', { webhook_id }))[0] ?? null

/** Messages without their contents. */
const shownDeliveries = new Table<Received>('incoming_deliveries', {
  json: ['result'],
  select: 'id, webhook_id, status, result, error, received_at, completed_at',
})

/** A page of a webhook's received messages, newest first. */
export const listReceived = (host: Sql, webhook_id: string, page: Page) =>
  shownDeliveries.page(host, page, 'id DESC', { webhook_id })

/** Messages per webhook whose content is kept, so that a busy sender cannot fill the disk. */
export const keptContents = 500

/** Removes the content of the oldest messages. Their ids are kept to detect duplicates. */
export const forgetContents = (webhook: string): Statement => ({
  sql: `UPDATE incoming_deliveries SET body = '', headers = '{}', query = '{}'
    WHERE webhook_id = ? AND headers <> '{}' AND status <> 'pending' AND id <= (
      SELECT id FROM incoming_deliveries WHERE webhook_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
  args: [webhook, webhook, keptContents],
})

export const pruneReceived = (limits: KeptRows): Statement[] =>
  pruneLog({ table: 'incoming_deliveries', owner: 'webhook_id', at: 'received_at' }, limits)
