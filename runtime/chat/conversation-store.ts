import { owned } from '../auth/owner.ts'
import { shown } from '../auth/sharing.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { hasWork } from '../work/select.ts'
import type { Conversation } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>
type ConversationRow = Omit<Conversation, 'pinned' | 'archived' | 'shared_with'> & {
  shared_with: string
  pinned: number
  archived: number
  owner_id: string
  tainted: number
  check_ins_armed: number
}

/** A conversation with the fields that only the runtime needs. */
export interface StoredConversation extends Conversation {
  /** It contains external text. */
  tainted: boolean
}

const toConversation = ({ check_ins_armed: _, ...row }: ConversationRow): StoredConversation => ({
  ...row,
  pinned: row.pinned === 1,
  archived: row.archived === 1,
  tainted: row.tainted === 1,
  shared_with: JSON.parse(row.shared_with) as string[],
})

export interface ConversationFilter {
  search?: string | undefined
  agent_id?: string | undefined
  project_id?: string | undefined
  kind?: string | undefined
  status?: string | undefined
  archived?: boolean | undefined
  limit: number
  offset: number
}

/** Pinned first, then the latest; `total` counts all that match. */
export async function listConversations(context: Reader, filter: ConversationFilter) {
  const { where, args } = conditions(await shown(context, 'conversations'), filter)
  const order = 'pinned DESC, updated_at DESC, id DESC'
  const query = { select: `SELECT * FROM conversations ${where}`, args, order }
  const { rows, total } = await selectPage<ConversationRow>(context, query, filter)
  return { conversations: rows.map(toConversation), total }
}

/** The owner's conversations with people, oldest first. */
export async function conversationsWithPersons(context: Reader): Promise<StoredConversation[]> {
  const own = owned(context)
  const rows = await context.sql.read<ConversationRow>(
    `SELECT * FROM conversations WHERE kind IN ('user', 'channel') AND ${own.sql} ORDER BY id`,
    own.args,
  )
  return rows.map(toConversation)
}

function conditions(own: Condition, filter: ConversationFilter): { where: string; args: Value[] } {
  const parts: [string, Value][] = []
  if (filter.search) parts.push([`title LIKE ? ESCAPE '\\'`, `%${filter.search.replace(/[\\%_]/g, '\\$&')}%`])
  if (filter.agent_id) parts.push(['agent_id = ?', filter.agent_id])
  if (filter.project_id) parts.push(['project_id = ?', filter.project_id])
  if (filter.kind) parts.push(['kind = ?', filter.kind])
  if (filter.status) parts.push(['status = ?', filter.status])
  if (filter.archived !== undefined) parts.push(['archived = ?', Number(filter.archived)])
  const where = `WHERE ${[own.sql, ...parts.map(([condition]) => condition)].join(' AND ')}`
  return { where, args: [...own.args, ...parts.map(([, value]) => value)] }
}

/** A conversation regardless of its owner, for the daemon's own work. */
export async function findConversation({ sql }: Sql, id: string): Promise<StoredConversation | null> {
  const [row] = await sql.read<ConversationRow>('SELECT * FROM conversations WHERE id = ?', [id])
  return row ? toConversation(row) : null
}

/** A conversation that belongs to the caller. */
export const findOwnConversation = (context: Reader, id: string): Promise<StoredConversation | null> =>
  findWhere(context, id, owned(context))

/** A conversation that belongs to the caller or is shared with them. */
export const findShownConversation = async (
  context: Reader,
  id: string,
): Promise<StoredConversation | null> => findWhere(context, id, await shown(context, 'conversations'))

async function findWhere(context: Reader, id: string, own: Condition): Promise<StoredConversation | null> {
  const sql = `SELECT * FROM conversations WHERE id = ? AND ${own.sql}`
  const [row] = await context.sql.read<ConversationRow>(sql, [id, ...own.args])
  return row ? toConversation(row) : null
}

