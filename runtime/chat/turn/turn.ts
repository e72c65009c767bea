import { agentSettings, answeringAgent } from '../../agents/index.ts'
import { profile } from '../../auth/profile.ts'
import type { Context } from '../../context.ts'
import { event } from '../../events/event.ts'
import type { TurnSpender } from '../../ledger/spender.ts'
import { ModelError } from '../../ports/models.ts'
import type { Attributes } from '../../ports/tracer.ts'
import { chooseModel } from '../../providers/index.ts'
import { interfaceSettings } from '../../sections/interface.ts'
import { readSection } from '../../sections/section.ts'
import { hour, iso, second } from '../../time.ts'
import { withFinder } from '../../tools/find-tools.ts'
import { toolsFor } from '../../tools/registry.ts'
import { type Hold, within } from '../../within.ts'
import type { WorkEnding, WorkOutcome } from '../../work/kind.ts'
import { Postponed } from '../../work/postponed.ts'
import { Cancelled, Stopping } from '../../work/run.ts'
import type { Work } from '../../work/schema.ts'
import { queueFollower } from '../../work/store.ts'
import { applyEvent, eventsOf, lastEventOf, openCalls, textOf } from '../answer.ts'
import { cancelApprovals, cancelQuestions, resumeIfAnswered } from '../approval-store.ts'
import {
  closeDelivered,
  fallbackCheckIn,
  mayReturnTo,
  systemCheckIn,
  withCheckIn,
  withDelivered,
} from '../check-ins.ts'
import { addUsage, findConversation, refreshStatus, type StoredConversation } from '../conversation-store.ts'
import { liveTurns, replay } from '../live.ts'
import { findMessage, updateMessage } from '../message-store.ts'
import { type DelegatedBy, type Message, type MessageError, turnKind } from '../schema.ts'
import { withTitle } from '../title-work.ts'
import { keepInMemory, remember } from './memory.ts'
import { modelStep } from './model-step.ts'
import { needsNote, noteOf } from './prompt.ts'
import { endOfInterrupted, resumption, withoutBrokenStep } from './resume.ts'
import { type Turn, TurnError } from './state.ts'
import { loopReason, toolStep } from './tool-step.ts'

/**
 * Generates one answer: the model runs, then its tools, and so on until it calls no more tools. The turn
 * continues without its client and is suspended while it waits for a person. An interrupted one resumes or is marked:
 * see `resumption`.
 */
export async function runTurn(work: Work, context: Context): Promise<WorkOutcome> {
  const settings = await readSection(context, agentSettings)
  const { timeout_seconds } = settings
  const late = new TurnError('timeout', `The answer took longer than ${timeout_seconds} s`, 'time')
  return within(context, { milliseconds: timeout_seconds * second, late }, (signal, hold) =>
    answer(work, { ...context, signal }, { settings, hold }),
  )
}

type Limits = { settings: Turn['settings']; hold: Hold }

async function answer(work: Work, context: Context, limits: Limits): Promise<WorkOutcome> {
  let turn: Turn | null = null
  try {
    turn = await prepareTurn(work, context, limits)
    if (!turn) return { status: 'cancelled', ...endDeleted(context, work.subject) }
    if ((await steps(turn)) === 'waiting') return suspend(turn)
    const kept = await keepInMemory(turn)
    const ending = endAnswer(context, turn.message)
    const titled = await withTitle({ ...ending, statements: [...ending.statements, ...kept] }, context, turn)
    const armed = await fallbackCheckIn(turn)
    return { status: 'succeeded', ...withCheckIn(titled, armed) }
  } catch (thrown) {
    if (thrown instanceof Postponed && turn && !context.signal.aborted) throw thrown.with(waiting(turn, thrown))
    if (context.signal.reason instanceof Stopping && (await resumption(work, context))) throw thrown
    return failed(work, context, { message: turn?.message, thrown })
  }
}

/**
 * How long a turn waits for a vendor that refuses calls or is down, in milliseconds. Work that nobody watches waits; a person
 * in front of a chat is told at once; in a channel, a message says that it takes long.
 */
const maxWaits: Record<StoredConversation['kind'], number> = {
  user: 0,
  channel: 12 * hour,
  scheduled: Number.POSITIVE_INFINITY,
  internal: Number.POSITIVE_INFINITY,
  loop: Number.POSITIVE_INFINITY,
}

/** The answer so far is stored, and those who follow it or what it works for learn until when it waits. */
function waiting(turn: Turn, { until, code, message, broken }: Postponed): WorkEnding {
  const { context, conversation, work } = turn
  const { loop_id } = (work.payload.spender ?? {}) as TurnSpender
  const seconds = Math.ceil((until - context.clock.now()) / second)
  const model = `${turn.access.provider}/${turn.access.model}`
  const answer = broken ? withoutBrokenStep(turn.message) : turn.message
  context.log.write('info', 'a turn waits', { work: work.id, until: iso(until), reason: message })
  return {
    statements: [updateMessage({ ...answer, content: textOf(answer.parts) })],
    events: [
      event('conversation.updated', { conversation_id: conversation.id }),
      ...(conversation.project_id ? [event('project.updated', { project_id: conversation.project_id })] : []),
      ...(loop_id ? [event('loop.updated', { loop_id, status: 'waiting' })] : []),
    ],
    announce: () => {
      // A client drops the text of the broken step.
      for (const event of broken ? eventsOf(answer) : []) turn.log.emit(event)
      turn.log.emit({ event: 'retry', data: { model, reason: code, seconds, asked: false } })
    },
  }
}

