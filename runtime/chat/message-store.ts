import type { AgentStats } from '../agents/index.ts'
import { owned } from '../auth/owner.ts'
import { sharedIds } from '../auth/sharing.ts'
import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { raw, readRow, readRows, sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import { iso } from '../time.ts'
import type { Trust } from '../trust.ts'
import { separateUntrusted } from '../untrusted.ts'
import { taintConversation } from './conversation-store.ts'
import type { FilePart, Message } from './schema.ts'

const messages = new Table<Message, 'steers' | 'typed'>('messages', {
  booleans: ['compacted'],
  json: ['parts', 'attachments', 'error'],
  hidden: ['steers', 'typed'],
})

/** The latest `limit` messages before `before`, oldest first. */
export async function listMessages(
  host: Sql,
  conversation: string,
  { before = 'msg~', limit }: { before?: string | undefined; limit: number },
): Promise<Message[]> {
  const older = sql`conversation_id = ${conversation} AND id < ${before}`
  return (await messages.list(host, `id DESC LIMIT ${limit}`, older)).reverse()
}

/** The first `limit` messages from the id `from` on (inclusive), oldest first. */
export const listMessagesFrom = (host: Sql, conversation: string, { from, limit }: { from: string; limit: number }) =>
  messages.list(host, `id LIMIT ${limit}`, sql`conversation_id = ${conversation} AND id >= ${from}`)

/** Whether a conversation has messages before the first and after the last of a page. */
export async function beyondPage(host: Sql, conversation: string, page: readonly Message[]) {
  const row = await readRow<{ has_older: number; has_newer: number }>(
    host,
    sql`SELECT EXISTS (SELECT 1 FROM messages WHERE conversation_id = ${conversation}
      AND id < ${page[0]?.id ?? ''}) AS has_older,
      EXISTS (SELECT 1 FROM messages WHERE conversation_id = ${conversation}
      AND id > ${page.at(-1)?.id ?? 'msg~'}) AS has_newer`,
  )
  return { has_older: row?.has_older === 1, has_newer: row?.has_newer === 1 }
}

/** Every message, oldest first, including those folded into a summary. */
export const allMessages = (host: Sql, conversation_id: string) => messages.list(host, 'id', { conversation_id })

/** The messages that the model reads before an answer, oldest first: those not folded into a summary. */
export const historyBefore = (host: Sql, conversation_id: string, message: string) =>
  messages.list(host, 'id', { conversation_id, compacted: false, steers: null }, sql`id < ${message}`)

/** The texts that a person has written in a conversation: not what templates were filled with, agents wrote, or others sent. */
export async function textsOfPerson(host: Sql, conversation_id: string): Promise<string[]> {
  const texts = await messages.values(host, 'content', 'id', { conversation_id, typed: 1 })
  // They quote text from other people.
  return texts.map((text) => separateUntrusted(text).own)
}

/** Whether a person wrote a message, apart from its untrusted blocks. */
export const isTyped = (host: Sql, id: string) => messages.exists(host, { id, typed: 1 })

export const findMessage = (host: Sql, id: string) => messages.find(host, { id })

/** The oldest answer of a conversation that is still streaming. */
export const findStreamingMessage = (host: Sql, conversation_id: string) =>
  messages.first(host, 'id', { conversation_id, status: 'streaming' })

export const findLatestMessage = (host: Sql, conversation_id: string, role: Message['role']) =>
  messages.first(host, 'id DESC', { conversation_id, role })

/** The first message of a person and the answer to it; null if nobody has written yet. */
export async function firstExchange(
  host: Sql,
  conversation: string,
): Promise<{ question: string; answered: string; model: string | null } | null> {
  const rows = await readRows<Pick<Message, 'role' | 'content' | 'provider' | 'model'>>(
    host,
    sql`SELECT role, content, provider, model FROM messages WHERE conversation_id = ${conversation}
      AND role IN ('user', 'assistant')
      AND id >= (SELECT min(id) FROM messages WHERE conversation_id = ${conversation} AND role = 'user') ORDER BY id
      LIMIT 4`,
  )
  const [question] = rows
  const answer = rows.find(({ role }) => role === 'assistant')
  const model = answer?.provider ? `${answer.provider}/${answer.model}` : null
  return question ? { question: question.content, answered: answer?.content ?? '', model } : null
}

export const insertMessage = (message: Message): Statement => messages.insert(message)

/** Inserts a message that a person wrote, apart from its untrusted blocks: the addresses in it may be opened unasked. */
export const insertTyped = (message: Message): Statement => messages.insert({ ...message, typed: 1 })

/** The goal of a run as the first message of its conversation, which counts as untrusted if untrusted text led to the goal. */
export const insertGoal = (goal: Message, trust: Trust): Statement[] => [
  ...(trust === 'external' ? [taintConversation(goal.conversation_id)] : []),
  trust === 'owner' ? insertTyped(goal) : insertMessage(goal),
]

export function updateMessage(message: Message): Statement {
  const { id, content, parts, model, provider, input_tokens, output_tokens, cost_usd, status, error } = message
  const changes = { content, parts, model, provider, input_tokens, output_tokens, cost_usd, status, error }
  return messages.update(changes, { id })
}

/** The message that an answer is for: the person's last one before it. */
export const findAskedBefore = (host: Sql, { conversation_id, id }: Message) =>
  messages.first(host, 'id DESC', { conversation_id, role: 'user' }, sql`id < ${id}`)

/** Whether the file is attached to a message of a shared conversation that the caller may read. */
export async function isAttachedForCaller(context: Reader, file_id: string): Promise<boolean> {
  const shared = await sharedIds(context, 'conversations')
  if (!shared) return false
  const isAttached = sql`EXISTS (SELECT 1 FROM json_each(attachments) WHERE value = ${file_id})`
  return messages.exists(context, sql`conversation_id IN (${shared})`, isAttached)
}

/** The number of user messages before one in its conversation. */
export const countUserMessagesBefore = (host: Sql, conversation_id: string, message: string) =>
  messages.count(host, { conversation_id, role: 'user' }, sql`id < ${message}`)

export const countMessagesUpTo = (host: Sql, conversation_id: string, id: string) =>
  messages.count(host, { conversation_id }, sql`id <= ${id}`)

/** Which of these messages the model still sees in their conversation. */
export const messagesInContext = async (host: Sql, ids: readonly string[]): Promise<Set<string>> =>
  new Set(await messages.values(host, 'id', 'id', { id: ids, compacted: false }))

/** Marks a message that a running answer has taken in: the model does not read it as a separate message. */
export const markSteering = (id: string, answer: string): Statement => messages.update({ steers: answer }, { id })

export const deleteMessage = (id: string): Statement => messages.delete({ id })

/** Hides all messages up to one from the model; people still see them. */
export const foldMessages = (conversation_id: string, last: string): Statement =>
  messages.update({ compacted: true }, [{ conversation_id, compacted: false }, sql`id <= ${last}`])

/** The owner's chats with a message from `from` until before `to` (ISO), and how many messages those are. */
export async function countChats(context: Reader, from: string, to: string) {
  const own = owned(context)
  const row = await readRow<{ conversations: number; messages: number }>(
    context,
    sql`SELECT count(*) AS conversations, coalesce(sum(messages), 0) AS messages
      FROM (SELECT conversation_id, count(*) AS messages FROM messages WHERE created_at >= ${from} AND created_at < ${to} GROUP BY 1)
      CROSS JOIN conversations ON conversations.id = conversation_id WHERE kind = 'user' AND ${own}`,
  )
  return row ?? { conversations: 0, messages: 0 }
}

/** The totals of the owner's conversations with an agent. */
export async function statsOfAgent(context: Reader, agent: string) {
  const own = owned(context)
  const row = await readRow<Omit<AgentStats, 'agent_id'>>(
    context,
    sql`SELECT count(DISTINCT conversations.id) AS conversations,
      count(messages.id) AS messages,
      count(*) FILTER (WHERE messages.role = 'assistant') AS turns,
      count(*) FILTER (WHERE messages.role = 'assistant' AND messages.status = 'error') AS failed_turns,
      coalesce(sum(messages.input_tokens), 0) AS input_tokens,
      coalesce(sum(messages.output_tokens), 0) AS output_tokens,
      coalesce(sum(messages.cost_usd), 0) AS cost_usd,
      max(messages.created_at) AS last_active_at
    FROM conversations LEFT JOIN messages ON messages.conversation_id = conversations.id
    WHERE conversations.agent_id = ${agent} AND ${own}`,
  )
  if (!row) throw new Error('an aggregate always has a row')
  return row
}

/** The latest file of this name or id that is attached to a message of a conversation. */
export async function findAttachment(host: Sql, conversation: string, file: string): Promise<FilePart | null> {
  const row = await readRow<{ part: string }>(
    host,
    sql`SELECT part.value AS part FROM messages, json_each(messages.parts) AS part
      WHERE conversation_id = ${conversation} AND attachments <> '[]' AND part.value ->> 'type' = 'file'
        AND ${file} IN (part.value ->> 'file_id', part.value ->> 'name') ORDER BY messages.id DESC LIMIT 1`,
  )
  return row ? (JSON.parse(row.part) as FilePart) : null
}

/**
 * The id of a summary is that of the last message it replaces plus this suffix, so it sorts right after it.
 */
export const summaryMark = '0'

const lengthOfId = 'msg_'.length + 26
const isSummary = `role = 'system' AND length(id) = ${lengthOfId + summaryMark.length}`

const cutsFrom = (conversation: string, sql: string, args: readonly string[]): Statement[] => [
  {
    sql: `DELETE FROM messages WHERE conversation_id = ? AND ${sql} RETURNING id`,
    args: [conversation, ...args],
  },
  ...mend(conversation),
]

/** The first statement returns what was removed; the others repair references of what remains. */
export const cutAfter = (conversation: string, id: string): Statement[] => cutsFrom(conversation, 'id > ?', [id])

export const cutAt = (conversation: string, id: string): Statement[] => cutsFrom(conversation, 'id >= ?', [id])

/** Also removes the answer that has taken the message in, although it is older. */
export const cutAnswersTo = (conversation: string, question: string): Statement[] =>
  cutsFrom(conversation, '(id > ? OR id IN (SELECT steers FROM messages WHERE id = ?))', [question, question])

export const cutBefore = (conversation: string, keep: number): Statement[] => [
  sql`DELETE FROM messages WHERE conversation_id = ${conversation} AND id NOT IN (
      SELECT id FROM messages WHERE conversation_id = ${conversation} ORDER BY id DESC LIMIT ${keep}) RETURNING id`,
  ...mend(conversation),
]

/**
 * Messages whose summary was removed are shown to the model again, and so are messages whose answer, which
 * had taken them in, was removed.
 */
const mend = (conversation: string): Statement[] => [
  sql`UPDATE messages SET compacted = 0 WHERE conversation_id = ${conversation} AND compacted = 1 AND id >= coalesce(
      (SELECT max(id) FROM messages WHERE conversation_id = ${conversation} AND ${raw(isSummary)}), '')`,
  sql`UPDATE messages SET steers = NULL WHERE conversation_id = ${conversation} AND steers IS NOT NULL
      AND steers NOT IN (SELECT id FROM messages WHERE conversation_id = ${conversation})`,
]

export const withFiles = (content: string, files: FilePart[]): Pick<Message, 'parts' | 'attachments'> => ({
  parts: [{ type: 'text', text: content }, ...files],
  attachments: files.map(({ file_id }) => file_id),
})

export function draft(
  context: Context,
  conversation: string,
  own: Pick<Message, 'role' | 'content'> & Partial<Message>,
): Message {
  const now = context.clock.now()
  return {
    id: newId('msg', now),
    conversation_id: conversation,
    parts: own.content === '' ? [] : [{ type: 'text', text: own.content }],
    attachments: [],
    model: null,
    provider: null,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
    status: 'complete',
    error: null,
    compacted: false,
    created_at: iso(now),
    ...own,
  }
}

/** When the owner wrote since `since`, as minutes in UTC (`2026-01-05T12:34`), latest first. */
export async function userMessageTimes(context: Reader, since: string, limit: number): Promise<string[]> {
  const own = owned(context)
  const rows = await readRows<{ at: string }>(
    context,
    sql`SELECT substr(m.created_at, 1, 16) AS at FROM messages AS m CROSS JOIN conversations AS c ON c.id = m.conversation_id
      WHERE m.created_at >= ${since} AND m.role = 'user' AND c.kind = 'user' AND ${own}
      ORDER BY m.created_at DESC LIMIT ${limit}`,
  )
  return rows.map(({ at }) => at)
}
