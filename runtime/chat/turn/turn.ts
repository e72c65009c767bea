import type { Context } from '../../context.ts'
import { ModelError } from '../../ports/models.ts'
import { iso } from '../../time.ts'
import type { WorkEnding, WorkOutcome } from '../../work/kind.ts'
import { Cancelled, Stopping } from '../../work/run.ts'
import type { Work } from '../../work/schema.ts'
import { resumeIfAnswered } from '../approval-store.ts'
import { fallbackCheckIn, systemCheckIn, withCheckIn } from '../check-ins/after-turn.ts'
import { withDelivered } from '../check-ins/begin.ts'
import { refreshStatus } from '../conversation-store.ts'
import { findMessage } from '../message-store.ts'
import type { MessageError } from '../schema.ts'
import { withTitle } from '../title-work.ts'
import { endDeleted, endTurn } from './end.ts'
import { keepInMemory, withMemory } from './keep.ts'
import { loopReason } from './loop-guard.ts'
import { modelStep } from './model-step.ts'
import { prepareTurn } from './prepare.ts'
import { retell } from './replay.ts'
import { isAsking, openCalls, type Turn } from './state.ts'
import { withinLimit } from './time-limit.ts'
import { toolStep } from './tool-step.ts'
import { TurnError } from './turn-error.ts'

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
  const log = context.process.turns.open(message.id)
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
  const log = context.process.turns.open(message.id)
  const ending = await withDelivered(context, message.id, endTurn(context, { message, log, error }))
  return error === stopped ? withCheckIn(ending, await systemCheckIn(context, message)) : ending
}
