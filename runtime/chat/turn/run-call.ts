import { OutboundBlocked } from '../../ports/outbound.ts'
import { second } from '../../time.ts'
import { ToolError, type ToolScope } from '../../tools/tool.ts'
import { taintConversation } from '../conversation-store.ts'
import { updateMessage } from '../message-store.ts'
import type { ToolResultPart, ToolUsePart } from '../schema.ts'
import type { Call } from './describe.ts'
import { save, type Turn } from './state.ts'

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
