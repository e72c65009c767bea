import { workingAgent } from '../agents/index.ts'
import {
  doneBefore,
  draft,
  findConversation,
  insertGoal,
  insertMessage,
  newTurn,
  stopTurn,
  updateConversation,
  waitedFor,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import { newId } from '../id.ts'
import { prompt } from '../prompts/prompt.ts'
import { iso, minute } from '../time.ts'
import { wrapUntrusted } from '../untrusted.ts'
import type { WorkKind } from '../work/kind.ts'
import { insertWork } from '../work/store.ts'
import { deadlineKind, iterateKind, iterationEndKind } from './kinds.ts'
import { findLoopOfRun, listIterations, type StoredIteration, type StoredLoop, saveIteration } from './loop-store.ts'
import { changeLoop, type Step } from './loops.ts'
import type { Verification } from './schema.ts'
import { finish } from './steps.ts'
import { criteriaOf, spenderOf } from './verify.ts'

/** Starts the next iteration of a run. A redundant unit, or one that runs again after a crash, changes nothing. */
export const loopIterate: WorkKind = {
  kind: iterateKind,
  max_running: 8,
  after_crash: 'retry',
  // The loop waits for it, however long the disk is full.
  retry: { max_attempts: Number.POSITIVE_INFINITY, delay_seconds: (attempt) => Math.min(attempt, 5) },
  async run({ subject }, context) {
    const loop = await findLoopOfRun(context, subject)
    if (loop) await changeLoop(context, loop.id, (current) => nextIteration(context, current, subject))
    return { status: 'succeeded' }
  },
}

async function nextIteration(context: Context, loop: StoredLoop, run_id: string): Promise<Step | null> {
  const isDue = loop.status === 'running' || loop.status === 'waiting'
  const now = context.clock.now()
  if (loop.run_id !== run_id || !isDue || (loop.next_at !== null && Date.parse(loop.next_at) > now)) return null
  const last = (await listIterations(context, run_id)).at(-1)
  if (last?.status === 'running' || last?.status === 'verifying') return null
  const again = last?.status === 'interrupted' ? last : null
  const over = overLimit(loop, again !== null)
  if (over) return finish(context, loop, { status: 'failed', ...over })
  try {
    return await startIteration(context, loop, again)
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return finish(context, loop, { status: 'failed', stop_reason: 'error', error: thrown.message })
  }
}

/** Which limit of the run is reached; null if another iteration may start. */
export function overLimit(
  { iteration, max_iterations, budget, active_seconds, tokens_used, cost_usd }: StoredLoop,
  again: boolean,
): { stop_reason: 'max_iterations' | 'budget'; error: string } | null {
  if (!again && iteration >= max_iterations)
    return {
      stop_reason: 'max_iterations',
      error: `The goal is not reached after ${iteration} iterations; raise the maximum and resume`,
    }
  const spent = [
    budget.minutes !== null && active_seconds >= budget.minutes * 60 && `${budget.minutes} minutes`,
    budget.tokens !== null && tokens_used >= budget.tokens && `${budget.tokens} tokens`,
    budget.usd !== null && cost_usd >= budget.usd && `$${budget.usd}`,
  ].find((one) => one !== false)
  if (spent === undefined) return null
  return { stop_reason: 'budget', error: `The budget of ${spent} is used up; raise it and resume` }
}

async function startIteration(context: Context, loop: StoredLoop, again: StoredIteration | null): Promise<Step> {
  const agent = await workingAgent(context, loop.agent_id)
  const conversation = loop.conversation_id && (await findConversation(context, loop.conversation_id))
  if (!conversation) throw new Fault(409, 'conflict', 'Its conversation was deleted; start it again')
  const now = context.clock.now()
  const index = again?.index ?? loop.iteration + 1
  const id = again?.id ?? newId('iter', now)
  const steering = [...(again?.steering ?? []), ...loop.steering]
  const note = draft(context, conversation.id, {
    role: 'system',
    content: noteOf({ ...loop, steering }, { index, again: again !== null, tainted: conversation.tainted }),
  })
  const goal = draft(context, conversation.id, { role: 'user', content: loop.goal })
  const turn = newTurn(context, conversation.id, {
    spender: { ...spenderOf(loop, id) },
    followed_by: { kind: iterationEndKind, subject: id },
    queued: true,
  })
  const iteration: StoredIteration = {
    ...(again ?? { tokens: 0, cost_usd: 0, started_at: iso(now) }),
    id,
    steering,
    run_id: loop.run_id ?? '',
    index,
    status: 'running',
    summary: '',
    actions: again?.actions ?? [],
    verdict: null,
    error: null,
    message_id: turn.answer.id,
    ended_at: null,
  }
  const { id: loop_id, run_id } = loop
  return {
    loop: {
      ...loop,
      status: 'running',
      iteration: index,
      next_at: null,
      steering: [],
      stop_reason: null,
      error: null,
    },
    statements: [
      // The settings of the loop may have changed.
      updateConversation(conversation.id, { agent_id: agent.id, execution_mode: loop.execution_mode }),
      saveIteration(iteration),
      insertMessage(note),
      ...insertGoal(goal, loop.trust),
      ...turn.statements,
      ...deadline(context, loop, turn.answer.id),
    ],
    events: [
      event('loop.iteration.started', { loop_id, run_id: run_id ?? '', iteration_id: id, index }),
      event('agent.run.started', { conversation_id: conversation.id, message_id: turn.answer.id }),
    ],
  }
}

const checks: Record<Verification['kind'], string> = {
  judge: 'by a second model, from the results',
  command: 'by a program',
  http: 'by an HTTP request',
  human: 'by the owner',
}

/** Instructions before each iteration: settings may have changed, and older messages may be summarised. */
function noteOf(
  loop: StoredLoop,
  { index, again, tainted }: { index: number; again: boolean; tainted: boolean },
): string {
  const { name, max_iterations, constraints, last_verdict, steering, verified_by, on_blocked } = loop
  const missing = last_verdict?.missing.join('\n') || last_verdict?.evidence || 'no details'
  return prompt('loop', {
    index: String(index),
    max: String(max_iterations),
    name,
    check: checks[verified_by],
    criteria: criteriaOf(loop),
    constraints,
    missing: last_verdict ? prompt('loop-missing', { missing: tainted ? wrapUntrusted(missing) : missing }) : '',
    steering: steering.map((text) => `The owner says: ${text}`).join('\n\n'),
    interrupted: again ? prompt('loop-interrupted', { done: doneBefore }) : '',
    questions: prompt(on_blocked === 'ask' ? 'asks-owner' : 'decides-alone'),
  })
}

/** Work that stops the turn when the minutes of the budget are over. */
function deadline(context: Context, { budget, active_seconds }: StoredLoop, message: string) {
  if (budget.minutes === null) return []
  const due = context.clock.now() + budget.minutes * minute - active_seconds * 1_000
  const payload = { deadline: iso(due) }
  return [insertWork(context, { kind: deadlineKind, subject: message, payload, due }).statement]
}

/** Stops the turn of an iteration whose loop has used up its minutes, or was stopped. Waiting for a vendor does not count. */
export const loopDeadline: WorkKind = {
  kind: deadlineKind,
  max_running: 8,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: () => 5 },
  async run({ subject, payload }, context) {
    const { deadline } = payload as { deadline?: string }
    const due = deadline === undefined ? 0 : Date.parse(deadline) + (await waitedFor(context, subject))
    if (due > context.clock.now()) {
      const later = insertWork(context, { kind: deadlineKind, subject, payload, due })
      return { status: 'succeeded', statements: [later.statement] }
    }
    await stopTurn(context, subject)
    return { status: 'succeeded' }
  },
}
