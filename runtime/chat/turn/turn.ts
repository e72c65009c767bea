import { answeringAgent } from '../../agents/agents.ts'
import type { Context } from '../../context.ts'
import { ModelError } from '../../ports/models.ts'
import { chooseModel } from '../../providers/access.ts'
import { agentSettings } from '../../settings/agent.ts'
import { readSection } from '../../settings/section.ts'
import { iso, second } from '../../time.ts'
import { toolsFor } from '../../tools/registry.ts'
import type { WorkEnding, WorkOutcome } from '../../work/kind.ts'
import { Cancelled, Stopping } from '../../work/run.ts'
import type { Work } from '../../work/schema.ts'
import { queueFollower } from '../../work/store.ts'
import { cancelApprovals, resumeIfAnswered } from '../approval-store.ts'
import { closeDelivered, fallbackCheckIn, systemCheckIn, withCheckIn, withDelivered } from '../check-ins.ts'
import { addUsage, findConversation, refreshStatus } from '../conversation-store.ts'
import { lastWord, liveTurns, retell, type TurnLog } from '../live.ts'
import { findMessage, updateMessage } from '../message-store.ts'
import { type Message, type MessageError, turnKind } from '../schema.ts'
import { withTitle } from '../title-work.ts'
import { keepInMemory, remember, withMemory } from './memory.ts'
import { modelStep } from './model-step.ts'
import { isAsking, openCalls, type Turn, TurnError, textOf } from './state.ts'
import { loopReason, toolStep } from './tool-step.ts'

const stopped: MessageError = {
  code: 'interrupted',
  message: 'The daemon stopped in the middle of this answer',
}

/**
 * One answer: the model speaks, its tools run, and so on until it has nothing more to call.
 * It goes on without its client, suspends itself while a person is asked, and is marked after a crash, unless
 * somebody was being asked: then it asks on.
 */
export async function runTurn(work: Work, unlimited: Context): Promise<WorkOutcome> {
  const { context, end } = await withinLimit(unlimited)
  try {
    return await answer(work, context)
  } finally {
    end()
  }
}

async function answer(work: Work, context: Context): Promise<WorkOutcome> {
  let turn: Turn | null = null
  try {
    turn = await prepareTurn(context, work)
    if (!turn) return { status: 'cancelled', ...endDeleted(context, work.subject) }
    const end = await steps(turn)
    if (end === 'waiting') return suspend(turn)
    const kept = await keepInMemory(turn)
    const ending = await withTitle(withMemory(endTurn(context, turn), kept), context, turn)
    return {
      status: 'succeeded',
      ...withCheckIn(ending, await fallbackCheckIn(context, turn.message, turn.agent.id)),
    }
  } catch (thrown) {
    if (context.signal.reason instanceof Stopping && turn && isAsking(turn.message)) throw thrown
    return failed(work, context, { turn, thrown })
  }
}

/** Whether a turn that was cut asks on. */
export async function wasAsking(work: Work, context: Context): Promise<boolean> {
  const message = await findMessage(context, work.subject)
  return message?.status === 'streaming' && isAsking(message)
}

async function steps(turn: Turn): Promise<'waiting' | 'ended'> {
  for (let step = countSteps(turn); ; step += 1) {
    if (openCalls(turn.message).length > 0) {
      const result = await toolStep(turn)
      if (result !== 'answered') return result
    }
    if (step >= turn.agent.max_steps)
      throw new TurnError('tool_error', `The agent's limit of ${turn.agent.max_steps} steps is reached`)
    await modelStep(turn)
    if (openCalls(turn.message).length === 0) return 'ended'
    const circles = loopReason(turn.message.parts)
    if (circles) throw new TurnError('loop_detected', circles)
  }
}

/** The steps taken before the turn was suspended: each ended with one call, or with several in a row. */
function countSteps({ message }: Turn): number {
  const kinds = message.parts.map(({ type }) => type).filter((type) => type.startsWith('tool_'))
  return kinds.filter((type, index) => type === 'tool_use' && kinds[index - 1] !== 'tool_use').length
}

/** Waits for a person. An answer that came before this was stored lets the turn go on at once. */
function suspend(turn: Turn): WorkOutcome {
  const { context, conversation, message, work } = turn
  const asked = message.parts.filter((part) => part.type === 'tool_use' && part.state === 'waiting').length
  const statements = [
    resumeIfAnswered(work.id, message.id, asked),
    refreshStatus(conversation.id, iso(context.clock.now())),
  ]
  const events = [{ type: 'conversation.updated', data: { conversation_id: conversation.id } }]
  return { status: 'waiting', statements, events }
}

async function failed(
  work: Work,
  context: Context,
  cause: { turn: Turn | null; thrown: unknown },
): Promise<WorkOutcome> {
  const message = cause.turn?.message ?? (await findMessage(context, work.subject))
  if (!message) return { status: 'cancelled', ...endDeleted(context, work.subject) }
  const error = errorOf(context, cause.thrown)
  const log = liveTurns(context).open(message.id)
  // Who asked without naming a conversation learns here which one it has become.
  if (log.empty) await retell(context, log, message)
  const armed = error === stopped ? await systemCheckIn(context, message) : null
  const status = error.code === 'cancelled' ? 'cancelled' : 'failed'
  const ending = await withDelivered(context, message.id, endTurn(context, { message, log, error }))
  return { status, output: { ...error }, ...withCheckIn(ending, armed) }
}

