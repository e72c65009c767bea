import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Waiting } from '../inbox.ts'
import type { Statement } from '../ports/sql.ts'
import { readRows, sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import { resumeWork } from '../work/select.ts'
import { inputText } from './input-text.ts'
import type { Place } from './permission.ts'
import { type Approval, turnKind } from './schema.ts'

export interface StoredApproval extends Omit<Approval, 'input_text'> {
  call_id: string
  reason: string | null
  /** The answer to a question, until its call has taken it. */
  sealed_answer: string | null
  place: Place
}

const approvals = new Table<StoredApproval>('approvals', {
  json: ['question', 'place'],
  complete: (approval) => ({ ...approval, input: JSON.parse(approval.input as string) }),
})

/** The approval as people read it, without the fields that only the runtime needs. */
export const publicApproval = ({
  call_id: _,
  reason: __,
  sealed_answer: ___,
  place: ____,
  ...approval
}: StoredApproval): Approval => ({
  ...approval,
  input_text: inputText(approval.input),
})

export const insertApproval = (approval: StoredApproval): Statement =>
  approvals.insert({ ...approval, input: JSON.stringify(approval.input) })

export const findApproval = (host: Sql, id: string) => approvals.find(host, { id })

export const approvalsOfTurn = (host: Sql, message: string) => approvals.list(host, 'id', { run_ref: message })

export interface ApprovalFilter {
  status?: string | undefined
  conversation_id?: string | undefined
  limit: number
  offset: number
}

const inOwnConversation = (context: Pick<Context, 'caller'>) =>
  sql`EXISTS (SELECT 1 FROM conversations WHERE conversations.id = conversation_id AND ${owned(context)})`

export async function listApprovals(context: Pick<Context, 'sql' | 'caller'>, filter: ApprovalFilter) {
  const { status, conversation_id, ...page } = filter
  const where = { status, conversation_id }
  const { rows, total } = await approvals.page(context, page, 'id DESC', where, inOwnConversation(context))
  return { rows: rows.map(publicApproval), total }
}

const asked = new Table<{
  id: string
  conversation_id: string
  title: string
  detail: string
  asked_at: string
}>('approvals', {
  select: `id, conversation_id, summary AS title, requested_at AS asked_at,
      (SELECT title FROM conversations WHERE conversations.id = conversation_id) AS detail`,
})

/** The approvals that wait for the caller, without their inputs. */
export async function waitingApprovals(context: Context): Promise<Waiting[]> {
  const rows = await asked.list(context, 'id', `status = 'pending'`, inOwnConversation(context))
  return rows.map(({ conversation_id, ...row }) => ({
    kind: 'approval',
    ...row,
    href: `/chat/${conversation_id}`,
  }))
}

/** How often each permission of an owner has allowed a call since a time. */
export const countPermitted = (host: Sql, owner_id: string, since: string) =>
  readRows<{ permission_id: string; tool: string; count: number }>(
    host,
    sql`SELECT permission_id, tool, count(*) AS count FROM approvals
      WHERE requested_at >= ${since} AND permission_id IS NOT NULL
        AND conversation_id IN (SELECT id FROM conversations WHERE owner_id = ${owner_id})
      GROUP BY permission_id, tool ORDER BY count(*) DESC LIMIT 20`,
  )

/** The calls of an owner that people were asked about since a time, the latest first, at most 1,000. */
export async function* askedSince(host: Sql, filter: { owner_id: string; tool?: string | undefined; since: string }) {
  const { owner_id, tool, since } = filter
  const own = sql`conversation_id IN (SELECT id FROM conversations WHERE owner_id = ${owner_id})`
  const where = [
    sql`requested_at >= ${since} AND permission_id IS NULL AND question IS NULL AND status <> 'pending'`,
    own,
  ]
  // Inputs may be large, so only some are in memory at once.
  for (let last = '~', count = 0; count < maxAsked; count += asksAtOnce) {
    const before = sql`id < ${last}`
    const rows = await approvals.list(
      host,
      `id DESC LIMIT ${asksAtOnce}`,
      ...where,
      before,
      tool === undefined ? {} : { tool },
    )
    yield* rows
    if (rows.length < asksAtOnce) return
    last = rows.at(-1)?.id ?? ''
  }
}

const [maxAsked, asksAtOnce] = [1_000, 25]

export interface Resolution {
  status: Approval['status']
  input: unknown
  reason: string | null
  at: string
  by: string | null
  sealed_answer?: string | null
}

export const resolveApproval = (
  id: string,
  { status, input, reason, at, by, sealed_answer = null }: Resolution,
): Statement =>
  approvals.update(
    { status, input: JSON.stringify(input), reason, resolved_at: at, resolved_by: by, sealed_answer },
    { id, status: 'pending' },
    'This approval has already been answered',
  )

/** Forgets the answer to a question. */
export const forgetAnswer = (id: string): Statement => approvals.update({ sealed_answer: null }, { id })

export const cancelApprovals = (message: string, at: string): Statement =>
  approvals.update({ status: 'cancelled', resolved_at: at }, { run_ref: message, status: 'pending' })

/** Closes what calls asked that a restart has interrupted: nobody takes the answers. */
export const cancelQuestions = (message: string, at: string): Statement =>
  approvals.update(
    {
      status: sql`CASE status WHEN 'pending' THEN 'cancelled' ELSE status END`,
      resolved_at: sql`COALESCE(resolved_at, ${at})`,
      sealed_answer: null,
    },
    [{ run_ref: message }, 'question IS NOT NULL'],
  )

/** Queues a turn that waits for a person. */
export const resumeTurn = (message: string): Statement => resumeWork({ kind: turnKind, subject: message })

/** Queues a turn that has asked `asked` questions and is about to wait, if one was answered meanwhile. */
export const resumeIfAnswered = (work: string, message: string, count: number): Statement =>
  resumeWork(
    { id: work },
    sql`(SELECT count(*) FROM approvals WHERE run_ref = ${message} AND status = 'pending') < ${count}`,
  )
