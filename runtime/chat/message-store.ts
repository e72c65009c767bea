import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { Message, Part } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type MessageRow = Omit<Message, 'parts' | 'attachments' | 'error' | 'compacted'> & {
  parts: string
  attachments: string
  error: string | null
  compacted: number
  request_key: string | null
  steers: string | null
}

const toMessage = ({ request_key: _, steers: __, ...row }: MessageRow): Message => ({
  ...row,
  parts: JSON.parse(row.parts) as Part[],
  attachments: JSON.parse(row.attachments) as string[],
  error: row.error === null ? null : (JSON.parse(row.error) as Message['error']),
  compacted: row.compacted === 1,
})

/** The latest `limit` messages before `before`, oldest first. */
export async function listMessages(
  { sql }: Sql,
  conversation: string,
  page: { before?: string | undefined; limit: number },
) {
  const rows = await sql.read<MessageRow>(
    `SELECT * FROM messages WHERE conversation_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    [conversation, page.before ?? 'msg~', page.limit],
  )
  return rows.reverse().map(toMessage)
}

/** Every message, oldest first, those folded away included. */
export async function allMessages({ sql }: Sql, conversation: string): Promise<Message[]> {
  const rows = await sql.read<MessageRow>('SELECT * FROM messages WHERE conversation_id = ? ORDER BY id', [
    conversation,
  ])
  return rows.map(toMessage)
}

/** What a turn sees: everything before its own message that was not folded away, oldest first. */
export async function historyBefore({ sql }: Sql, conversation: string, message: string): Promise<Message[]> {
  const rows = await sql.read<MessageRow>(
    `SELECT * FROM messages WHERE conversation_id = ? AND id < ? AND compacted = 0 AND steers IS NULL ORDER BY id`,
    [conversation, message],
  )
  return rows.map(toMessage)
}

export async function findMessage({ sql }: Sql, id: string): Promise<Message | null> {
  const [row] = await sql.read<MessageRow>('SELECT * FROM messages WHERE id = ?', [id])
  return row ? toMessage(row) : null
}

/** The answer that a request with this key began; `request_key` is `<slot>.<fingerprint of the body>`. */
export async function findMessageByRequest({ sql }: Sql, slot: string) {
  const [row] = await sql.read<MessageRow & { request_key: string }>(
    'SELECT * FROM messages WHERE request_key > ? AND request_key < ?',
    [`${slot}.`, `${slot}/`],
  )
  return row ? { message: toMessage(row), request_key: row.request_key } : null
}

/** Lets the commit fail when a request with this key has begun an answer by then. */
export const guardNewRequest = (conversation: string, slot: string): Statement => ({
  sql: `UPDATE conversations SET status = status WHERE id = ? AND NOT EXISTS (
    SELECT 1 FROM messages WHERE request_key > ? AND request_key < ?)`,
  args: [conversation, `${slot}.`, `${slot}/`],
  guard: 'A request with this Idempotency-Key was quicker',
})

/** The oldest answer of a conversation that is still being made. */
export async function findStreamingMessage({ sql }: Sql, conversation: string): Promise<Message | null> {
  const [row] = await sql.read<MessageRow>(
    `SELECT * FROM messages WHERE conversation_id = ? AND status = 'streaming' ORDER BY id LIMIT 1`,
    [conversation],
  )
  return row ? toMessage(row) : null
}

export async function findLatestMessage(
  { sql }: Sql,
  conversation: string,
  role: Message['role'],
): Promise<Message | null> {
  const [row] = await sql.read<MessageRow>(
    'SELECT * FROM messages WHERE conversation_id = ? AND role = ? ORDER BY id DESC LIMIT 1',
    [conversation, role],
  )
  return row ? toMessage(row) : null
}

export const insertMessage = (message: Message, requestKey: string | null = null): Statement => ({
  sql: `INSERT INTO messages (id, conversation_id, role, content, parts, attachments, model, provider, input_tokens,
    output_tokens, cost_usd, status, error, compacted, request_key, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
  args: [
    message.id,
    message.conversation_id,
    message.role,
    message.content,
    JSON.stringify(message.parts),
    JSON.stringify(message.attachments),
    message.model,
    message.provider,
    message.input_tokens,
    message.output_tokens,
    message.cost_usd,
    message.status,
    message.error === null ? null : JSON.stringify(message.error),
    requestKey,
    message.created_at,
  ],
})

export const updateMessage = (message: Message): Statement => ({
  sql: `UPDATE messages SET content = ?, parts = ?, model = ?, provider = ?, input_tokens = ?, output_tokens = ?,
    cost_usd = ?, status = ?, error = ? WHERE id = ?`,
  args: [
    message.content,
    JSON.stringify(message.parts),
    message.model,
    message.provider,
    message.input_tokens,
    message.output_tokens,
    message.cost_usd,
    message.status,
    message.error === null ? null : JSON.stringify(message.error),
    message.id,
  ],
})

export const deleteMessagesAfter = (conversation: string, id: string): Statement => ({
  sql: 'DELETE FROM messages WHERE conversation_id = ? AND id > ? RETURNING id',
  args: [conversation, id],
})

export const keepLastMessages = (conversation: string, count: number): Statement => ({
  sql: `DELETE FROM messages WHERE conversation_id = ? AND id NOT IN (
      SELECT id FROM messages WHERE conversation_id = ? ORDER BY id DESC LIMIT ?) RETURNING id`,
  args: [conversation, conversation, count],
})

export interface FoundMessage {
  conversation_id: string
  conversation_title: string
  message_id: string
  role: string
  excerpt: string
  created_at: string
}

/** Messages that hold the text, newest first. */
export async function searchMessages({ sql }: Sql, text: string, page: { limit: number; offset: number }) {
  const like = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const from = `FROM messages JOIN conversations ON conversations.id = messages.conversation_id
    WHERE messages.content LIKE ? ESCAPE '\\'`
  const rows = await sql.read<FoundMessage>(
    `SELECT conversations.id AS conversation_id, conversations.title AS conversation_title, messages.id AS message_id,
      messages.role, substr(messages.content, max(1, instr(lower(messages.content), lower(?)) - 60), 200) AS excerpt,
      messages.created_at ${from} ORDER BY messages.id DESC LIMIT ? OFFSET ?`,
    [text, like, page.limit, page.offset],
  )
  const [count] = await sql.read<{ total: number }>(`SELECT count(*) AS total ${from}`, [like])
  return { results: rows, total: count?.total ?? 0 }
}

/** What a person said that an empty answer is for: the last before it. */
export async function findAskedBefore({ sql }: Sql, answer: Message): Promise<Message | null> {
  const [row] = await sql.read<MessageRow>(
    `SELECT * FROM messages WHERE conversation_id = ? AND role = 'user' AND id < ? ORDER BY id DESC LIMIT 1`,
    [answer.conversation_id, answer.id],
  )
  return row ? toMessage(row) : null
}

/** The answer in the making has taken the message in, so it is no message of its own to the model. */
export const markSteering = (id: string, answer: string): Statement => ({
  sql: 'UPDATE messages SET steers = ? WHERE id = ?',
  args: [answer, id],
})

export const deleteMessage = (id: string): Statement => ({
  sql: 'DELETE FROM messages WHERE id = ?',
  args: [id],
})

/** Takes everything up to one message out of what the model reads; it stays where it is for people. */
export const foldMessages = (conversation: string, last: string): Statement => ({
  sql: 'UPDATE messages SET compacted = 1 WHERE conversation_id = ? AND id <= ? AND compacted = 0',
  args: [conversation, last],
})
