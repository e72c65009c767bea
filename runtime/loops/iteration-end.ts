import {
  callsIn,
  changesIn,
  findMessage,
  type Message,
  permanentErrors,
  questionIn,
  taintConversation,
  waitedFor,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { spentBy } from '../ledger/ledger-store.ts'
import { offlineProvider } from '../models/models.ts'
import { iso } from '../time.ts'
import { cut } from '../tools/text.ts'
import type { WorkKind } from '../work/kind.ts'
import { insertWork } from '../work/store.ts'
import { overLimit } from './iterate.ts'
import { iterationEndKind } from './kinds.ts'
import {
  findIteration,
  findLoopOfRun,
  listIterations,
  type StoredAction,
  type StoredIteration,
  type StoredLoop,
  saveIteration,
} from './loop-store.ts'
import { changeLoop, type Step } from './loops.ts'
import type { Verdict } from './schema.ts'
import { block, finish, pause, scheduleNext, withMore } from './steps.ts'
import { stuckIterations } from './stuck.ts'
import { type Verified, verify } from './verify.ts'

/**
 * Ends an iteration whose turn has ended: first what the agent did is stored, then it is verified. A unit that runs again
 * after a crash continues with the verification.
 */
export const iterationEnd: WorkKind = {
  kind: iterationEndKind,
  max_running: 8,
  timeout_seconds: 600,
  after_crash: 'retry',
  retry: { max_attempts: 3, delay_seconds: (attempt) => attempt },
  async run({ subject }, context) {
    const iteration = await findIteration(context, subject)
    const loop = iteration && (await findLoopOfRun(context, iteration.run_id))
    if (!iteration || !loop) return { status: 'succeeded' }
    if (iteration.status === 'running') await record(context, loop, iteration)
    const recorded = await findIteration(context, subject)
    if (recorded?.status !== 'verifying') return { status: 'succeeded' }
    // A person is asked only once.
    const current = await findLoopOfRun(context, iteration.run_id)
    if (current?.status !== 'running') return { status: 'succeeded' }
    const verified = await verify(context, current, recorded)
    await changeOpen(context, recorded, (latest, open) => afterCheck(context, latest, open, verified))
    return { status: 'succeeded' }
  },
  async ended({ subject }, _, context) {
    const iteration = await findIteration(context, subject)
    if (!iteration) return {}
    const error = 'Its result could not be processed; the log has the details'
    await changeOpen(context, iteration, (loop) => pause(loop, 'error', error))
    return {}
  },
}

/** Changes the loop of an iteration that has not ended. */
async function changeOpen(
  context: Context,
  { id, run_id }: StoredIteration,
  change: (loop: StoredLoop, iteration: StoredIteration) => Step | Promise<Step>,
): Promise<void> {
  const loop = await findLoopOfRun(context, run_id)
  if (!loop) return
  await changeLoop(context, loop.id, async (current) => {
    const iteration = await findIteration(context, id)
    const isOpen = iteration?.status === 'running' || iteration?.status === 'verifying'
    return isOpen && current.run_id === run_id && current.status === 'running' ? change(current, iteration) : null
  })
}

/** Stores what the turn did and what it cost. Without an error or question the iteration waits for its verification. */
async function record(context: Context, loop: StoredLoop, old: StoredIteration): Promise<void> {
  const message = await findMessage(context, old.message_id)
  if (message?.status === 'streaming') return
  await changeOpen(context, old, async (current, open) => {
    const spent = await spentBy(context, { columns: [['run_ref', open.id]], since: null })
    const iteration: StoredIteration = {
      ...open,
      summary: await reportOf(message),
      actions: [...open.actions, ...(message ? await actionsOf(context, message) : [])],
      tokens: spent.tokens,
      cost_usd: spent.usd,
    }
    const named = { loop_id: loop.id, run_id: open.run_id, iteration_id: open.id, index: open.index }
    const events = iteration.actions
      .slice(open.actions.length)
      .map(({ call: _, outcome: __, ...action }) => event('loop.action', { ...named, action }))
    const waited = message ? await waitedFor(context, message.id) : 0
    const began = Date.parse(message?.created_at ?? open.started_at)
    const seconds = Math.max(0, context.clock.now() - began - waited) / 1_000
    // The time in which the daemon was stopped does not count.
    const worked = await counted(context, current, message?.error?.code === 'interrupted' ? 0 : seconds)
    return withMore(await afterTurn(context, worked, { iteration, message }), { events })
  })
}

/** Without the offline model's notes about itself. */
async function reportOf(message: Message | null): Promise<string> {
  const { content = '', provider } = message ?? {}
  if (provider !== offlineProvider) return content
  return (await import('../models/offline/notice.ts')).withoutNotice(content)
}

/** With the spending of the run until now, and with `seconds` more of work. */
async function counted(context: Context, loop: StoredLoop, seconds = 0): Promise<StoredLoop> {
  const spent = await spentBy(context, { columns: [['loop_id', loop.id]], since: loop.started_at })
  return {
    ...loop,
    tokens_used: spent.tokens,
    cost_usd: spent.usd,
    active_seconds: loop.active_seconds + seconds,
  }
}

async function actionsOf(context: Context, message: Message): Promise<StoredAction[]> {
  const fingerprint = (value: unknown) => context.secrets.sha256(JSON.stringify(value) ?? '').slice(0, 16)
  return (await callsIn(context, [message])).map(({ tool, input, summary, is_error, result, output }) => ({
    tool,
    summary,
    is_error,
    result,
    call: fingerprint([tool, input]),
    outcome: fingerprint(output),
  }))
}

interface Ended {
  iteration: StoredIteration
  message: Message | null
}

async function afterTurn(context: Context, loop: StoredLoop, { iteration, message }: Ended): Promise<Step> {
  if (!message) return failing(context, loop, iteration, 'Its conversation was deleted; start it again')
  if (message.error) return afterError(context, loop, { iteration, message })
  const question = questionIn(message)
  if (question) {
    const step = block(context, loop, { kind: 'question', stop_reason: 'blocked', ...question })
    return closed(context, step, { ...iteration, status: 'finished' })
  }
  return { loop, statements: [saveIteration({ ...iteration, status: 'verifying' })] }
}

/** Ends the iteration together with a step of its loop. */
function closed(context: Context, step: Step, iteration: StoredIteration, statements: Step['statements'] = []): Step {
  const ended: StoredIteration = { ...iteration, ended_at: iso(context.clock.now()) }
  const { id: loop_id, name } = step.loop
  const { run_id, id: iteration_id, index, verdict, summary, error } = ended
  const named = { loop_id, run_id, iteration_id, index }
  const verdicts: EventInput[] = verdict ? [event('loop.verdict', { ...named, verdict })] : []
  return withMore(step, {
    statements: [saveIteration(ended), ...statements],
    events: [...verdicts, event('loop.iteration', { ...named, name, summary: cut(summary, 2_000).text, error })],
  })
}

function failing(context: Context, loop: StoredLoop, iteration: StoredIteration, error: string): Step {
  const step = finish(context, loop, { status: 'failed', stop_reason: 'error', error })
  return closed(context, step, { ...iteration, status: 'failed', error })
}

/** Iterations in a row that fail before the loop counts as stuck. */
const maxFailures = 3

async function afterError(
  context: Context,
  loop: StoredLoop,
  { iteration, message }: { iteration: StoredIteration; message: Message },
): Promise<Step> {
  const { code, message: error } = message.error ?? { code: 'internal_error', message: 'It failed' }
  const failed: StoredIteration = { ...iteration, status: 'failed', error }
  const cut = code === 'interrupted' ? await changeCut(context, message) : null
  if (cut !== null) return askToRepeat(context, loop, failed, cut)
  if (code === 'budget_exceeded' || outOfTime(loop)) {
    const reason = code === 'budget_exceeded' ? error : `The budget of ${loop.budget.minutes} minutes is used up`
    const step = finish(context, loop, { status: 'failed', stop_reason: 'budget', error: reason })
    return closed(context, step, failed)
  }
  if (code === 'cancelled') {
    const step = pause(loop, 'cancelled', 'Its turn was stopped in the conversation; resume to continue')
    return closed(context, step, { ...failed, status: 'cancelled' })
  }
  if (permanentErrors.includes(code)) return failing(context, loop, iteration, error)
  const failures = loop.failures + 1
  if (code === 'loop_detected' || failures >= maxFailures)
    return closed(context, stuck(context, { ...loop, failures }, error), failed)
  return closed(context, next(context, { ...loop, failures }, 10 * 2 ** failures), failed)
}

const outOfTime = ({ budget, active_seconds }: StoredLoop) =>
  budget.minutes !== null && active_seconds >= budget.minutes * 60

/** A question about changes that an interrupted iteration may have made unnoticed; null if it made none. */
async function changeCut(context: Context, message: Message): Promise<string | null> {
  const [unknown] = await changesIn(context, [message], 'unknown')
  const [repeated] = message.provider === offlineProvider ? await changesIn(context, [message], 'done') : []
  const change = unknown ?? repeated
  if (change === undefined) return null
  const effect = unknown ? 'It may or may not have taken effect.' : 'Doing it again repeats it.'
  return `The daemon stopped while the loop did this: ${change}. ${effect}`
}

/** Asks the owner whether to repeat the iteration. */
function askToRepeat(context: Context, loop: StoredLoop, iteration: StoredIteration, question: string): Step {
  const repeat = { kind: 'repeat' as const, question, options: ['Try again', 'Skip'] }
  const interrupted = { ...iteration, status: 'interrupted' as const }
  const step = block(context, loop, { ...repeat, stop_reason: 'blocked' })
  return withMore(step, { statements: [saveIteration(interrupted)] })
}

const stuck = (context: Context, loop: StoredLoop, reason: string): Step =>
  block(context, loop, {
    kind: 'stuck',
    question: `The loop seems to be stuck: ${reason}. What should it do differently?`,
    options: ['Continue', 'Stop'],
    stop_reason: 'stuck',
  })

/** The next step after an iteration that did not reach the goal. */
function next(context: Context, loop: StoredLoop, min_seconds = 0): Step {
  const over = overLimit(loop, false)
  if (over) return finish(context, loop, { status: 'failed', ...over })
  if (loop.pausing) return pause(loop, null, null)
  return scheduleNext(context, loop, Math.max(loop.interval_seconds, min_seconds))
}

/** Judge errors in a row that pause the loop. */
const maxJudgeErrors = 2
/** Seconds until a verification that failed is tried again. */
const retryAfter = 10

async function afterCheck(
  context: Context,
  loop: StoredLoop,
  iteration: StoredIteration,
  verified: Verified,
): Promise<Step> {
  const worked = await counted(context, loop)
  if ('ask' in verified) {
    const options = ['Accept', 'Keep going']
    return block(context, worked, { kind: 'verify', question: verified.ask, options, stop_reason: null })
  }
  if ('over_budget' in verified) {
    const error = verified.over_budget
    const step = finish(context, worked, { status: 'failed', stop_reason: 'budget', error })
    return closed(context, step, { ...iteration, status: 'finished', error })
  }
  if ('error' in verified) {
    const judge_errors = worked.judge_errors + verified.weight
    const error = `The result could not be verified, so the goal does not count as reached: ${verified.error}`
    const counting = { ...worked, judge_errors }
    if (judge_errors >= maxJudgeErrors) return pause(counting, 'judge_error', error)
    const due = context.clock.now() + retryAfter * 1_000
    return {
      loop: { ...counting, error },
      statements: [insertWork(context, { kind: iterationEndKind, subject: iteration.id, due }).statement],
    }
  }
  const spent = await spentBy(context, { columns: [['run_ref', iteration.id]], since: null })
  const checked = { ...iteration, tokens: spent.tokens, cost_usd: spent.usd }
  return judged(context, worked, checked, verified)
}

/** Iterations that are this far apart wait for something outside: only repetition within one of them counts. */
const pollingSeconds = 60

/** Whether the offline model only said something: it would say the same again. */
async function isOfflineAnswer(context: Context, { actions, message_id }: StoredIteration): Promise<boolean> {
  return actions.length === 0 && (await findMessage(context, message_id))?.provider === offlineProvider
}

export async function judged(
  context: Context,
  loop: StoredLoop,
  iteration: StoredIteration,
  { verdict, untrusted, failed = false }: { verdict: Verdict; untrusted: boolean; failed?: boolean },
): Promise<Step> {
  const judge_errors = failed ? loop.judge_errors + 1 : 0
  const after: StoredLoop = { ...loop, last_verdict: verdict, error: null, judge_errors, failures: 0 }
  const finished: StoredIteration = { ...iteration, status: 'finished', verdict }
  const taints = untrusted && loop.conversation_id ? [taintConversation(loop.conversation_id)] : []
  if (verdict.complete) {
    const step = finish(context, after, { status: 'completed', stop_reason: 'complete', error: null })
    return closed(context, step, finished, taints)
  }
  if (judge_errors >= maxJudgeErrors)
    return closed(context, pause(after, 'judge_error', verdict.missing.join('; ')), finished, taints)
  const polls = loop.interval_seconds >= pollingSeconds
  if (!polls && (await isOfflineAnswer(context, finished))) {
    const error = `The goal is not reached, and the offline model used no tool, so another iteration would do the same. It answered: ${finished.summary}`
    const step = finish(context, after, { status: 'failed', stop_reason: 'error', error })
    return closed(context, step, { ...finished, error }, taints)
  }
  const earlier = polls ? [] : await listIterations(context, iteration.run_id)
  const watched = earlier.filter(({ index }) => index > loop.watched_from && index < iteration.index)
  const reason = stuckIterations([...watched, finished])
  const step = reason ? stuck(context, after, reason) : next(context, after)
  return closed(context, step, finished, taints)
}
