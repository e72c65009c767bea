import type { Context } from '../../context.ts'
import { event } from '../../events/event.ts'
import { storeBytes, toAttachment } from '../../files/index.ts'
import { passGates } from '../../gate.ts'
import type { TurnSpender } from '../../ledger/spender.ts'
import { wonRace } from '../../lost-race.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import type { Statement } from '../../ports/sql.ts'
import { prompt } from '../../prompts/prompt.ts'
import { iso, second } from '../../time.ts'
import { type Tool, ToolError, type ToolScope } from '../../tools/tool.ts'
import { traced } from '../../traced.ts'
import { readable } from '../../validation.ts'
import { type Hold, unlessAborted, within } from '../../within.ts'
import { changeCall, openCalls, withoutResult } from '../answer.ts'
import { approvalsOfTurn, insertApproval, type StoredApproval } from '../approval-store.ts'
import { taintConversation } from '../conversation-store.ts'
import { queueDigest } from '../permission-digest.ts'
import { countUse, type StoredPermission } from '../permissions.ts'
import type { FilePart, InnerCall, Part, ToolUsePart } from '../schema.ts'
import { approvalOf, askWhileRunning, type CallOfTool, requestApproval } from './ask.ts'
import { inputProblems, noSuchTool } from './call-problems.ts'
import { decisionOn, type ValidCall } from './decision.ts'
import { bounded, maxSent } from './prompt.ts'
import { inOrder, record, save, say, type Turn } from './state.ts'

/** A validated tool call of the model, or why it cannot run. */
export type Call = ValidCall | { ok: false; reason: string; summary: string }

