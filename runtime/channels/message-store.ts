import type { Condition, Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import type { Button, InboundMessage, Peer } from './platform.ts'

/** A message without its reply reference, which is stored encrypted. */
export type InboundText = Omit<InboundMessage, 'reply'>

/** `done` includes messages that the policy rejected; `limited`: it was over the sender's hourly limit. */
export interface StoredInbound {
  id: string
  channel_id: string
  message_id: string
  message: InboundText
  sealed_reply: string | null
  status: 'pending' | 'done' | 'limited'
  /** The agent's message that answers it. */
  answer_id: string | null
  received_at: string
}

const inbound = new Table<StoredInbound>('channel_inbound', { json: ['message'] })

/** Stores a message unless one with its id was already received. */
export const insertInbound = (message: StoredInbound): Statement =>
  inbound.insert(message, 'ON CONFLICT (channel_id, message_id) DO NOTHING')

/** True if the message with this row id was stored, that is, it was not a duplicate. */
export const isStored = (id: string): Condition => ({
  sql: 'EXISTS (SELECT 1 FROM channel_inbound WHERE id = ?)',
  args: [id],
})

/** Replaces the text of a message that the agent has not seen yet. */
export const editPending = (channel: string, message: string, text: string): Statement => ({
  sql: `UPDATE channel_inbound SET message = json_set(message, '$.text', ?)
    WHERE channel_id = ? AND message_id = ? AND status = 'pending'`,
  args: [text, channel, message],
})

export const endInbound = (id: string, answer_id: string | null = null): Statement =>
  settle(id, { status: 'done', answer_id })

export const limitInbound = (id: string): Statement => settle(id, { status: 'limited' })

const settle = (id: string, change: Partial<StoredInbound>): Statement =>
  inbound.update(change, { id, status: 'pending' }, 'This message has already been answered')

/** Counts a sender's direct messages since `since` (ISO 8601): those processed, and those over the limit. Messages in groups have no limit. */
export async function countInbound({ sql }: Sql, channel: string, sender: string, since: string) {
  const [row] = await sql.read<{ done: number; limited: number }>(
    `SELECT count(*) FILTER (WHERE status = 'done') AS done, count(*) FILTER (WHERE status = 'limited') AS limited
      FROM channel_inbound WHERE received_at > ? AND channel_id = ? AND json_extract(message, '$.sender.id') = ?
        AND json_extract(message, '$.peer.kind') = 'dm'`,
    [since, channel, sender],
  )
  return row ?? { done: 0, limited: 0 }
}

/** Removes the text of a message that does not reach the agent, so that text from strangers is not stored. Its id is kept. */
export const forgetText = (id: string): Statement => ({
  sql: `UPDATE channel_inbound SET message = json_set(message, '$.text', '', '$.files', json('[]')), sealed_reply = NULL WHERE id = ?`,
  args: [id],
})

export const findInbound = (host: Sql, id: string) => inbound.find(host, { id })

export const findReceived = (host: Sql, channel_id: string, message_id: string) =>
  inbound.find(host, { channel_id, message_id })

/** The message that this is the answer to. */
export const inboundOfAnswer = (host: Sql, answer_id: string) => inbound.find(host, { answer_id })

export const pruneInbound = (before: string): Statement => ({
  sql: `DELETE FROM channel_inbound WHERE received_at < ? AND status <> 'pending'`,
  args: [before],
})

export interface StoredOutbound {
  id: string
  channel_id: string
  /** Messages of one lane are sent in the order of their ids. */
  lane: string
  peer: Peer
  markdown: string
  buttons: readonly Button[]
  /** Ids of files. */
  files: readonly string[]
  sealed_reply: string | null
  /** The approval it asks for. It is not sent if the approval has been decided by then. */
  approval_id: string | null
  status: 'pending' | 'sent' | 'failed' | 'dropped'
  attempts: number
  error: string | null
  not_before: string | null
  retry_at: string | null
  platform_message_id: string | null
  created_at: string
  sent_at: string | null
}

const outbound = new Table<StoredOutbound>('channel_outbound', { json: ['peer', 'buttons', 'files'] })

export const insertOutbound = (message: StoredOutbound): Statement => outbound.insert(message)

/** The next message of a lane that may be sent now; if there is none, when the next one may be sent. */
export async function nextOutbound(
  host: Sql,
  lane: string,
  now: string,
): Promise<{ message: StoredOutbound | null; later: string | null }> {
  const pending = { sql: `lane = ? AND status = 'pending'`, args: [lane] }
  const free = { sql: '(not_before IS NULL OR not_before <= ?)', args: [now] }
  const [message] = await outbound.list(host, 'id LIMIT 1', pending, free)
  if (message) return { message, later: null }
  const [next] = await outbound.list(host, 'not_before LIMIT 1', pending)
  return { message: null, later: next?.not_before ?? null }
}

/** The lanes of a channel with pending messages. */
export async function pendingLanes({ sql }: Sql, channel: string): Promise<string[]> {
  const rows = await sql.read<{ lane: string }>(
    `SELECT DISTINCT lane FROM channel_outbound WHERE channel_id = ? AND status = 'pending'`,
    [channel],
  )
  return rows.map(({ lane }) => lane)
}

export const markSent = (id: string, at: string, platform_message_id: string | null): Statement => ({
  sql: `UPDATE channel_outbound SET status = 'sent', attempts = attempts + 1, error = NULL, sent_at = ?, platform_message_id = ? WHERE id = ?`,
  args: [at, platform_message_id, id],
})

export const endUnsent = (id: string, status: 'failed' | 'dropped', error: string): Statement => ({
  sql: 'UPDATE channel_outbound SET status = ?, attempts = attempts + 1, error = ? WHERE id = ?',
  args: [status, error, id],
})

export const dropFiles = (id: string): Statement => outbound.update({ files: [] }, { id })

export const retryOutbound = (id: string, retry_at: string, error: string): Statement => ({
  sql: 'UPDATE channel_outbound SET attempts = attempts + 1, retry_at = ?, error = ? WHERE id = ?',
  args: [retry_at, error, id],
})

/** Messages that are still pending, for example on a disconnected channel, are deleted once they are older than `stale`. */
export const pruneOutbound = (before: string, stale: string): Statement => ({
  sql: `DELETE FROM channel_outbound WHERE created_at < ? AND (status <> 'pending' OR created_at < ?)`,
  args: [before, stale],
})
