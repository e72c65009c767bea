import { newId } from '../../id.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { readSecurity } from '../../settings/security.ts'
import { iso, minute, second } from '../../time.ts'
import { decide } from '../../tools/policy.ts'
import { type Effect, type Tool, ToolError, type ToolScope } from '../../tools/tool.ts'
import { insertWork } from '../../work/store.ts'
import {
  approvalsOfTurn,
  grantedTools,
  insertApproval,
  publicApproval,
  type StoredApproval,
} from '../approval-store.ts'
import { taintConversation } from '../conversation-store.ts'
import { textsOfPerson, updateMessage } from '../message-store.ts'
import { approvalExpiryKind, type Part, type Risk, type ToolResultPart, type ToolUsePart } from '../schema.ts'
import { openCalls, save, say, type Turn } from './state.ts'

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

interface CallEnd {
  state: 'done' | 'denied' | 'expired' | 'unknown'
  output: unknown
  is_error: boolean
  untrusted?: boolean
  duration_ms?: number
}

/** Runs one call. That it was begun is stored first, so a crash cannot make it run twice. */
export async function runCall(
  turn: Turn,
  part: ToolUsePart,
  call: Extract<Call, { ok: true }>,
): Promise<void> {
  part.state = 'started'
  await save(turn)
  const begun = turn.context.clock.now()
  const end = await outcome(turn, call)
  await finishCall(turn, part, {
    ...end,
    untrusted: call.tool.untrusted(end.output),
    duration_ms: turn.context.clock.now() - begun,
  })
}

async function outcome(turn: Turn, call: Extract<Call, { ok: true }>): Promise<CallEnd> {
  try {
    return { state: 'done', output: (await withinTime(turn, call)) ?? null, is_error: false }
  } catch (thrown) {
    turn.context.signal.throwIfAborted()
    return { state: 'done', output: explain(turn, call, thrown), is_error: true }
  }
}

/** Waits no longer than the tool may take, even for a tool that does not listen to its signal. */
async function withinTime(turn: Turn, call: Extract<Call, { ok: true }>): Promise<unknown> {
  const { context, agent, conversation, message } = turn
  const late = new AbortController()
  const done = new AbortController()
  const signal = AbortSignal.any([context.signal, late.signal])
  const expiry = context.clock.after(
    call.tool.timeout_seconds * second,
    AbortSignal.any([done.signal, context.signal]),
  )
  const timeout = expiry.then(() => {
    late.abort()
    throw new ToolError(`It did not end within ${call.tool.timeout_seconds} s and was given up`)
  })
  timeout.catch(() => undefined)
  const scope: ToolScope = {
    context: { ...context, signal },
    agent,
    conversation_id: conversation.id,
    message_id: message.id,
    tainted: conversation.tainted,
    signal,
  }
  try {
    return await Promise.race([call.tool.run(call.input, scope), timeout])
  } finally {
    done.abort()
  }
}

function explain(turn: Turn, call: Extract<Call, { ok: true }>, thrown: unknown): string {
  if (thrown instanceof ToolError || thrown instanceof OutboundBlocked) return thrown.message
  const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  turn.context.log.write('warn', 'a tool failed', { tool: call.tool.name, message: turn.message.id, cause })
  return `${call.tool.name} failed: ${thrown instanceof Error ? thrown.message : 'unknown error'}`
}

/** Stores the result beside its call, and tells those who follow. */
export async function finishCall(turn: Turn, part: ToolUsePart, end: CallEnd): Promise<void> {
  const { context, conversation, message } = turn
  const result: ToolResultPart = {
    type: 'tool_result',
    id: part.id,
    tool: part.tool,
    output: context.process.redaction.value(end.output),
    is_error: end.is_error,
    state: end.state === 'done' && end.is_error ? 'error' : end.state,
    untrusted: end.untrusted ?? false,
    duration_ms: end.duration_ms ?? 0,
  }
  part.state = end.state
  message.parts.push(result)
  const taints = result.untrusted && !conversation.tainted
  conversation.tainted ||= taints
  const data = { conversation_id: conversation.id, tool: part.tool, is_error: end.is_error }
  const refused = end.state === 'denied' || end.state === 'expired'
  const type = refused ? 'tool.denied' : 'tool.after'
  await context.commit(
    [updateMessage(message), ...(taints ? [taintConversation(conversation.id)] : [])],
    [{ type, data }],
  )
  const { id, tool, output, is_error, duration_ms, state = 'done' } = result
  turn.log.emit('tool_result', { id, tool, output, is_error, state, duration_ms })
}

export type Call =
  | { ok: true; tool: Tool; input: unknown; summary: string; effect: Effect; risk: Risk }
  | { ok: false; reason: string; summary: string }

/** As `takeCall` stores arguments that are not JSON. No tool has such an input, but one may ignore what it does not know. */
const isBroken = (input: unknown) => typeof input === 'object' && input !== null && 'invalid_json' in input

/** What a call of the model means, or why it cannot be made. */
export function describeCall(tools: readonly Tool[], name: string, input: unknown): Call {
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) return { ok: false, reason: `There is no tool ${name} here`, summary: name }
  if (isBroken(input)) return { ok: false, reason: 'The input is not valid JSON', summary: name }
  const checked = tool.input.safeParse(input)
  if (!checked.success) {
    const issues = checked.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`)
    return { ok: false, reason: `The input does not fit: ${issues.join('; ')}`, summary: name }
  }
  const { data } = checked
  return {
    ok: true,
    tool,
    input: data,
    summary: tool.summary(data),
    effect: tool.effect(data),
    risk: tool.risk(data),
  }
}

const hostPattern = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}/gu

/**
 * How much a call may do harm here. Text from outside may have asked for an address that carries off what the
 * conversation holds; a host that the person has named is the person's own wish. A channel's messages are not the
 * person's.
 */
export async function riskHere(turn: Turn, call: Extract<Call, { ok: true }>): Promise<Risk> {
  const { conversation, context } = turn
  const host = conversation.tainted ? (call.tool.reaches?.(call.input) ?? null) : null
  if (host === null || conversation.kind === 'channel') return call.risk
  const texts = await textsOfPerson(context, conversation.id)
  return texts.some((text) => namesHost(text, host)) ? 'low' : call.risk
}

/** Whether a text names a host, with or without `www.`; a part of another name does not count. */
export function namesHost(text: string, host: string): boolean {
  const wanted = bare(host)
  return (text.match(hostPattern) ?? []).some(
    (found) => bare(URL.parse(`https://${found}`)?.hostname ?? '') === wanted,
  )
}

const bare = (host: string): string => host.toLowerCase().replace(/^www\./, '')

/** The same call this often means that the model turns in circles. */
const mostEqualCalls = 4
const mostEqualErrors = 3

/** Why a turn must end, or null. Pure: it looks at what the turn has done so far. */
export function loopReason(parts: readonly Part[]): string | null {
  const calls = parts
    .filter((part) => part.type === 'tool_use')
    .map((part) => `${part.tool} ${JSON.stringify(part.input)}`)
  if (mostFrequent(calls) >= mostEqualCalls) return `The same call was made ${mostEqualCalls} times`
  const errors = parts
    .filter((part) => part.type === 'tool_result' && part.is_error)
    .map((part) => (part.type === 'tool_result' ? `${part.tool} ${JSON.stringify(part.output)}` : ''))
  return mostFrequent(errors) >= mostEqualErrors ? `The same error came ${mostEqualErrors} times` : null
}

function mostFrequent(items: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}
