import type { Host } from '../host.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import type { Button, InboundMessage, Peer } from './platform.ts'

type Sql = Pick<Host, 'sql'>

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
  /** Times a restart interrupted its answer. */
  interruptions: number
  received_at: string
}

type InboundRow = Omit<StoredInbound, 'message'> & { message: string }

const toInbound = (row: InboundRow): StoredInbound => ({
  ...row,
  message: JSON.parse(row.message) as InboundText,
})

/** Stores a message unless one with its id was already received. */
export const insertInbound = (inbound: StoredInbound): Statement => ({
  sql: `INSERT INTO channel_inbound (id, channel_id, message_id, message, sealed_reply, status, answer_id, interruptions, received_at)
    VALUES (?, ?, ?, ?, ?, ?, NULL, 0, ?) ON CONFLICT (channel_id, message_id) DO NOTHING`,
  args: [
    ...[inbound.id, inbound.channel_id, inbound.message_id, JSON.stringify(inbound.message)],
    ...[inbound.sealed_reply, inbound.status, inbound.received_at],
  ],
})

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

export const endInbound = (id: string, answer: string | null = null): Statement => ({
  sql: `UPDATE channel_inbound SET status = 'done', answer_id = ? WHERE id = ? AND status = 'pending'`,
  args: [answer, id],
  guard: 'This message has already been answered',
})

export const limitInbound = (id: string): Statement => ({
  sql: `UPDATE channel_inbound SET status = 'limited' WHERE id = ? AND status = 'pending'`,
  args: [id],
  guard: 'This message has already been answered',
})

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

/** Replaces an answer that a restart interrupted. */
export const answerAgain = ({ id, answer_id }: StoredInbound, answer: string): Statement => ({
  sql: 'UPDATE channel_inbound SET answer_id = ?, interruptions = interruptions + 1 WHERE id = ? AND answer_id = ?',
  args: [answer, id, answer_id],
  guard: 'This message is already being answered again',
})

export async function findInbound({ sql }: Sql, id: string): Promise<StoredInbound | null> {
  const [row] = await sql.read<InboundRow>('SELECT * FROM channel_inbound WHERE id = ?', [id])
  return row ? toInbound(row) : null
}

export async function findReceived({ sql }: Sql, channel: string, message: string) {
  const [row] = await sql.read<InboundRow>(
    'SELECT * FROM channel_inbound WHERE channel_id = ? AND message_id = ?',
    [channel, message],
  )
  return row ? toInbound(row) : null
}

/** The message that this is the answer to. */
export async function inboundOfAnswer({ sql }: Sql, answer: string): Promise<StoredInbound | null> {
  const [row] = await sql.read<InboundRow>('SELECT * FROM channel_inbound WHERE answer_id = ?', [answer])
  return row ? toInbound(row) : null
}

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

type OutboundRow = Omit<StoredOutbound, 'peer' | 'buttons' | 'files'> & {
  peer: string
  buttons: string
  files: string
}

const toOutbound = (row: OutboundRow): StoredOutbound => ({
  ...row,
  peer: JSON.parse(row.peer) as Peer,
  buttons: JSON.parse(row.buttons) as Button[],
  files: JSON.parse(row.files) as string[],
})

export const insertOutbound = (message: StoredOutbound): Statement => ({
  sql: `INSERT INTO channel_outbound (id, channel_id, lane, peer, markdown, buttons, files, sealed_reply, approval_id, status, attempts, not_before, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, ?, ?)`,
  args: [
    ...[message.id, message.channel_id, message.lane, JSON.stringify(message.peer), message.markdown],
    ...[JSON.stringify(message.buttons), JSON.stringify(message.files), message.sealed_reply],
    ...[message.approval_id, message.not_before, message.created_at],
  ],
})

/** The next message of a lane that may be sent now; if there is none, when the next one may be sent. */
export async function nextOutbound(
  { sql }: Sql,
  lane: string,
  now: string,
): Promise<{ message: StoredOutbound | null; later: string | null }> {
  const [row] = await sql.read<OutboundRow>(
    `SELECT * FROM channel_outbound WHERE lane = ? AND status = 'pending' AND (not_before IS NULL OR not_before <= ?)
      ORDER BY id LIMIT 1`,
    [lane, now],
  )
  if (row) return { message: toOutbound(row), later: null }
  const [next] = await sql.read<{ at: string | null }>(
    `SELECT min(not_before) AS at FROM channel_outbound WHERE lane = ? AND status = 'pending'`,
    [lane],
  )
  return { message: null, later: next?.at ?? null }
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

export const dropFiles = (id: string): Statement => ({
  sql: `UPDATE channel_outbound SET files = '[]' WHERE id = ?`,
  args: [id],
})

export const retryOutbound = (id: string, retry_at: string, error: string): Statement => ({
  sql: 'UPDATE channel_outbound SET attempts = attempts + 1, retry_at = ?, error = ? WHERE id = ?',
  args: [retry_at, error, id],
})

/** Messages that are still pending, for example on a disconnected channel, are deleted once they are older than `stale`. */
export const pruneOutbound = (before: string, stale: string): Statement => ({
  sql: `DELETE FROM channel_outbound WHERE created_at < ? AND (status <> 'pending' OR created_at < ?)`,
  args: [before, stale],
})
