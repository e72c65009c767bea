import type { Condition, Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import type { Button, InboundMessage, Peer } from './platform.ts'

/** A message without its reply reference, which is stored encrypted. */
export type InboundText = Omit<InboundMessage, 'reply'>

/**
 * `done` includes messages that the policy rejected; `limited`: it was over the sender's hourly limit; `heard`: written in a
 * group and not to the bot, kept for the next message that is.
 */
export interface StoredInbound {
  id: string
  channel_id: string
  message_id: string
  message: InboundText
  sealed_reply: string | null
  status: 'pending' | 'done' | 'limited' | 'heard'
  /** The agent's message that answers it. */
  answer_id: string | null
  received_at: string
}

const inbound = new Table<StoredInbound>('channel_inbound', { json: ['message'] })

/** Stores a message unless one with its id was already received. */
export const insertInbound = (message: StoredInbound): Statement =>
  inbound.insert(message, 'ON CONFLICT (channel_id, message_id) DO NOTHING')

/** True if the message with this row id was stored, that is, it was not a duplicate. */
export const isStored = (id: string): Condition => sql`EXISTS (SELECT 1 FROM channel_inbound WHERE id = ${id})`

/** Replaces the text of a message that the agent has not seen yet. */
export const editPending = (channel_id: string, message_id: string, text: string): Statement =>
  inbound.update({ message: sql`json_set(message, '$.text', ${text})` }, { channel_id, message_id, status: 'pending' })

export const endInbound = (id: string, answer_id: string | null = null): Statement =>
  settle(id, { status: 'done', answer_id })

export const limitInbound = (id: string): Statement => settle(id, { status: 'limited' })

const settle = (id: string, change: Partial<StoredInbound>): Statement =>
  inbound.update(change, { id, status: 'pending' }, 'This message has already been answered')

/** Counts a sender's direct messages since `since` (ISO 8601): those processed, and those over the limit. Messages in groups have no limit. */
export async function countInbound(host: Sql, channel_id: string, sender: string, since: string) {
  const { done = 0, limited = 0 } = await inbound.countBy(
    host,
    'status',
    { channel_id },
    sql`received_at > ${since} AND json_extract(message, '$.sender.id') = ${sender}
      AND json_extract(message, '$.peer.kind') = 'dm'`,
  )
  return { done, limited }
}

/**
 * Removes the text of a message that does not reach the agent, so that text from strangers is not stored. The id
 * is kept.
 */
export const forgetText = (id: string): Statement =>
  inbound.update(
    {
      message: sql`json_set(message, '$.text', '', '$.quotes', json('[]'), '$.files', json('[]'))`,
      sealed_reply: null,
    },
    { id },
  )

/** The messages of a chat with this status. */
const ofChat = (channel_id: string, { id, thread_id }: Peer, status: StoredInbound['status']): Condition =>
  sql`channel_id = ${channel_id} AND status = ${status} AND json_extract(message, '$.peer.id') = ${id}
    AND json_extract(message, '$.peer.thread_id') IS ${thread_id}`

/** Messages of a group that are kept for the next one to the bot. */
const maxHeard = 20

/** Forgets all but the newest messages that were heard in a group. */
export function trimHeard(channel: string, peer: Peer): Statement {
  const heard = ofChat(channel, peer, 'heard')
  return inbound.delete([
    heard,
    sql`id NOT IN (SELECT id FROM channel_inbound WHERE ${heard} ORDER BY id DESC LIMIT ${maxHeard})`,
  ])
}

/** What was heard in a group before a message and since a time, oldest first. */
export const heardBefore = (
  host: Sql,
  { id, channel_id, message: { peer } }: StoredInbound,
  since: string,
): Promise<StoredInbound[]> =>
  inbound.list(host, 'id', ofChat(channel_id, peer, 'heard'), sql`id < ${id} AND received_at > ${since}`)

/** The agent has read it. */
export const endHeard = (id: string): Statement[] => [inbound.update({ status: 'done' }, { id }), forgetText(id)]

/** Drops the messages of a chat that came before this one and were not processed yet. */
export const dropEarlier = (
  channel_id: string,
  { id, message: { peer } }: Pick<StoredInbound, 'id' | 'message'>,
): Statement => inbound.update({ status: 'done' }, [ofChat(channel_id, peer, 'pending'), sql`id < ${id}`])

export const findInbound = (host: Sql, id: string) => inbound.find(host, { id })

export const findReceived = (host: Sql, channel_id: string, message_id: string) =>
  inbound.find(host, { channel_id, message_id })

/** The message that this is the answer to. */
export const inboundOfAnswer = (host: Sql, answer_id: string) => inbound.find(host, { answer_id })

export const pruneInbound = (before: string): Statement =>
  inbound.delete(sql`received_at < ${before} AND status <> 'pending'`)

/**
 * `draft`: an answer that is still being written, edited as it grows. `answer`: the beginning of one that has ended.
 * `question`: approvals, written out when it is sent. `part`: of the input of one, before its question.
 */
type OutboundKind = 'message' | 'draft' | 'answer' | 'question' | 'part'

export interface StoredOutbound {
  id: string
  channel_id: string
  /** Messages of one lane are sent in the order of their ids. */
  lane: string
  kind: OutboundKind
  /** The agent's message that it belongs to. */
  turn: string | null
  /** Ids of the approvals that a question asks for. */
  approvals: readonly string[]
  /** Counts the changes after which it is sent again, as an edit. */
  revision: number
  peer: Peer
  markdown: string
  buttons: readonly Button[]
  /** Ids of files. */
  files: readonly string[]
  /** `StoredInbound.sealed_reply` of the message being answered. */
  sealed_reply: string | null
  status: 'pending' | 'sent' | 'failed' | 'dropped'
  attempts: number
  error: string | null
  not_before: string | null
  retry_at: string | null
  platform_message_id: string | null
  created_at: string
  sent_at: string | null
}

const outbound = new Table<StoredOutbound>('channel_outbound', { json: ['approvals', 'peer', 'buttons', 'files'] })

export const insertOutbound = (message: StoredOutbound): Statement => outbound.insert(message)

export const findOutbound = (host: Sql, id: string) => outbound.find(host, { id })

/** The sent message with this id of the platform. */
export const findSent = (host: Sql, channel_id: string, platform_message_id: string) =>
  outbound.first(host, 'id DESC', { channel_id, platform_message_id })

/** The messages about an answer of the agent, oldest first. */
export const outboundOfTurn = (host: Sql, turn: string) => outbound.list(host, 'id', { turn })

/** Ids of the approvals of a turn whose whole input was sent in parts. */
export async function shownInParts(host: Sql, channel_id: string, turn: string): Promise<Set<string>> {
  const rows = (await outboundOfTurn(host, turn)).filter((row) => row.kind === 'part' && row.channel_id === channel_id)
  const unsent = new Set(rows.filter(({ status }) => status !== 'sent').flatMap(({ approvals }) => approvals))
  return new Set(rows.flatMap(({ approvals }) => approvals).filter((id) => !unsent.has(id)))
}

/** The newest question of a lane. */
export const lastQuestion = (host: Sql, lane: string) =>
  outbound.first(host, 'id DESC', { lane, kind: 'question', status: 'sent' })

/** The newest message of a lane that people see. */
export const lastSent = (host: Sql, lane: string) =>
  outbound.first(host, 'id DESC', { lane }, 'platform_message_id IS NOT NULL')

/** Changes a message; if it was sent, it is sent again as an edit. */
export const changeOutbound = (
  id: string,
  change: Partial<Pick<StoredOutbound, 'approvals' | 'markdown' | 'buttons'>> = {},
): Statement =>
  outbound.update({ ...change, revision: sql`revision + 1`, status: 'pending', attempts: 0, retry_at: null }, { id })

/** The next message of a lane that may be sent now; if there is none, when the next one may be sent. */
export async function nextOutbound(
  host: Sql,
  lane: string,
  now: string,
): Promise<{ message: StoredOutbound | null; later: string | null }> {
  const pending = sql`lane = ${lane} AND status = 'pending'`
  const message = await outbound.first(host, 'id', pending, sql`(not_before IS NULL OR not_before <= ${now})`)
  if (message) return { message, later: null }
  const next = await outbound.first(host, 'not_before', pending)
  return { message: null, later: next?.not_before ?? null }
}

export const hasPending = (host: Sql, lane: string) => outbound.exists(host, { lane }, `status = 'pending'`)

/** The lanes of a channel with pending messages. */
export const pendingLanes = async (host: Sql, channel_id: string): Promise<string[]> =>
  Object.keys(await outbound.countBy(host, 'lane', { channel_id }, `status = 'pending'`))

/** What was sent, at `at`. A message that was changed meanwhile stays pending. */
export const markSent = (
  { id, revision, markdown, buttons }: StoredOutbound,
  sent_at: string,
  platform_message_id: string | null,
): Statement => {
  const unchanged = sql`revision = ${revision}`
  return outbound.update(
    {
      status: sql`iif(${unchanged}, 'sent', status)`,
      attempts: sql`attempts + 1`,
      error: null,
      sent_at,
      platform_message_id,
      markdown: sql`iif(${unchanged}, ${markdown}, markdown)`,
      buttons: sql`iif(${unchanged}, ${JSON.stringify(buttons)}, buttons)`,
    },
    { id },
  )
}

/** Ends a message that is not sent. One that was changed meanwhile stays pending. */
export const endUnsent = (
  { id, revision }: Pick<StoredOutbound, 'id' | 'revision'>,
  status: 'sent' | 'failed' | 'dropped',
  error: string | null = null,
): Statement =>
  outbound.update(
    { status: sql`iif(revision = ${revision}, ${status}, status)`, attempts: sql`attempts + 1`, error },
    { id },
  )

/** A draft that can no longer be edited. Two bots may give the same id to different messages. */
export const forgetDraft = (channel_id: string, platform_message_id: string): Statement =>
  outbound.update({ platform_message_id: null }, { channel_id, platform_message_id, kind: 'draft' })

export const dropFiles = (id: string): Statement => outbound.update({ files: [] }, { id })

export const retryOutbound = (id: string, retry_at: string, error: string): Statement =>
  outbound.update({ attempts: sql`attempts + 1`, retry_at, error }, { id })

/** Messages that are still pending, for example on a disconnected channel, are deleted once they are older than `stale`. */
export const pruneOutbound = (before: string, stale: string): Statement =>
  outbound.delete(sql`created_at < ${before} AND (status <> 'pending' OR created_at < ${stale})`)
