import { workingAgent } from '../agents/index.ts'
import { createdEvent, draftConversation, insertConversation, NewConversation, stopTurns } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, invalidField } from '../fault.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { unmountFolder } from '../tools/store.ts'
import { loopRoot, openMount } from '../tools/workspace.ts'
import { insertWork } from '../work/store.ts'
import { overLimit } from './iterate.ts'
import { judged } from './iteration-end.ts'
import { deadlineKind, iterationEndKind } from './kinds.ts'
import {
  deleteLoop,
  findLoop,
  listIterations,
  type StoredIteration,
  type StoredLoop,
  saveIteration,
} from './loop-store.ts'
import { changeOwnLoop, notStarted, requireLoop, type Step } from './loops.ts'
import type { Loop, LoopStatus } from './schema.ts'
import { finish, iterateWork, pause, reportEnd, scheduleNext, withMore } from './steps.ts'
import { requireVerifier, verifierOf } from './verify.ts'

const unstarted: readonly LoopStatus[] = ['draft', 'completed', 'failed', 'cancelled']

export const startLoop = (context: Context, id: string): Promise<Loop> =>
  changeOwnLoop(context, id, (loop) => startOf(context, loop, null))

/** The first step of a run, which a job may have started. */
export async function startOf(context: Context, loop: StoredLoop, job: StoredLoop['job']): Promise<Step> {
  if (!unstarted.includes(loop.status)) throw conflict(`The loop is ${loop.status}; it has already started`)
  const agent = await workingAgent(context, loop.agent_id)
  await requireVerifier(context, loop)
  const verified_by = await verifierOf(context, loop)
  // A folder that is gone is reported now and not in the first iteration.
  await openMount(context, loopRoot(loop.id))
  const now = context.clock.now()
  const input = NewConversation.parse({ title: loop.name, agent_id: agent.id })
  const drafted = await draftConversation(context, input)
  const conversation = { ...drafted, kind: 'loop' as const, execution_mode: loop.execution_mode }
  const run_id = newId('run', now)
  const started: StoredLoop = {
    ...loop,
    ...notStarted,
    verified_by,
    status: 'running',
    steering: loop.steering,
    run_id,
    conversation_id: conversation.id,
    started_at: iso(now),
    job,
  }
  return {
    loop: started,
    statements: [insertConversation(conversation), iterateWork(context, started)],
    events: [createdEvent(conversation), event('loop.started', { loop_id: loop.id, run_id, name: loop.name })],
  }
}

/** Pauses a loop when its current iteration has ended, or at once if it waits for the next one. */
export const pauseLoop = (context: Context, id: string): Promise<Loop> =>
  changeOwnLoop(context, id, async (loop) => {
    if (loop.status === 'paused') return null
    if (loop.status !== 'running' && loop.status !== 'waiting')
      throw conflict(`The loop is ${loop.status}; only a running one can be paused`)
    return (await openIteration(context, loop)) ? { loop: { ...loop, pausing: true } } : pause(loop, null, null)
  })

async function openIteration(context: Context, { run_id }: StoredLoop): Promise<StoredIteration | undefined> {
  const iterations = await listIterations(context, run_id)
  return iterations.find(({ status }) => status === 'running' || status === 'verifying')
}

/** Continues a paused or failed run after its last finished iteration. */
export const resumeLoop = (context: Context, id: string): Promise<Loop> =>
  changeOwnLoop(context, id, async (loop) => {
    if (loop.status === 'running' || loop.status === 'waiting')
      return loop.pausing ? { loop: { ...loop, pausing: false } } : null
    if (loop.status !== 'paused' && loop.status !== 'failed')
      throw conflict(`The loop is ${loop.status}; ${hints[loop.status] ?? 'it cannot be resumed'}`)
    const open = await openIteration(context, loop)
    const last = (await listIterations(context, loop.run_id)).at(-1)
    const over = overLimit(loop, open !== undefined || last?.status === 'interrupted')
    if (over) throw conflict(over.error)
    await requireVerifier(context, loop)
    const verified_by = await verifierOf(context, loop)
    const resumed: StoredLoop = {
      ...loop,
      verified_by,
      status: 'running',
      stop_reason: null,
      error: null,
      ended_at: null,
      judge_errors: 0,
      failures: 0,
      watched_from: loop.iteration,
    }
    if (!open) return scheduleNext(context, resumed, 0)
    const check = insertWork(context, { kind: iterationEndKind, subject: open.id })
    return { loop: resumed, statements: [check.statement] }
  })

