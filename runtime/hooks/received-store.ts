import { z } from 'zod'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import { countLog, type KeptRows, type Listed, type Log, pruneLog } from './log-store.ts'

/** `recorded`: stored without starting anything, because there was no action or capture was on. */
const ReceivedStatus = z.enum(['pending', 'succeeded', 'failed', 'recorded'])

export const Received = z.object({
  id: z.string(),
  webhook_id: z.string(),
  status: ReceivedStatus,
  /** Ids of the started objects. */
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
  received_at: z.string(),
  completed_at: z.string().nullable(),
})
export type Received = z.output<typeof Received>

/** Variables available to template expressions. */
const Message = z.object({
  body: z.unknown(),
  headers: z.record(z.string(), z.string()),
  query: z.record(z.string(), z.string()),
  received_at: z.string(),
})
export type Message = z.output<typeof Message>

export const ReceivedDetails = Received.extend({ message: Message })
export type ReceivedDetails = z.output<typeof ReceivedDetails>

/** A received message with its raw body as text. */
export interface StoredReceived extends Received {
  message_key: string | null
  headers: Record<string, string>
  query: Record<string, string>
  body: string
}

const messages = new Table<StoredReceived>('incoming_deliveries', { json: ['headers', 'query', 'result'] })

/** Messages without their contents. */
const messagesInLists = new Table<Received>('incoming_deliveries', {
  json: ['result'],
  select: Object.keys(Received.shape).join(', '),
})

export function publicReceived(received: StoredReceived): Received {
  const { message_key: _, headers: _1, query: _2, body: _3, ...rest } = received
  return rest
}

const log: Log = { table: 'incoming_deliveries', owner: 'webhook_id', at: 'received_at' }

export async function receivedCounts(host: Sql, webhook: string) {
  const { count, failed, last_at } = await countLog(host, log, webhook)
  return { received: count, failed, last_received_at: last_at }
}

/** Guarded against a message with a known key. */
export const insertReceived = (received: StoredReceived): Statement => ({
  ...messages.insert(received, 'ON CONFLICT DO NOTHING'),
  guard: 'This message was already received',
})

export const endReceived = (
  id: string,
  end: Pick<Received, 'status' | 'result' | 'error' | 'completed_at'>,
): Statement => messages.update(end, { id })

/** Marks a message as pending again. */
export const reopenReceived = (id: string): Statement =>
  messages.update(
    { status: 'pending', result: null, error: null, completed_at: null },
    [{ id }, `status <> 'pending'`],
    'The message is being processed',
  )

export const findByKey = async (host: Sql, webhook_id: string, message_key: string): Promise<string | null> =>
  (await messages.find(host, { webhook_id, message_key }))?.id ?? null

export const findReceived = (host: Sql, id: string) => messages.find(host, { id })

/** The latest message of a webhook. */
export const lastReceived = (host: Sql, webhook_id: string) => messages.first(host, 'id DESC', { webhook_id })

/** A page of a webhook's received messages, newest first. */
export const listReceived = (host: Sql, webhook_id: string, page: Page) =>
  messagesInLists.page(host, page, 'id DESC', { webhook_id })

/** Messages per webhook whose content is kept, so that a busy sender cannot fill the disk. */
export const keptContents = 500

/** Removes the content of the oldest messages. Their ids are kept to detect duplicates. */
export const forgetContents = (webhook: string): Statement => ({
  sql: `UPDATE incoming_deliveries SET body = '', headers = '{}', query = '{}'
    WHERE webhook_id = ? AND headers <> '{}' AND status <> 'pending' AND id <= (
      SELECT id FROM incoming_deliveries WHERE webhook_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
  args: [webhook, webhook, keptContents],
})

export const receivedMessages: Listed = { kind: 'webhook', log, parents: 'incoming_webhooks', page: '/hooks/incoming/' }

export const pruneReceived = (limits: KeptRows): Statement[] => pruneLog(log, limits)
