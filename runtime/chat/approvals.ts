import { answeringAgent } from '../agents/index.ts'
import { auditStatement } from '../auth/audit.ts'
import { actingFor } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, forbidden, invalidField, notFound } from '../fault.ts'
import type { TurnSpender } from '../ledger/spender.ts'
import { wonRace } from '../lost-race.ts'
import { iso, minute } from '../time.ts'
import { contentOf, type ToolQuestion } from '../tools/question.ts'
import { ToolError } from '../tools/tool.ts'
import { readable } from '../validation.ts'
import type { WorkKind } from '../work/kind.ts'
import { listWork } from '../work/select.ts'
import {
  findApproval,
  publicApproval,
  type Resolution,
  resolveApproval,
  resumeTurn,
  type StoredApproval,
} from './approval-store.ts'
import { findOwnConversation, refreshStatus } from './conversation-store.ts'
import { liveTurns } from './live.ts'
import { rememberTool } from './permissions.ts'
import { type Approval, type ApprovalChange, type ApprovalResponse, approvalExpiryKind, turnKind } from './schema.ts'

/** How long before its expiry an administrator may answer what another person was asked. */
const substituteTime = 5 * minute

/** Stores a person's answer to an approval. Nothing runs before it is stored. */
export async function answerApproval(
  context: Context,
  conversation: string,
  answer: ApprovalResponse,
): Promise<Approval> {
  const approval = await findApproval(context, answer.approval_id)
  if (approval?.conversation_id !== conversation) throw notFound(`The approval ${answer.approval_id}`)
  if (approval.status !== 'pending') throw conflict(`This approval is already ${approval.status}`)
  const early = Date.parse(approval.expires_at) - context.clock.now() > substituteTime
  if (context.caller.owner_id !== undefined && early)
    throw forbidden('Its owner decides; an administrator may answer in the last 5 minutes before it expires')
  if (approval.question) return answerQuestion(context, approval, { ...answer, question: approval.question })
  const input = answer.edited_input ?? approval.input
  if (answer.edited_input) await checkInput(context, approval.tool, answer.edited_input)
  const status = answer.approved ? 'approved' : 'rejected'
  // Only the owner makes it a rule.
  const grant = answer.approved && answer.remember && context.caller.owner_id === undefined
  return resolve(context, approval, {
    grant,
    resolution: { ...stamp(context), status, input, reason: answer.reason ?? null },
  })
}

/** The purpose for which the answers to questions are sealed. */
export const answerPurpose = 'answer to a tool server'

/** Stores a person's answer for the call that waits for it. The call takes it at once, so that it is not kept. */
async function answerQuestion(
  context: Context,
  approval: StoredApproval,
  { approved, dismissed, edited_input = {}, question }: ApprovalResponse & { question: ToolQuestion },
): Promise<Approval> {
  const status = approved ? 'approved' : dismissed ? 'cancelled' : 'rejected'
  const content = approved && question.schema ? contentOf(question, edited_input, 'edited_input') : null
  const sealed_answer = content && (await context.secrets.seal(JSON.stringify(content), answerPurpose))
  return resolve(context, approval, {
    grant: false,
    resolution: { ...stamp(context), status, input: approval.input, reason: null, sealed_answer },
  })
}

/**
 * What the call of an approval would change in a file if it ran now, with secrets redacted as in the results of tools.
 * Only who may see the conversation may see it.
 */
export async function changeOfApproval(context: Context, id: string): Promise<ApprovalChange> {
  const approval = await findApproval(context, id)
  const conversation = approval && (await findOwnConversation(context, approval.conversation_id))
  if (!conversation) throw notFound(`The approval ${id}`)
  const nothing = { path: null, before: null, after: null, note: null }
  const { findTool } = await import('../tools/registry.ts')
  const tool = approval.status === 'pending' ? await findTool(context, approval.tool) : undefined
  const input = tool?.input.safeParse(approval.input)
  const answering = await answeringAgent(context, conversation)
  if (!tool?.change || !input?.success || !answering.ok) return nothing
  const [turn] = await listWork(context, { kind: turnKind, subject: approval.run_ref })
  const scope = { context: actingFor(context, conversation.owner_id), agent: answering.agent }
  const { redaction } = context.process
  try {
    const change = await tool.change(input.data, {
      ...scope,
      project_id: conversation.project_id,
      spender: turn?.payload.spender as TurnSpender | undefined,
      signal: context.signal,
    })
    if (!change) return nothing
    const before = change.before === null ? null : redaction.customText(change.before)
    return { path: change.path, before, after: redaction.customText(change.after), note: null }
  } catch (thrown) {
    if (!(thrown instanceof ToolError)) throw thrown
    return { ...nothing, note: thrown.message }
  }
}

/** Ends an approval without an answer: nobody answered in time, or the question was withdrawn. */
export async function closeApproval(context: Context, id: string, status: 'expired' | 'cancelled'): Promise<void> {
  const approval = await findApproval(context, id)
  if (approval?.status !== 'pending') return
  const resolution: Resolution = { ...stamp(context), status, input: approval.input, reason: null }
  await resolve(context, approval, { grant: false, resolution })
}

const stamp = (context: Context) => ({
  at: iso(context.clock.now()),
  by: context.caller.user_id ?? context.caller.id,
})

/** Loads the tools only if the input was edited. */
async function checkInput(context: Context, tool: string, input: unknown): Promise<void> {
  const { findTool } = await import('../tools/registry.ts')
  const checked = (await findTool(context, tool))?.input.safeParse(input, readable)
  if (checked?.success === false) throw invalidField('edited_input', checked.error.issues[0]?.message ?? 'does not fit')
}

interface Outcome {
  resolution: Resolution
  grant: boolean
}

async function resolve(context: Context, approval: StoredApproval, outcome: Outcome): Promise<Approval> {
  const { resolution, grant } = outcome
  const remembered = grant ? await rememberTool(context, approval.conversation_id, approval.tool) : null
  const statements = [
    resolveApproval(approval.id, resolution),
    ...(remembered?.statements ?? []),
    resumeTurn(approval.run_ref),
    refreshStatus(approval.conversation_id, resolution.at),
    auditStatement(context, { action: `approval.${resolution.status}`, target: approval.id, outcome: 'ok' }),
  ]
  const { conversation_id, id, tool } = approval
  const data = { approval_id: id, conversation_id, tool, status: resolution.status }
  const { status, input, at, by } = resolution
  const resolved = publicApproval({ ...approval, status, input, resolved_at: at, resolved_by: by })
  const answer = { approval: resolved }
  const events = [event('approval.resolved', data), ...(remembered?.events ?? [])]
  await context.commit(statements, events, { answer })
  liveTurns(context)
    .find(approval.run_ref)
    ?.emit({ event: 'approval_resolved', data: { approval: resolved } })
  return resolved
}

/** Expires an approval that nobody answered in time; its turn continues with a refusal. */
export const approvalExpiry: WorkKind = {
  kind: approvalExpiryKind,
  max_running: 10,
  after_crash: 'retry',
  async run(work, context) {
    // If somebody answered at the same moment, that answer counts.
    await wonRace(closeApproval(context, work.subject, 'expired'))
    return { status: 'succeeded' }
  },
}