const hints: Partial<Record<LoopStatus, string>> = {
  blocked: 'answer its question, or stop it',
  draft: 'start it',
  completed: 'start it again',
  cancelled: 'start it again',
}

/** Stops the turn of an iteration even if the daemon ends before it has done so. */
const stopWork = (context: Context, iteration: StoredIteration | undefined): Statement[] =>
  iteration ? [insertWork(context, { kind: deadlineKind, subject: iteration.message_id }).statement] : []

/** Ends a run now. What its iterations did stays. */
export async function stopLoop(context: Context, id: string): Promise<Loop> {
  const stopped = await changeOwnLoop(context, id, async (loop) => {
    if (unstarted.includes(loop.status)) throw conflict(`The loop is ${loop.status}; it is not running`)
    const open = await openIteration(context, loop)
    const ended_at = iso(context.clock.now())
    return withMore(finish(context, loop, { status: 'cancelled', stop_reason: 'cancelled', error: null }), {
      statements: open ? [saveIteration({ ...open, status: 'cancelled', ended_at }), ...stopWork(context, open)] : [],
    })
  })
  if (stopped.conversation_id) await stopTurns(context, stopped.conversation_id)
  return stopped
}

/** Instructions that wait for one iteration. */
const maxSteering = 20

/** Adds an instruction of the owner to the next iteration. */
export const steerLoop = (context: Context, id: string, instruction: string): Promise<Loop> =>
  changeOwnLoop(context, id, (loop) => {
    if (['completed', 'failed', 'cancelled'].includes(loop.status))
      throw conflict(`The loop is ${loop.status}; start or resume it first`)
    if (loop.steering.length >= maxSteering)
      throw conflict(`${maxSteering} instructions are already waiting for the next iteration`)
    return { loop: steered(loop, instruction) }
  })

/** Resets stuck detection: only actions after the steering count. */
const steered = (loop: StoredLoop, instruction: string): StoredLoop => ({
  ...loop,
  steering: [...loop.steering, instruction],
  watched_from: loop.iteration,
})

/** Answers the question of a blocked loop, which then continues. */
export async function answerLoop(context: Context, id: string, text: string): Promise<Loop> {
  const { question } = await requireLoop(context, id)
  const isGiven = (option: string) => option.toLowerCase() === text.toLowerCase()
  const answer = question?.options.find(isGiven) ?? text
  if (question?.kind === 'stuck' && answer === 'Stop') return stopLoop(context, id)
  return changeOwnLoop(context, id, async (loop) => {
    if (loop.status !== 'blocked' || !loop.question)
      throw conflict(`The loop is ${loop.status}; it has no open question`)
    const { kind, question, options } = loop.question
    const continued: StoredLoop = {
      ...loop,
      status: 'running',
      stop_reason: null,
      error: null,
      question: null,
      failures: 0,
    }
    if (kind === 'verify') return verifiedByOwner(context, continued, answer)
    if (kind === 'repeat' && !options.includes(answer)) throw invalidField('answer', `must be ${options.join(' or ')}`)
    const text = kind === 'stuck' && answer === 'Continue' ? 'Continue, and try another approach.' : answer
    const line = kind === 'stuck' ? text : `(asked: ${question}) ${repeats[answer] ?? text}`
    return scheduleNext(context, steered(continued, line), 0)
  })
}

const repeats: Record<string, string> = {
  'Try again': 'Try again.',
  Skip: 'Do not do this again; continue with what comes next.',
}

async function verifiedByOwner(context: Context, loop: StoredLoop, answer: string): Promise<Step> {
  const open = await openIteration(context, loop)
  if (!open) return scheduleNext(context, loop, 0)
  const complete = answer === 'Accept'
  const missing = complete || answer === 'Keep going' ? [] : [answer]
  const verdict = { score: complete ? 100 : 0, complete, missing, evidence: `The owner answered: ${answer}` }
  return judged(context, loop, open, { verdict, untrusted: false })
}

/** Deletes a loop with its runs; its conversations stay. */
export async function removeLoop(context: Context, id: string): Promise<void> {
  await requireLoop(context, id)
  const loop = await findLoop(context, id)
  if (!loop) return
  await context.commit(
    [
      deleteLoop(id),
      unmountFolder(loopRoot(id)),
      ...reportEnd(context, loop),
      ...stopWork(context, await openIteration(context, loop)),
    ],
    [event('loop.deleted', { loop_id: id })],
  )
  if (loop.conversation_id) await stopTurns(context, loop.conversation_id)
}