function errorOf(context: Context, thrown: unknown): MessageError {
  const reason: unknown = context.signal.aborted ? context.signal.reason : thrown
  if (reason instanceof Stopping) return stopped
  if (reason instanceof Cancelled) return { code: 'cancelled', message: reason.message }
  if (reason instanceof ModelError || reason instanceof TurnError)
    return { code: reason.code, message: reason.message }
  const cause = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
  context.log.write('error', 'a turn failed', { work: context.request_id, cause })
  return { code: 'internal_error', message: 'Something went wrong here; the log has the details' }
}

/** A turn that ended while it did not run, or whose process died or stops. */
export async function endedOutside(
  work: Work,
  status: 'lost' | 'cancelled' | 'failed',
  context: Context,
): Promise<WorkEnding> {
  const message = await findMessage(context, work.subject)
  if (!message) return endDeleted(context, work.subject)
  if (message.status !== 'streaming') return {}
  const error: MessageError =
    status === 'cancelled' ? { code: 'cancelled', message: 'Stopped before it was answered' } : stopped
  const log = liveTurns(context).open(message.id)
  const ending = await withDelivered(context, message.id, endTurn(context, { message, log, error }))
  return error === stopped ? withCheckIn(ending, await systemCheckIn(context, message)) : ending
}

/** Collects what a turn needs. Null when its conversation or message was deleted. Throws `ModelError`. */
export async function prepareTurn(context: Context, work: Work): Promise<Turn | null> {
  const message = await findMessage(context, work.subject)
  const conversation = message && (await findConversation(context, message.conversation_id))
  if (!message || !conversation) return null
  await closeDelivered(context, message.id)
  const answering = await answeringAgent(context, conversation)
  if (!answering.ok) throw new ModelError('cancelled', answering.reason)
  const { agent } = answering
  const pinned = typeof work.payload.model === 'string' ? work.payload.model : conversation.model
  const access = await chooseModel(context, pinned, agent.model)
  message.model = access.model
  message.provider = access.provider
  const log = liveTurns(context).open(message.id)
  if (log.empty) await retell(context, log, message)
  const tools = conversation.mode === 'chat' ? [] : await toolsFor(agent, context)
  const turn = { context, work, conversation, agent, tools, access, message, log }
  return { ...turn, recalled: await remember(turn) }
}

/** A context whose signal also aborts when an answer takes longer than the settings allow; `end` takes the limit away. */
export async function withinLimit(context: Context): Promise<{ context: Context; end(): void }> {
  const { timeout_seconds } = await readSection(context, agentSettings)
  const late = new AbortController()
  const done = new AbortController()
  context.clock.after(timeout_seconds * second, done.signal).then(
    () => late.abort(new TurnError('timeout', `The answer took longer than ${timeout_seconds} s`)),
    () => undefined,
  )
  const signal = AbortSignal.any([context.signal, late.signal])
  return { context: { ...context, signal }, end: () => done.abort() }
}

interface Ending {
  message: Message
  log: TurnLog
  /** Absent when the turn came to its own end. */
  error?: MessageError
}

/** The rows, events and last word of a turn: one `done` or one `error`, after everything is stored. */
export function endTurn(context: Context, ending: Ending): WorkEnding {
  const { message, log, error } = ending
  const now = iso(context.clock.now())
  message.content = textOf(message.parts)
  message.error = error ?? null
  message.status = statusAfter(message)
  for (const part of message.parts)
    if (part.type === 'tool_use' && part.state === 'started') part.state = 'unknown'
  const statements = [
    updateMessage(message),
    cancelApprovals(message.id, now),
    addUsage(message.conversation_id, message),
    refreshStatus(message.conversation_id, now),
    queueFollower(context, turnKind, message.id),
  ]
  const data = { conversation_id: message.conversation_id, message_id: message.id }
  const failed = { type: 'agent.run.failed', data: { ...data, code: error?.code } }
  const events = error
    ? [failed]
    : [
        { type: 'message.sent', data },
        { type: 'agent.run.finished', data },
      ]
  return { statements, events, announce: () => lastWord(log, message) }
}

/** The conversation is gone, and with it what there was to store; those who follow are told all the same. */
export function endDeleted(context: Context, messageId: string): WorkEnding {
  const error: MessageError = { code: 'cancelled', message: 'The conversation was deleted' }
  return {
    statements: [queueFollower(context, turnKind, messageId)],
    announce: () => liveTurns(context).open(messageId).emit('error', error),
  }
}

function statusAfter({ error, content }: Message): Message['status'] {
  if (!error) return 'complete'
  if (error.code === 'interrupted' || error.code === 'cancelled') return 'interrupted'
  // What a budget cuts has begun well.
  return error.code === 'budget_exceeded' && content !== '' ? 'interrupted' : 'error'
}
