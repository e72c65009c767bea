import { readSecurity } from '../../auth/security.ts'
import type { Context } from '../../context.ts'
import { event } from '../../events/event.ts'
import { ifUnreachable, whileSubscribed } from '../../events/subscribe.ts'
import { newId } from '../../id.ts'
import { wonRace } from '../../lost-race.ts'
import type { ServerAnswer } from '../../ports/tool-servers.ts'
import { iso, minute, second } from '../../time.ts'
import type { Risk } from '../../tools/modes.ts'
import type { ToolQuestion } from '../../tools/question.ts'
import { quotable } from '../../tools/text.ts'
import { insertWork } from '../../work/store.ts'
import { findApproval, forgetAnswer, insertApproval, publicApproval, type StoredApproval } from '../approval-store.ts'
import { answerPurpose, closeApproval } from '../approvals.ts'
import { refreshStatus } from '../conversation-store.ts'
import { approvalExpiryKind, type Part } from '../schema.ts'
import { placeOf } from './decision.ts'
import { record, type Turn } from './state.ts'

/** Maximum characters of a summary: the input follows it. */
const maxSummary = 2_000
/** Maximum characters of the reason that is shown with an approval. */
const maxReason = 500

export interface CallOfTool {
  id: string
  tool: string
  input: unknown
}

interface Asking extends CallOfTool {
  summary: string
  risk: Risk
  question: ToolQuestion | null
}

/** A pending approval, which counts as refused from `expires_at` on. */
export function approvalOf(turn: Turn, asking: Asking, expires_at: string): StoredApproval {
  const { context, conversation, message } = turn
  const { id: call_id, tool, input, risk, question } = asking
  const now = context.clock.now()
  return {
    id: newId('apr', now),
    conversation_id: conversation.id,
    run_ref: message.id,
    call_id,
    tool,
    summary: quotable(asking.summary, maxSummary),
    agent_reason: question ? null : agentReason(message.parts, call_id),
    input,
    risk,
    question,
    sealed_answer: null,
    status: 'pending',
    reason: null,
    requested_at: iso(now),
    expires_at,
    resolved_at: null,
    resolved_by: null,
    place: placeOf(turn),
    permission_id: null,
  }
}

/** Stores a question to the person, the time at which it counts as refused, and the state of its call in one commit. */
export async function requestApproval(turn: Turn, asking: Asking): Promise<StoredApproval> {
  const { context, conversation } = turn
  const { id: call_id, tool, question } = asking
  const now = context.clock.now()
  const expires = now + (await readSecurity(context)).approval_timeout_minutes * minute
  const approval = approvalOf(turn, asking, iso(expires))
  const { summary, agent_reason } = approval
  const expiry = insertWork(context, { kind: approvalExpiryKind, subject: approval.id, due: expires })
  const data = { approval_id: approval.id, conversation_id: conversation.id, tool, summary, agent_reason }
  await record(
    turn,
    { event: 'approval_required', data: { approval: publicApproval(approval), call_id } },
    {
      statements: [
        insertApproval(approval),
        expiry.statement,
        ...(question ? [refreshStatus(conversation.id, iso(now))] : []),
      ],
      events: [event('approval.requested', data, conversation.owner_id)],
    },
  )
  return approval
}

/** The model's text before a call in the same step; null if there is none. Pure. */
function agentReason(parts: readonly Part[], call_id: string): string | null {
  const before = parts.slice(
    0,
    parts.findIndex((part) => part.type === 'tool_use' && part.id === call_id),
  )
  const step = before.slice(before.findLastIndex(({ type }) => type === 'tool_result' || type === 'steer') + 1)
  const said = step.findLast((part) => part.type === 'text' && part.text.trim() !== '')
  return said?.type === 'text' ? quotable(said.text, maxReason) || null : null
}

/** How often the store is read for an answer that another process has stored. */
const pause = 5 * second

/**
 * Asks the person while a call runs, and waits for the answer. A question that expires, or that a restart interrupts, is
 * cancelled; so is one whose turn is stopped or that its program withdraws, and then this rejects.
 */
export async function askWhileRunning(
  turn: Turn,
  call: CallOfTool & { question: ToolQuestion },
  signal: AbortSignal,
): Promise<ServerAnswer> {
  const { context } = turn
  signal.throwIfAborted()
  const question = { ...call.question, message: quotable(call.question.message, maxSummary) }
  const summary = `${question.from} asks: ${question.message}`
  const { id } = await requestApproval(turn, { ...call, question, summary, risk: 'medium' })
  const isAnswer = (type: string, { approval_id }: Record<string, unknown>) =>
    type === 'approval.resolved' && approval_id === id
  try {
    return await whileSubscribed(context, isAnswer, async (next) => {
      for (;;) {
        const approval = await findApproval(context, id).catch(ifUnreachable)
        if (approval !== undefined && approval?.status !== 'pending') return answerIn(context, approval)
        await next(pause, signal)
        signal.throwIfAborted()
      }
    })
  } catch (thrown) {
    await wonRace(closeApproval(context, id, 'cancelled'))
    throw thrown
  }
}

const actions: Record<string, ServerAnswer['action']> = { approved: 'accept', rejected: 'decline' }

/** Takes the answer; it is not kept. */
async function answerIn(context: Context, approval: StoredApproval | null): Promise<ServerAnswer> {
  const action = actions[approval?.status ?? ''] ?? 'cancel'
  if (!approval?.sealed_answer) return { action }
  await context.commit([forgetAnswer(approval.id)])
  return { action, content: JSON.parse(await context.secrets.open(approval.sealed_answer, answerPurpose)) }
}