/** Collects what a turn needs. Null if its conversation or message was deleted. Throws `ModelError`. */
async function prepareTurn(work: Work, context: Context, { settings, hold }: Limits): Promise<Turn | null> {
  const stored = await findMessage(context, work.subject)
  const conversation = stored && (await findConversation(context, stored.conversation_id))
  if (!stored || !conversation) return null
  await closeDelivered(context, stored.id)
  if (stored.parts.some((part) => part.type === 'approval' && part.question))
    await context.commit([cancelQuestions(stored.id, iso(context.clock.now()))])
  const answering = await answeringAgent(context, conversation)
  if (!answering.ok) throw new ModelError('cancelled', answering.reason)
  const { agent } = answering
  const recalled = remember({ context, conversation, agent, message: stored })
  const pinned = typeof work.payload.model === 'string' ? work.payload.model : conversation.model
  const access = await chooseModel(context, pinned, agent.model)
  const message = { ...stored, model: access.model, provider: access.provider }
  const log = liveTurns(context).open(message.id)
  // What clients know of a turn that another process ran so far may lack its last step.
  if (log.length === 0 || (context.process.shared && !log.live)) await replay(context, log, message)
  log.live = true
  const { about, instructions, max_wait, without_tools = [] } = work.payload
  const delegated = work.payload.delegated_by as DelegatedBy | undefined
  const source = delegated ? await callerOf(context, delegated) : conversation
  const unattended = source.kind !== 'user'
  const tools = await toolsFor(agent, context, { unattended })
  const { display_name, timezone } = await readSection(context, profile)
  const turn: Turn = {
    context,
    work,
    conversation,
    agent,
    settings,
    // Who writes in a messenger may be somebody else, and sees no forms.
    hold: source.kind === 'channel' ? null : hold,
    instructions: typeof instructions === 'string' ? instructions : agent.system_prompt,
    about: typeof about === 'string' ? about : '',
    tools: withFinder(
      tools.filter(
        ({ name }) => isAllowed(name, conversation, delegated) && !(without_tools as string[]).includes(name),
      ),
    ),
    requested_tools: [],
    access,
    message,
    log,
    max_wait: typeof max_wait === 'number' ? max_wait : maxWaits[source.kind],
    begun: context.clock.now(),
    timezone,
    person: display_name,
    language: await languageOf(context),
    files: [],
    recalled: new Map(),
    shortened: new Map(),
    changes: Promise.resolve(),
  }
  turn.recalled = new Map([[message.id, await recalled(turn)]])
  if (needsNote(turn)) turn.message = { ...turn.message, parts: [...turn.message.parts, noteOf(turn)] }
  context.span?.set(spanAttributes(turn))
  return turn
}

/** The English name of the language that the owner has chosen; empty if there is none. */
async function languageOf(context: Context): Promise<string> {
  const { language } = await readSection(context, interfaceSettings)
  return language === 'system' ? '' : (new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language)
}

/** What relates the trace of a turn to its conversation, and to the run of a job, loop or project that started it. */
function spanAttributes({ agent, conversation, work }: Turn): Attributes {
  const { job_id, loop_id, run_ref } = (work.payload.spender ?? {}) as TurnSpender
  const { project_id } = conversation
  return {
    'gen_ai.agent.id': agent.id,
    'gen_ai.conversation.id': conversation.id,
    ...(job_id && { 'job.id': job_id }),
    ...(loop_id && { 'loop.id': loop_id }),
    ...(project_id && { 'project.id': project_id }),
    ...(run_ref && { 'run.id': run_ref }),
  }
}

/** The conversation that has delegated a turn, while its answer waits for the result. */
async function callerOf(context: Context, { message_id }: DelegatedBy): Promise<StoredConversation> {
  const message = await findMessage(context, message_id)
  const caller = message?.status === 'streaming' && (await findConversation(context, message.conversation_id))
  if (!caller) throw new ModelError('cancelled', 'The answer that delegated this has ended')
  return caller
}

const isAllowed = (name: string, conversation: StoredConversation, delegated?: DelegatedBy): boolean =>
  (name !== 'arm_check_in' || mayReturnTo(conversation)) && (!delegated || mayDelegate(name, delegated))

/** A helper neither delegates further nor does what needs the person or outlives it. */
const mayDelegate = (name: string, { tools }: DelegatedBy): boolean =>
  !['delegate', 'ask_user', 'schedule_job', 'cancel_job', 'project', 'loop'].includes(name) &&
  (tools === undefined || tools.includes(name))