export const insertConversation = (conversation: StoredConversation): Statement => ({
  sql: `INSERT INTO conversations (id, owner_id, title, agent_id, project_id, kind, mode, execution_mode, model, pinned, archived, status,
    message_count, last_message_at, input_tokens, output_tokens, cost_usd, tainted, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL, 0, 0, 0, 0, ?, ?)`,
  args: [
    conversation.id,
    conversation.owner_id,
    conversation.title,
    conversation.agent_id,
    conversation.project_id,
    conversation.kind,
    conversation.mode,
    conversation.execution_mode,
    conversation.model,
    Number(conversation.pinned),
    Number(conversation.archived),
    conversation.status,
    conversation.created_at,
    conversation.updated_at,
  ],
})

type Column =
  | 'title'
  | 'agent_id'
  | 'model'
  | 'pinned'
  | 'archived'
  | 'mode'
  | 'execution_mode'
  | 'status'
  | 'updated_at'
  | 'shared_with'

/** Sets only the named columns, so that two changes at once are both kept. */
export function updateConversation(id: string, changes: Partial<Record<Column, Value>>): Statement {
  const columns = Object.keys(changes) as Column[]
  return {
    sql: `UPDATE conversations SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
    args: [...columns.map((column) => changes[column] ?? null), id],
    guard: 'The conversation was deleted',
  }
}

/** Replaces a title only while it is still `old`. */
export const replaceTitle = (id: string, old: string, title: string): Statement => ({
  sql: 'UPDATE conversations SET title = ? WHERE id = ? AND title = ?',
  args: [title, id, old],
  guard: 'The conversation was renamed in the meantime',
})

export const taintConversation = (id: string): Statement => ({
  sql: 'UPDATE conversations SET tainted = 1 WHERE id = ?',
  args: [id],
})

/** Makes the commit fail if the conversation was deleted meanwhile. */
export const guardPresent = (id: string): Statement => ({
  sql: 'UPDATE conversations SET status = status WHERE id = ?',
  args: [id],
  guard: 'The conversation was deleted',
})

const lane = { column: 'conversations.id' }
const busy = hasWork({ lane })
const waiting = hasWork({ lane, status: 'waiting' })

/** Makes the commit fail if the conversation has an open turn by then. */
export const guardIdle = (id: string): Statement => ({
  sql: `UPDATE conversations SET status = status WHERE id = ? AND NOT ${busy.sql}`,
  args: [id, ...busy.args],
  guard: 'The conversation is busy; stop it first, wait, or send with when_busy queue or interrupt',
})

/**
 * Derives the status from the open turns. In a commit it comes after the statement that changes a turn's
 * work.
 */
export const refreshStatus = (id: string, now: string): Statement => ({
  sql: `UPDATE conversations SET updated_at = ?, status = CASE WHEN ${waiting.sql} THEN 'waiting_approval'
      WHEN ${busy.sql} THEN 'running' ELSE 'idle' END WHERE id = ?`,
  args: [now, ...waiting.args, ...busy.args, id],
})

export const addUsage = (
  id: string,
  usage: { input_tokens: number; output_tokens: number; cost_usd: number },
): Statement => ({
  sql: `UPDATE conversations SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cost_usd = cost_usd + ?
    WHERE id = ?`,
  args: [usage.input_tokens, usage.output_tokens, usage.cost_usd, id],
})

export const deleteConversation = (id: string): Statement => ({
  sql: 'DELETE FROM conversations WHERE id = ?',
  args: [id],
  guard: 'The conversation was already deleted',
})

/** Recomputes the number of messages and the date of the latest one. */
export const recountMessages = (id: string): Statement => ({
  sql: `UPDATE conversations SET
      message_count = (SELECT count(*) FROM messages WHERE conversation_id = conversations.id),
      last_message_at = (SELECT max(created_at) FROM messages WHERE conversation_id = conversations.id)
    WHERE id = ?`,
  args: [id],
})

/** The conversations that exist among these ids, by id. */
export async function findConversations({ sql }: Sql, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, StoredConversation>()
  const rows = await sql.read<ConversationRow>(
    'SELECT * FROM conversations WHERE id IN (SELECT value FROM json_each(?))',
    [JSON.stringify(ids)],
  )
  return new Map(rows.map((row) => [row.id, toConversation(row)]))
}
