import { newId } from '../../id.ts'
import { readSecurity } from '../../settings/security.ts'
import { iso, minute } from '../../time.ts'
import { insertWork } from '../../work/store.ts'
import { insertApproval, publicApproval, type StoredApproval } from '../approval-store.ts'
import { approvalExpiryKind } from '../kinds.ts'
import { updateMessage } from '../message-store.ts'
import type { ToolUsePart } from '../schema.ts'
import type { Call } from './describe.ts'
import type { Turn } from './state.ts'

/** Stores the question, and the moment at which it counts as refused, together with the call that waits for it. */
export async function askPerson(
  turn: Turn,
  part: ToolUsePart,
  call: Extract<Call, { ok: true }>,
): Promise<void> {
  const now = turn.context.clock.now()
  const expires = now + (await readSecurity(turn.context)).approval_timeout_minutes * minute
  const approval: StoredApproval = {
    id: newId('apr', now),
    conversation_id: turn.conversation.id,
    run_ref: turn.message.id,
    call_id: part.id,
    tool: part.tool,
    summary: call.summary,
    input: call.input,
    risk: call.risk,
    status: 'pending',
    reason: null,
    requested_at: iso(now),
    expires_at: iso(expires),
    resolved_at: null,
    resolved_by: null,
  }
  part.state = 'waiting'
  turn.message.parts.push({ type: 'approval', approval_id: approval.id, call_id: part.id })
  const expiry = insertWork(turn.context, {
    kind: approvalExpiryKind,
    subject: approval.id,
    due: expires,
  })
  const data = {
    approval_id: approval.id,
    conversation_id: approval.conversation_id,
    tool: part.tool,
    summary: call.summary,
  }
  const statements = [insertApproval(approval), updateMessage(turn.message), expiry.statement]
  await turn.context.commit(statements, [{ type: 'approval.requested', data }])
  turn.log.emit('approval_required', { approval: publicApproval(approval), call_id: part.id })
}
