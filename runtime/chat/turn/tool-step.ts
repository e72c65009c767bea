import { decide } from '../../tools/policy.ts'
import { approvalsOfTurn, grantedTools, type StoredApproval } from '../approval-store.ts'
import type { ToolUsePart } from '../schema.ts'
import { askPerson } from './ask.ts'
import { type Call, describeCall } from './describe.ts'
import { riskHere } from './named-hosts.ts'
import { finishCall, runCall } from './run-call.ts'
import { openCalls, say, type Turn } from './state.ts'

export type ToolStep = 'answered' | 'waiting' | 'ended'

/**
 * Deals with the calls that have no result yet: runs them, refuses them, or asks a person.
 * `waiting` when a person must answer first; `ended` when a call has handed the word to the person.
 */
export async function toolStep(turn: Turn): Promise<ToolStep> {
  const granted = await grantedTools(turn.context, turn.conversation.id)
  let ended = false
  for (const part of openCalls(turn.message)) {
    turn.context.signal.throwIfAborted()
    const call = describeCall(turn.tools, part.tool, part.input)
    await dealWith(turn, part, { call, granted: granted.has(part.tool) })
    if (!call.ok || !call.tool.ends_turn || part.state !== 'done') continue
    say(turn, 'text', call.summary)
    ended = true
  }
  if (openCalls(turn.message).length > 0) return 'waiting'
  return ended ? 'ended' : 'answered'
}

interface Proposal {
  call: Call
  granted: boolean
}

async function dealWith(turn: Turn, part: ToolUsePart, proposal: Proposal): Promise<void> {
  const { call } = proposal
  if (part.state === 'started') return finishCall(turn, part, unknownEnd)
  if (!call.ok) return finishCall(turn, part, { state: 'denied', output: call.reason, is_error: true })
  if (part.state === 'waiting') return answered(turn, part, await approvalFor(turn, part))
  const decision = decide({
    mode: turn.conversation.mode,
    execution_mode: turn.conversation.execution_mode,
    effect: call.effect,
    risk: await riskHere(turn, call),
    granted: proposal.granted,
    tainted: turn.conversation.tainted,
  })
  if (decision.do === 'refuse')
    return finishCall(turn, part, { state: 'denied', output: decision.reason, is_error: true })
  if (decision.do === 'ask') return askPerson(turn, part, call)
  return runCall(turn, part, call)
}

/** It was begun and never seen to end, so it may have taken effect: it is not begun again. */
const unknownEnd = {
  state: 'unknown' as const,
  output: 'The daemon stopped while this ran; it may or may not have taken effect.',
  is_error: true,
}

async function approvalFor(turn: Turn, part: ToolUsePart): Promise<StoredApproval | undefined> {
  const approvals = await approvalsOfTurn(turn.context, turn.message.id)
  return approvals.find((approval) => approval.call_id === part.id)
}

async function answered(turn: Turn, part: ToolUsePart, approval: StoredApproval | undefined): Promise<void> {
  if (approval?.status === 'pending') return
  if (approval?.status !== 'approved') return finishCall(turn, part, refused(approval))
  part.input = approval.input
  const call = describeCall(turn.tools, part.tool, part.input)
  if (!call.ok) return finishCall(turn, part, { state: 'denied', output: call.reason, is_error: true })
  part.summary = call.summary
  await runCall(turn, part, call)
}

function refused(approval: StoredApproval | undefined) {
  const why = {
    rejected: 'A person refused this',
    expired: 'Nobody answered in time, which counts as a refusal',
    cancelled: 'This was cancelled',
  }
  const status = approval?.status as keyof typeof why | undefined
  const text = (status && why[status]) ?? 'This was not approved'
  const reason = approval?.reason ? `${text}: ${approval.reason}` : `${text}.`
  const state = status === 'expired' ? ('expired' as const) : ('denied' as const)
  return { state, output: reason, is_error: true }
}
