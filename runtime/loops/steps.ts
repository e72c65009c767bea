import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import type { Statement } from '../ports/sql.ts'
import { endOf } from '../scheduler/index.ts'
import { iso, second } from '../time.ts'
import { insertWork } from '../work/store.ts'
import { iterateKind } from './kinds.ts'
import type { StoredLoop } from './loop-store.ts'
import type { Step } from './loops.ts'
import type { LoopQuestion, StopReason } from './schema.ts'

/** Queues the next iteration of the current run. */
export const iterateWork = (context: Context, { run_id }: StoredLoop, due?: number): Statement =>
  insertWork(context, {
    kind: iterateKind,
    subject: run_id ?? '',
    lane: run_id ?? '',
    ...(due === undefined ? {} : { due }),
  }).statement

/** The next iteration, `seconds` from now. */
export function scheduleNext(context: Context, loop: StoredLoop, seconds: number): Step {
  const due = context.clock.now() + seconds * second
  const next: StoredLoop =
    seconds > 0 ? { ...loop, status: 'waiting', next_at: iso(due) } : { ...loop, status: 'running', next_at: null }
  return { loop: next, statements: [iterateWork(context, next, due)] }
}

const ended = { pausing: false, question: null, next_at: null }

/** Notifies the scheduler that the run of its job has ended. */
export const reportEnd = (context: Context, { job }: StoredLoop): Statement[] =>
  job ? [insertWork(context, endOf({ id: job.run_id })).statement] : []

interface Ending {
  status: 'completed' | 'failed' | 'cancelled'
  stop_reason: StopReason
  error: string | null
}

export function finish(context: Context, loop: StoredLoop, ending: Ending): Step {
  const { id: loop_id, name, run_id } = loop
  return {
    loop: { ...loop, ...ended, ...ending, ended_at: iso(context.clock.now()), job: null },
    statements: reportEnd(context, loop),
    events: [event('loop.finished', { loop_id, run_id: run_id ?? '', name, ...ending })],
  }
}

/** Pauses the run until somebody resumes it. */
export const pause = (loop: StoredLoop, stop_reason: StopReason | null, error: string | null): Step => ({
  loop: { ...loop, ...ended, status: 'paused', stop_reason, error },
})

/** Asks the owner, pauses or fails, as the loop's `on_blocked` says. What only a person can verify always asks. */
export function block(
  context: Context,
  loop: StoredLoop,
  { stop_reason, ...input }: Omit<LoopQuestion, 'asked_at'> & { stop_reason: StopReason | null },
): Step {
  const how = input.kind === 'verify' ? 'ask' : loop.on_blocked
  const error = input.kind === 'verify' ? null : input.question
  if (how === 'pause') return pause(loop, stop_reason, error)
  if (how === 'fail') return finish(context, loop, { status: 'failed', stop_reason: stop_reason ?? 'blocked', error })
  const question: LoopQuestion = { ...input, asked_at: iso(context.clock.now()) }
  const { id: loop_id, name, run_id } = loop
  return {
    loop: { ...loop, ...ended, status: 'blocked', stop_reason, error, question },
    events: [event('loop.blocked', { loop_id, run_id: run_id ?? '', name, question })],
  }
}

/** Adds to what is stored and announced with a step. */
export const withMore = (step: Step, more: { statements?: Statement[]; events?: EventInput[] }): Step => ({
  loop: step.loop,
  statements: [...(more.statements ?? []), ...(step.statements ?? [])],
  events: [...(more.events ?? []), ...(step.events ?? [])],
})
