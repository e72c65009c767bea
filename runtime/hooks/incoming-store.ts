import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import type { Message, NewIncoming, Received, ReceivedDetails, ReceivedStatus } from './incoming-schema.ts'
import { type KeptRows, pruneLog } from './prune.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

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

type IncomingRow = Omit<StoredIncoming, keyof Settings | 'enabled'> & { enabled: number; settings: string }

const toIncoming = ({ settings, enabled, ...row }: IncomingRow): StoredIncoming => ({
  ...row,
  ...(JSON.parse(settings) as Settings),
  enabled: enabled === 1,
})

async function findWhere({ sql }: Sql, column: 'id' | 'token_hash', value: string) {
  const [row] = await sql.read<IncomingRow>(`SELECT * FROM incoming_webhooks WHERE ${column} = ?`, [value])
  return row ? toIncoming(row) : null
}

export const findIncoming = (host: Sql, id: string) => findWhere(host, 'id', id)
export const findByToken = (host: Sql, hash: string) => findWhere(host, 'token_hash', hash)

export async function findOwnIncoming(context: Reader, id: string): Promise<StoredIncoming | null> {
  const own = owned(context)
  const sql = `SELECT * FROM incoming_webhooks WHERE id = ? AND ${own.sql}`
  const [row] = await context.sql.read<IncomingRow>(sql, [id, ...own.args])
  return row ? toIncoming(row) : null
}

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

export async function listIncoming(context: Reader, page: Page) {
  const own = owned(context)
  const select = `SELECT * FROM incoming_webhooks WHERE ${own.sql}`
  const query = { select, args: own.args, order: 'id DESC' }
  const { rows, total } = await selectPage<IncomingRow>(context, query, page)
  return { webhooks: rows.map(toIncoming), total }
}

function settingsOf({ name, auth, action, rate_limit, hint }: StoredIncoming): string {
  const settings: Settings = { name, auth, action, rate_limit, hint }
  return JSON.stringify(settings)
}

export const insertIncoming = (webhook: StoredIncoming): Statement => ({
  sql: `INSERT INTO incoming_webhooks (id, owner_id, enabled, settings, token_hash, sealed_token, sealed_secret, capture_until, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    ...[webhook.id, webhook.owner_id, Number(webhook.enabled), settingsOf(webhook), webhook.token_hash],
    ...[webhook.sealed_token, webhook.sealed_secret, webhook.capture_until],
    ...[webhook.created_at, webhook.updated_at],
  ],
})

/** Stores a changed webhook if it has not been changed since `before` was read. */
export const updateIncoming = (webhook: StoredIncoming, before: StoredIncoming): Statement => ({
  sql: `UPDATE incoming_webhooks SET enabled = ?, settings = ?, sealed_secret = ?, capture_until = ?, updated_at = ?
    WHERE id = ? AND updated_at = ?`,
  args: [
    ...[Number(webhook.enabled), settingsOf(webhook), webhook.sealed_secret, webhook.capture_until],
    ...[webhook.updated_at, webhook.id, before.updated_at],
  ],
  guard: 'The webhook was changed by another request; try again',
})

export const deleteIncoming = (id: string): Statement => ({
  sql: 'DELETE FROM incoming_webhooks WHERE id = ?',
  args: [id],
  guard: 'The webhook was already deleted',
})

/** A received message with its raw body as text. */
export interface StoredReceived extends Received {
  message_key: string | null
  headers: Record<string, string>
  query: Record<string, string>
  body: string
}

type ReceivedRow = Omit<StoredReceived, 'headers' | 'query' | 'result'> & {
  headers: string
  query: string
  result: string | null
}

const toReceived = (row: ReceivedRow): StoredReceived => ({
  ...row,
  headers: JSON.parse(row.headers) as Record<string, string>,
  query: JSON.parse(row.query) as Record<string, string>,
  result: row.result === null ? null : (JSON.parse(row.result) as Record<string, unknown>),
})

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
  sql: `INSERT INTO incoming_deliveries (id, webhook_id, message_key, status, headers, query, body, result, error, received_at, completed_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  args: [
    ...[received.id, received.webhook_id, received.message_key, received.status],
    ...[JSON.stringify(received.headers), JSON.stringify(received.query), received.body, null, null],
    ...[received.received_at, received.completed_at],
  ],
  guard: 'This message was already received',
})

export const endReceived = (
  id: string,
  end: { status: ReceivedStatus; result: Record<string, unknown> | null; error: string | null; now: string },
): Statement => ({
  sql: 'UPDATE incoming_deliveries SET status = ?, result = ?, error = ?, completed_at = ? WHERE id = ?',
  args: [end.status, end.result && JSON.stringify(end.result), end.error, end.now, id],
})

/** Marks a message as pending again. */
export const reopenReceived = (id: string): Statement => ({
  sql: `UPDATE incoming_deliveries SET status = 'pending', result = NULL, error = NULL, completed_at = NULL
    WHERE id = ? AND status <> 'pending'`,
  args: [id],
  guard: 'The message is being processed',
})

export async function findByKey({ sql }: Sql, webhook: string, key: string): Promise<string | null> {
  const [row] = await sql.read<{ id: string }>(
    'SELECT id FROM incoming_deliveries WHERE webhook_id = ? AND message_key = ?',
    [webhook, key],
  )
  return row?.id ?? null
}

export async function findReceived({ sql }: Sql, id: string): Promise<StoredReceived | null> {
  const [row] = await sql.read<ReceivedRow>('SELECT * FROM incoming_deliveries WHERE id = ?', [id])
  return row ? toReceived(row) : null
}

/** The latest message of a webhook. */
export async function lastReceived({ sql }: Sql, webhook: string): Promise<StoredReceived | null> {
  const [row] = await sql.read<ReceivedRow>(
    'SELECT * FROM incoming_deliveries WHERE webhook_id = ? ORDER BY id DESC LIMIT 1',
    [webhook],
  )
  return row ? toReceived(row) : null
}

/** A page of a webhook's received messages, newest first. */
export async function listReceived(host: Sql, webhook: string, page: Page) {
  const select = `SELECT id, webhook_id, NULL AS message_key, status, '{}' AS headers, '{}' AS query, '' AS body,
      result, error, received_at, completed_at FROM incoming_deliveries WHERE webhook_id = ?`
  const query = { select, args: [webhook], order: 'id DESC' }
  const { rows, total } = await selectPage<ReceivedRow>(host, query, page)
  return { deliveries: rows.map((row) => publicReceived(toReceived(row))), total }
}

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
