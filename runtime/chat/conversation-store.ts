import { owned } from '../auth/owner.ts'
import { visibleRows } from '../auth/sharing.ts'
import type { Statement } from '../ports/sql.ts'
import type { RunSummary, RunsFilter } from '../run-summary.ts'
import { readRows, sql } from '../statement.ts'
import { containing, type Reader, type Sql, Table } from '../table.ts'
import { hasWork, waitOf } from '../work/select.ts'
import type { Conversation } from './schema.ts'

/** A conversation with the fields that only the runtime needs. */
export interface StoredConversation extends Conversation {
  /** Whether it contains external text. */
  tainted: boolean
}

const wait = waitOf({ lane: { column: 'conversations.id' } })

const conversations = new Table<StoredConversation, 'check_ins_armed'>('conversations', {
  booleans: ['pinned', 'archived', 'tainted'],
  json: ['shared_with', 'waiting'],
  hidden: ['check_ins_armed'],
  select: { sql: `*, ${wait.sql} AS waiting`, args: wait.args },
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
export async function listConversations(context: Reader, { search, ...filter }: ConversationFilter) {
  const { agent_id, project_id, kind, status, archived, ...page } = filter
  return conversations.page(
    context,
    page,
    'pinned DESC, updated_at DESC, id DESC',
    await visibleRows(context, 'conversations'),
    containing(search, 'title'),
    // An empty id is no filter.
    { agent_id: agent_id || undefined, project_id: project_id || undefined, kind, status, archived },
  )
}

/** Conversations with people that are being answered, as all areas list their runs. */
export async function summarizeRuns(context: Reader, { state, limit }: RunsFilter): Promise<RunSummary[]> {
  if (state !== 'open') return []
  return readRows(
    context,
    sql`SELECT 'chat' AS kind, id, id AS run_id, coalesce(nullif(title, ''), 'Untitled') AS name, status, NULL AS detail,
        updated_at AS at, '/chat/' || id AS href
      FROM conversations WHERE ${owned(context)} AND status <> 'idle' AND kind IN ('user', 'channel')
      ORDER BY updated_at DESC LIMIT ${limit}`,
  )
}

/** The owner's conversations with people, oldest first. */
export const conversationsWithPersons = (context: Reader) =>
  conversations.list(context, 'id', `kind IN ('user', 'channel')`, owned(context))

/** A conversation regardless of its owner, for the daemon's own work. */
export const findConversation = (host: Sql, id: string) => conversations.find(host, { id })

/** A conversation that belongs to the caller. */
export const findOwnConversation = (context: Reader, id: string) => conversations.find(context, { id }, owned(context))

/** A conversation that belongs to the caller or is shared with them. */
export const findShownConversation = async (context: Reader, id: string) =>
  conversations.find(context, { id }, await visibleRows(context, 'conversations'))

export const insertConversation = ({ waiting: _, ...conversation }: StoredConversation): Statement =>
  conversations.insert(conversation)

/** Sets only the named columns, so that two changes at once are both kept. */
export const updateConversation = (id: string, changes: Partial<StoredConversation>): Statement =>
  conversations.update(changes, { id }, 'The conversation was deleted')

/** Replaces a title only while it is still `old`. */
export const replaceTitle = (id: string, old: string, title: string): Statement =>
  conversations.update({ title }, { id, title: old }, 'The conversation was renamed in the meantime')

export const taintConversation = (id: string): Statement => conversations.update({ tainted: true }, { id })

/** Makes the commit fail if the conversation was deleted meanwhile. */
export const guardPresent = (id: string): Statement => ({
  sql: 'UPDATE conversations SET status = status WHERE id = ?',
  args: [id],
  guard: 'The conversation was deleted',
})

const lane = { column: 'conversations.id' }
const busy = hasWork({ lane })
const waiting = hasWork({ lane, status: 'waiting' })
/** A tool of the turn asks while it runs. */
const asking = sql`EXISTS (SELECT 1 FROM approvals
  WHERE conversation_id = conversations.id AND status = 'pending' AND question IS NOT NULL)`

/** Makes the commit fail if the conversation has an open turn by then. */
export const guardIdle = (id: string): Statement => ({
  ...sql`UPDATE conversations SET status = status WHERE id = ${id} AND NOT ${busy}`,
  guard: 'The conversation is busy; stop it first, wait, or send with when_busy queue or interrupt',
})

/**
 * Derives the status from the open turns. In a commit it comes after the statement that changes a turn's
 * work.
 */
export const refreshStatus = (id: string, updated_at: string): Statement =>
  conversations.update(
    {
      updated_at,
      status: sql`CASE WHEN ${waiting} OR ${asking} THEN 'waiting_approval' WHEN ${busy} THEN 'running' ELSE 'idle' END`,
    },
    { id },
  )

export const addUsage = (
  id: string,
  { input_tokens, output_tokens, cost_usd }: Pick<Conversation, 'input_tokens' | 'output_tokens' | 'cost_usd'>,
): Statement =>
  conversations.update(
    {
      input_tokens: sql`input_tokens + ${input_tokens}`,
      output_tokens: sql`output_tokens + ${output_tokens}`,
      cost_usd: sql`cost_usd + ${cost_usd}`,
    },
    { id },
  )

export const deleteConversation = (id: string): Statement =>
  conversations.delete({ id }, 'The conversation was already deleted')

/** Recomputes the number of messages and the date of the latest one. */
export const recountMessages = (id: string): Statement =>
  conversations.update(
    {
      message_count: sql`(SELECT count(*) FROM messages WHERE conversation_id = conversations.id)`,
      last_message_at: sql`(SELECT max(created_at) FROM messages WHERE conversation_id = conversations.id)`,
    },
    { id },
  )

/** The conversations that exist among these ids, by id. */
export async function findConversations(host: Sql, ids: readonly string[]) {
  const rows = ids.length === 0 ? [] : await conversations.list(host, 'id', { id: ids })
  return new Map(rows.map((conversation) => [conversation.id, conversation]))
}
