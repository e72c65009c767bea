import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { resumeWork } from '../work/select.ts'
import { type Approval, turnKind } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type ApprovalRow = Omit<Approval, 'input'> & { input: string; call_id: string; reason: string | null }

/** An approval with the call that waits for it and the person's reason. */
export interface StoredApproval extends Approval {
  call_id: string
  reason: string | null
}

const toApproval = (row: ApprovalRow): StoredApproval => ({ ...row, input: JSON.parse(row.input) as unknown })

/** The approval without the fields that only the runtime needs. */
export const publicApproval = ({ call_id: _, reason: __, ...approval }: StoredApproval): Approval => approval

export const insertApproval = (approval: StoredApproval): Statement => ({
  sql: `INSERT INTO approvals (id, conversation_id, run_ref, call_id, tool, summary, agent_reason, input, risk, status,
    reason, requested_at, expires_at, resolved_at, resolved_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, NULL, NULL)`,
  args: [
    approval.id,
    approval.conversation_id,
    approval.run_ref,
    approval.call_id,
    approval.tool,
    approval.summary,
    approval.agent_reason,
    JSON.stringify(approval.input),
    approval.risk,
    approval.status,
    approval.requested_at,
    approval.expires_at,
  ],
})

export async function findApproval({ sql }: Sql, id: string): Promise<StoredApproval | null> {
  const [row] = await sql.read<ApprovalRow>('SELECT * FROM approvals WHERE id = ?', [id])
  return row ? toApproval(row) : null
}

export async function approvalsOfTurn({ sql }: Sql, message: string): Promise<StoredApproval[]> {
  const rows = await sql.read<ApprovalRow>('SELECT * FROM approvals WHERE run_ref = ? ORDER BY id', [message])
  return rows.map(toApproval)
}

export interface ApprovalFilter {
  status?: string | undefined
  conversation_id?: string | undefined
  limit: number
  offset: number
}

export async function listApprovals(context: Pick<Context, 'sql' | 'caller'>, filter: ApprovalFilter) {
  const own = owned(context)
  const select = `SELECT * FROM approvals WHERE (? IS NULL OR status = ?) AND (? IS NULL OR conversation_id = ?)
    AND conversation_id IN (SELECT id FROM conversations WHERE ${own.sql})`
  const status = filter.status ?? null
  const conversation = filter.conversation_id ?? null
  const args = [status, status, conversation, conversation, ...own.args]
  const { rows, total } = await selectPage<ApprovalRow>(context, { select, args, order: 'id DESC' }, filter)
  return { approvals: rows.map(toApproval).map(publicApproval), total }
}

export interface Resolution {
  status: Approval['status']
  input: unknown
  reason: string | null
  at: string
  by: string | null
}

/** The first of two answers wins. */
export const resolveApproval = (id: string, resolution: Resolution): Statement => ({
  sql: `UPDATE approvals SET status = ?, input = ?, reason = ?, resolved_at = ?, resolved_by = ?
    WHERE id = ? AND status = 'pending'`,
  args: [
    resolution.status,
    JSON.stringify(resolution.input),
    resolution.reason,
    resolution.at,
    resolution.by,
    id,
  ],
  guard: 'This approval has already been answered',
})

export const cancelApprovals = (message: string, at: string): Statement => ({
  sql: `UPDATE approvals SET status = 'cancelled', resolved_at = ? WHERE run_ref = ? AND status = 'pending'`,
  args: [at, message],
})

export const grantTool = (conversation: string, tool: string, at: string): Statement => ({
  sql: 'INSERT OR IGNORE INTO tool_grants (conversation_id, tool, granted_at) VALUES (?, ?, ?)',
  args: [conversation, tool, at],
})

export async function grantedTools({ sql }: Sql, conversation: string): Promise<Set<string>> {
  const rows = await sql.read<{ tool: string }>('SELECT tool FROM tool_grants WHERE conversation_id = ?', [
    conversation,
  ])
  return new Set(rows.map((row) => row.tool))
}

/** Queues a turn that waits for a person. */
export const resumeTurn = (message: string): Statement => resumeWork({ kind: turnKind, subject: message })

/** Queues a turn that has asked `asked` questions and is about to wait, if one was answered meanwhile. */
export const resumeIfAnswered = (work: string, message: string, asked: number): Statement =>
  resumeWork(
    { id: work },
    {
      sql: `(SELECT count(*) FROM approvals WHERE run_ref = ? AND status = 'pending') < ?`,
      args: [message, asked],
    },
  )