async function steps(turn: Turn): Promise<'waiting' | 'ended'> {
  for (let step = countSteps(turn.message); ; step += 1) {
    if (openCalls(turn.message).length > 0) {
      const result = await toolStep(turn)
      if (result !== 'answered') return result
    }
    if (step >= turn.agent.max_steps)
      throw new TurnError('tool_error', `The agent's limit of ${turn.agent.max_steps} steps is reached`, 'steps')
    await modelStep(turn)
    if (openCalls(turn.message).length === 0) return 'ended'
    const loop = loopReason(turn.message.parts)
    if (loop) throw new TurnError('loop_detected', loop)
  }
}

/** The steps before the turn was suspended: each ended with one tool call or several in a row. */
function countSteps({ parts }: Message): number {
  const kinds = parts.map(({ type }) => type).filter((type) => type.startsWith('tool_'))
  return kinds.filter((type, index) => type === 'tool_use' && kinds[index - 1] !== 'tool_use').length
}

/**
 * Suspends the turn until a person answers. If the answer came before this commit, the turn is queued again at
 * once.
 */
function suspend({ context, conversation, message, work }: Turn): WorkOutcome {
  const waiting = message.parts.filter((part) => part.type === 'tool_use' && part.state === 'waiting').length
  return {
    status: 'waiting',
    statements: [
      resumeIfAnswered(work.id, message.id, waiting),
      refreshStatus(conversation.id, iso(context.clock.now())),
    ],
    events: [{ type: 'conversation.updated', data: { conversation_id: conversation.id } }],
  }
}

/**
 * The rows and events of an answer's end. Its stream ends with one `done` or `error`, sent after everything
 * is stored.
 */
function endAnswer(context: Context, answer: Message, error?: MessageError) {
  const now = iso(context.clock.now())
  const { id: message_id, conversation_id } = answer
  const last = lastEventOf({ ...answer, error: error ?? null })
  const message = applyEvent(answer, last)
  const data = { conversation_id, message_id }
  return {
    statements: [
      updateMessage(message),
      cancelApprovals(message_id, now),
      addUsage(conversation_id, message),
      refreshStatus(conversation_id, now),
      queueFollower(context, turnKind, message_id),
    ],
    events: error
      ? [event('agent.run.failed', { ...data, code: error.code })]
      : [event('message.sent', data), event('agent.run.finished', data)],
    announce: () => liveTurns(context).open(message_id).emit(last),
  }
}

/** The conversation was deleted, so there is nothing to store; clients that follow it are still notified. */
function endDeleted(context: Context, message: string): WorkEnding {
  const data: MessageError = { code: 'cancelled', message: 'The conversation was deleted' }
  return {
    statements: [queueFollower(context, turnKind, message)],
    announce: () => liveTurns(context).open(message).emit({ event: 'error', data }),
  }
}

async function failed(
  work: Work,
  context: Context,
  cause: { message: Message | undefined; thrown: unknown },
): Promise<WorkOutcome> {
  const message = cause.message ?? (await findMessage(context, work.subject))
  if (!message) return { status: 'cancelled', ...endDeleted(context, work.subject) }
  const isStopped = context.signal.reason instanceof Stopping
  const error = isStopped ? endOfInterrupted(work, message) : errorOf(context, cause.thrown)
  const log = liveTurns(context).open(message.id)
  // A client that named no conversation learns the id of the new one from `message_start`.
  if (log.length === 0) await replay(context, log, message)
  const status = error.code === 'cancelled' ? 'cancelled' : 'failed'
  return { status, output: { ...error }, ...(await endFailed(context, message, error, isStopped)) }
}

function errorOf(context: Context, thrown: unknown): MessageError {
  const reason: unknown = context.signal.aborted ? context.signal.reason : thrown
  if (reason instanceof Cancelled) return { code: 'cancelled', message: reason.message }
  if (reason instanceof TurnError)
    return { code: reason.code, message: reason.message, ...(reason.limit && { limit: reason.limit }) }
  if (reason instanceof ModelError)
    return {
      code: reason.code,
      message: reason.message,
      ...(reason.code === 'budget_exceeded' && { limit: 'money' }),
    }
  const cause = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
  context.log.write('error', 'a turn failed', { work: context.request_id, cause })
  return { code: 'internal_error', message: 'Something went wrong here; the log has the details' }
}

async function endFailed(
  context: Context,
  message: Message,
  error: MessageError,
  isStopped: boolean,
): Promise<WorkEnding> {
  const ending = await withDelivered(context, message.id, endAnswer(context, message, error))
  return isStopped ? withCheckIn(ending, await systemCheckIn(context, message)) : ending
}

/** Ends a turn that was not running, or whose process died or stops. */
export async function endedOutside(
  work: Work,
  status: 'lost' | 'cancelled' | 'failed',
  context: Context,
): Promise<WorkEnding> {
  const message = await findMessage(context, work.subject)
  if (!message) return endDeleted(context, work.subject)
  if (message.status !== 'streaming') return {}
  const cancelled: MessageError = { code: 'cancelled', message: 'Stopped before it was answered' }
  const isCancelled = status === 'cancelled'
  const error = isCancelled ? cancelled : endOfInterrupted(work, message)
  return endFailed(context, message, error, !isCancelled)
}