export function describeCall(tools: readonly Tool[], name: string, input: unknown): Call {
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) return { ok: false, reason: noSuchTool(tools, name), summary: name }
  if (isBroken(input))
    return {
      ok: false,
      reason: input.cut ? prompt('cut-call') : 'The input is not valid JSON',
      summary: name,
    }
  const checked = tool.input.safeParse(input, readable)
  if (!checked.success) {
    return { ok: false, reason: inputProblems(tool, input, checked.error), summary: name }
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

/**
 * The form in which arguments that are not JSON are stored. It fits no tool, but a lenient schema might
 * accept it.
 */
export const isBroken = (input: unknown): input is { invalid_json: string; cut?: boolean } =>
  typeof input === 'object' && input !== null && 'invalid_json' in input

/**
 * Processes the calls that have no result yet: runs them, refuses them, or asks a person. Returns `waiting`
 * if a person must answer first, and `ended` if a call has ended the turn, such as a question to the person.
 */
export async function toolStep(turn: Turn): Promise<'answered' | 'waiting' | 'ended'> {
  let ended = false
  let reading: Promise<boolean>[] = []
  for (const part of openCalls(turn.message)) {
    turn.context.signal.throwIfAborted()
    const call = describeCall(turn.tools, part.tool, part.input)
    const independent = call.ok && call.effect === 'read' && !call.tool.question
    if (!independent || reading.length === maxAtOnce) reading = await allOf(reading)
    const dealt = dealWith(turn, part, call)
    if (independent) reading.push(dealt)
    else if ((await dealt) && call.ok && call.tool.question) {
      say(turn, call.tool.question(call.input))
      ended = true
    }
  }
  await allOf(reading)
  if (openCalls(turn.message).length > 0) return 'waiting'
  return ended ? 'ended' : 'answered'
}

/** Calls that only read depend on no other call, so up to this many run at once. */
const maxAtOnce = 8

/** Waits for all, also if one fails, so that nothing is left running. */
async function allOf(running: Promise<boolean>[]): Promise<[]> {
  await Promise.allSettled(running)
  await Promise.all(running)
  return []
}

/** Returns whether the tool has run. */
async function dealWith(turn: Turn, part: ToolUsePart, call: Call): Promise<boolean> {
  const isInterrupted = part.state === 'started'
  if (isInterrupted && call.ok && call.tool.resumable) return run(turn, part, call)
  // It must not be started again.
  if (isInterrupted) return finish(turn, part, { state: 'unknown', output: withoutResult(part) })
  if (!call.ok) return refuse(turn, part, call.reason)
  if (part.state === 'waiting') return continueAnswered(turn, part)
  const gated = await gate(turn, part, call)
  if ('refused' in gated) return refuse(turn, part, gated.refused)
  return decided(turn, part, gated)
}

/** Lets hooks refuse a call or change its input, which is then validated again. */
async function gate(
  { context, tools, message }: Turn,
  part: Pick<ToolUsePart, 'tool'>,
  call: ValidCall,
): Promise<Gated | { refused: string }> {
  const { conversation_id, id: message_id } = message
  const data = { conversation_id, message_id, tool: part.tool }
  const verdict = await passGates(context, { type: 'tool.before', data, input: call.input })
  const { decision, reason, input } = verdict
  if (decision === 'deny') return { refused: `A hook refused this call${reason ? `: ${reason}` : ''}` }
  const isSame = JSON.stringify(input) === JSON.stringify(call.input)
  const changed = isSame ? call : describeCall(tools, part.tool, input)
  if (!changed.ok) return { refused: `A hook changed the input, and it is no longer valid: ${changed.reason}` }
  const changes = isSame ? {} : { input: changed.input, summary: changed.summary }
  return { call: changed, asks: decision === 'ask', changes }
}

interface Gated {
  call: ValidCall
  asks: boolean
  /** Input changed by hooks. */
  changes: Partial<ToolUsePart>
}

/** Runs a call that hooks allow, refuses it, or asks a person, depending on the rules. */
async function decided(turn: Turn, part: ToolUsePart, gated: Gated): Promise<boolean> {
  const { call, asks, changes } = gated
  const decision = await decisionOn(turn, call, part.id)
  if (decision.do === 'refuse') return refuse(turn, part, decision.reason)
  if (decision.do === 'ask' || asks) return ask(turn, part, call)
  const { permission } = decision
  if (!permission) return run(turn, part, call, changes)
  const used = recordUse(turn, part, { call, permission })
  const permitted = { ...changes, permission_id: permission.id }
  // Used up, changed or revoked meanwhile: decided again without it.
  if (!(await wonRace(start(turn, part, permitted, used)))) return decided(turn, part, gated)
  return run(turn, part, call, null)
}

/** Statements that count a use of a permission and record it as an approval. */
function recordUse(
  turn: Turn,
  part: ToolUsePart,
  { call, permission }: { call: ValidCall; permission: StoredPermission },
) {
  // Made first, because the digest counts from the time at which it was queued.
  const digest = queueDigest(turn.context, turn.conversation.owner_id, turn.timezone)
  const at = iso(turn.context.clock.now())
  const asking = { ...call, id: part.id, tool: part.tool, question: null }
  const allowed = { status: 'approved' as const, resolved_at: at, permission_id: permission.id }
  const answered = { ...approvalOf(turn, asking, at), ...allowed }
  return [countUse(permission, at), insertApproval(answered), digest]
}

/** Asks a person whether the call may run. */
async function ask(turn: Turn, part: ToolUsePart, call: ValidCall): Promise<false> {
  const summary = await describe(turn, part.id, call)
  await requestApproval(turn, { ...call, id: part.id, tool: part.tool, summary, question: null })
  return false
}

/** Runs or refuses a call that a person was asked about; nothing happens while the approval is pending. */
async function continueAnswered(turn: Turn, part: ToolUsePart): Promise<boolean> {
  const approvals = await approvalsOfTurn(turn.context, turn.message.id)
  const approval = approvals.find(({ call_id }) => call_id === part.id)
  if (approval?.status === 'pending') return false
  if (approval?.status !== 'approved') return finish(turn, part, refusalOf(approval))
  const { input } = approval
  const call = describeCall(turn.tools, part.tool, input)
  if (!call.ok) return refuse(turn, part, call.reason)
  const edited = JSON.stringify(input) !== JSON.stringify(part.input)
  return run(turn, part, call, { input, summary: edited ? call.summary : approval.summary })
}

/** The question to the person. Never fails: the plain summary is always true. */
async function describe(turn: Turn, id: string, { tool, input, summary }: ValidCall): Promise<string> {
  const { signal } = turn.context
  return (await tool.describe?.(input, scopeOf(turn, id, signal)).catch(() => null)) ?? summary
}

function refusalOf(approval: StoredApproval | undefined) {
  const texts: Record<string, string> = {
    rejected: 'A person refused this',
    expired: 'Nobody answered in time, which counts as a refusal',
    cancelled: 'This was cancelled',
  }
  const text = texts[approval?.status ?? ''] ?? 'This was not approved'
  const state = approval?.status === 'expired' ? ('expired' as const) : ('denied' as const)
  return { state, output: approval?.reason ? `${text}: ${approval.reason}` : `${text}.` }
}

const refuse = (turn: Turn, part: ToolUsePart, output: string) => finish(turn, part, { state: 'denied', output })

/** Stores that a call has started before it runs, so a crash cannot make it run twice. */
const start = (turn: Turn, part: ToolUsePart, changes: Partial<ToolUsePart>, statements: Statement[] = []) =>
  inOrder(turn, async () => {
    const parts = changeCall(turn.message.parts, part.id, { ...changes, state: 'started' })
    const message = { ...turn.message, parts }
    const { id: message_id, conversation_id } = message
    const { permission_id } = changes
    const data = { conversation_id, message_id, tool: part.tool, call_id: part.id }
    const started = event('tool.before', { ...data, ...(permission_id && { permission_id }) })
    await save({ ...turn, message }, [started], statements)
    turn.message = message
  })

/** Runs one call; `changes` are stored with its start, and null if it has started. */
async function run(
  turn: Turn,
  part: ToolUsePart,
  call: ValidCall,
  changes: Partial<ToolUsePart> | null = {},
): Promise<true> {
  const { context } = turn
  if (changes) await start(turn, part, changes)
  const begun = context.clock.now()
  const traces: Traces = { files: [], calls: [], untrusted: false }
  const end = await outcomeOf(turn, { ...call, id: part.id }, traces)
  const { files, calls } = traces
  const untrusted = call.tool.untrusted(end.output) || files.length > 0 || traces.untrusted
  const duration_ms = context.clock.now() - begun
  const shown = { ...(files.length > 0 && { files }), ...(calls.length > 0 && { calls }) }
  await finish(turn, part, { ...end, untrusted, duration_ms, ...shown })
  return true
}

/** What a call leaves besides its output. */
interface Traces {
  files: FilePart[]
  /** Calls of other tools that its code made. */
  calls: InnerCall[]
  /** Whether one of them read untrusted text. */
  untrusted: boolean
}

/** A call of the answer that runs now. */
interface RunningCall extends ValidCall {
  id: string
}

async function outcomeOf(
  turn: Turn,
  call: RunningCall,
  traces?: Traces,
): Promise<{ state: 'done' | 'error'; output: unknown }> {
  try {
    const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': call.tool.name }
    const run = (context: Context) => runWithinLimit({ ...turn, context }, call, traces)
    const output = await traced(turn.context, `execute_tool ${call.tool.name}`, { attributes, run })
    return { state: 'done', output: output ?? null }
  } catch (thrown) {
    turn.context.signal.throwIfAborted()
    return { state: 'error', output: explain(turn, call, thrown) }
  }
}

/** Waits no longer than the tool's time limit, even for a tool that ignores its signal. */
function runWithinLimit(turn: Turn, { id, tool, input }: RunningCall, traces?: Traces): Promise<unknown> {
  const { context } = turn
  const late = new ToolError(`It did not finish within ${tool.timeout_seconds} s and was abandoned`)
  return within(context, { milliseconds: tool.timeout_seconds * second, late }, (signal, hold) => {
    const show: ToolScope['show'] = async (picture) => {
      traces?.files.push(toAttachment(await storeBytes(context, { ...picture, purpose: 'tool' })))
    }
    const reading = traces && readingOf({ ...turn, context: { ...context, signal } }, id, traces)
    // Nobody is asked in the middle of code.
    const ask = traces && turn.hold && questionsOf(turn, { id, tool: tool.name, input }, { signal, hold })
    const scope = { ...scopeOf(turn, id, signal), show, ...(reading && { reading }), ...(ask && { ask }) }
    return unlessAborted(tool.run(input, scope), signal)
  })
}

/** How the program behind a call asks the person; neither the time of the call nor that of the turn passes meanwhile. */
const questionsOf =
  (turn: Turn, call: CallOfTool, { signal, hold }: { signal: AbortSignal; hold: Hold }): ToolScope['ask'] =>
  (question, withdrawn) => {
    const ask = () => askWhileRunning(turn, { ...call, question }, AbortSignal.any([signal, withdrawn]))
    return hold(() => (turn.hold ? turn.hold(ask) : ask()))
  }

/** The tools that the code of a call may call. Code that calls code would only hide what it does. */
const readingOf = (turn: Turn, id: string, traces: Traces): ToolScope['reading'] => ({
  names: turn.tools.map(({ name }) => name).filter((name) => name !== 'run_code'),
  call: (name, input) => callFromCode(turn, { tool: name, input, id }, traces),
})

/**
 * A call that the agent's code makes. The rules are those of every call, but it must only read, and nobody can be asked in the
 * middle of the code.
 */
async function callFromCode(
  turn: Turn,
  { tool, input, id }: { tool: string; input: unknown; id: string },
  traces: Traces,
): Promise<unknown> {
  const { context, conversation, message } = turn
  const { redaction } = context.process
  const begun = context.clock.now()
  const call = await readingCall(turn, tool, input)
  const data = { conversation_id: conversation.id, message_id: message.id, tool, call_id: id }
  const leave = async (state: InnerCall['state'], untrusted = false) => {
    const taints = untrusted && !conversation.tainted
    traces.untrusted ||= untrusted
    conversation.tainted ||= untrusted
    const summary = String(redaction.customValue(call.summary))
    traces.calls.push({ tool, summary, state, duration_ms: context.clock.now() - begun })
    const type = state === 'denied' ? 'tool.denied' : 'tool.after'
    await context.commit(taints ? [taintConversation(conversation.id)] : [], [
      { type, data: { ...data, is_error: state !== 'done' } },
    ])
  }
  if (!call.ok) {
    await leave('denied')
    throw new ToolError(call.reason)
  }
  await context.commit([], [event('tool.before', data)])
  const { state, output } = await outcomeOf(turn, { ...call, id })
  await leave(state, call.tool.untrusted(output))
  if (state === 'error') throw new ToolError(String(output))
  return redaction.customValue(output)
}

async function readingCall(turn: Turn, tool: string, input: unknown): Promise<Call> {
  const call = describeCall(turn.tools, tool, input)
  if (!call.ok) return call
  const refused = (reason: string): Call => ({ ok: false, reason, summary: call.summary })
  const gated = await gate(turn, { tool }, call)
  if ('refused' in gated) return refused(gated.refused)
  if (gated.call.effect !== 'read' || call.tool.question)
    return refused(`Code may only read: call ${tool} as a tool instead`)
  const decision = await decisionOn(turn, gated.call)
  if (decision.do === 'refuse') return refused(decision.reason)
  if (decision.do === 'ask' || gated.asks)
    return refused(`A person has to approve this first: call ${tool} as a tool instead`)
  return gated.call
}

const scopeOf = (
  { context, agent, conversation, message, work }: Turn,
  call_id: string,
  signal: AbortSignal,
): ToolScope => ({
  context: { ...context, signal },
  agent,
  conversation_id: conversation.id,
  project_id: conversation.project_id,
  message_id: message.id,
  call_id,
  tainted: conversation.tainted,
  spender: work.payload.spender as TurnSpender | undefined,
  signal,
})

function explain({ context, message }: Turn, { tool }: ValidCall, thrown: unknown): string {
  if (thrown instanceof ToolError || thrown instanceof OutboundBlocked) return thrown.message
  const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  context.log.write('warn', 'a tool failed', { tool: tool.name, message: message.id, cause })
  return `${tool.name} failed: ${thrown instanceof Error ? thrown.message : 'unknown error'}`
}

interface CallEnd {
  state: 'done' | 'error' | 'denied' | 'expired' | 'unknown'
  output: unknown
  untrusted?: boolean
  duration_ms?: number
  files?: FilePart[]
  calls?: InnerCall[]
}

/** A result that is too long is stored as the start of its text, with a note. */
function boundedOutput(output: unknown): unknown {
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
  return text.length <= maxSent ? output : bounded(text)
}

/** Stores the result of a call and sends it to the clients. Returns false, for calls that did not run. */
async function finish(
  turn: Turn,
  { id, tool }: ToolUsePart,
  { state, output, untrusted = false, duration_ms = 0, ...shown }: CallEnd,
): Promise<false> {
  const { context, conversation } = turn
  const is_error = state !== 'done'
  const taints = untrusted && !conversation.tainted
  conversation.tainted ||= taints
  const redacted = context.process.redaction.customValue(boundedOutput(output))
  const refused = state === 'denied' || state === 'expired'
  await record(
    turn,
    {
      event: 'tool_result',
      data: { id, tool, output: redacted, is_error, state, untrusted, duration_ms, ...shown },
    },
    {
      statements: taints ? [taintConversation(conversation.id)] : [],
      events: [
        {
          type: refused ? 'tool.denied' : 'tool.after',
          data: {
            conversation_id: conversation.id,
            message_id: turn.message.id,
            tool,
            call_id: id,
            is_error,
          },
        },
      ],
    },
  )
  return false
}

/** From this many equal calls, or equal errors, on, the model counts as being in a loop. */
const maxEqualCalls = 4
const maxEqualErrors = 3

/** Why a turn must end because the model is in a loop, or null. Pure. */
export function loopReason(parts: readonly Part[]): string | null {
  const calls = parts.flatMap((part) =>
    part.type === 'tool_use' ? [`${part.tool} ${JSON.stringify(part.input)}`] : [],
  )
  if (maxRepeats(calls) >= maxEqualCalls) return `The same call was made ${maxEqualCalls} times`
  const errors = parts.flatMap((part) =>
    part.type === 'tool_result' && part.is_error ? [`${part.tool} ${JSON.stringify(part.output)}`] : [],
  )
  return maxCount(errors) >= maxEqualErrors ? `The same error occurred ${maxEqualErrors} times` : null
}

/**
 * How often a call was made without a new one in between. A form that is filled in again and saved ten times is progress,
 * although each click on Save is the same call.
 */
function maxRepeats(calls: readonly string[]): number {
  const made = new Set<string>()
  let max = 0
  let counts = new Map<string, number>()
  for (const call of calls) {
    if (!made.has(call)) counts = new Map()
    made.add(call)
    const count = (counts.get(call) ?? 0) + 1
    counts.set(call, count)
    max = Math.max(max, count)
  }
  return max
}

function maxCount(items: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}
