import {
  allMessages,
  changesIn,
  doneBefore,
  findMessage,
  type Message,
  offlineDid,
  permanentErrors,
  questionIn,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import { offlineProvider } from '../models/models.ts'
import { prompt } from '../prompts/prompt.ts'
import { iso } from '../time.ts'
import { worktreeRoot } from '../tools/workspace.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import { askOwner, type Question } from './blocks.ts'
import { checkEvidence, type Evidence, evidenceIn } from './evidence.ts'
import { taskEndKind } from './kinds.ts'
import { findProject } from './project-store.ts'
import { advanceWork } from './projects.ts'
import { reviewTask } from './review.ts'
import type { Output, Project } from './schema.ts'
import { type Change, continueTask, taskEvents } from './start-task.ts'
import { isActive } from './states.ts'
import { findTask, type StoredTask, updateTask } from './task-store.ts'
import { deleteWorktree } from './worktree-store.ts'
import { isAccepted, mergeTask, unsolvedIn, worktreeOf } from './worktrees.ts'

/** Closes the attempt of a task whose turn has ended: completed, blocked, to be tried again, or failed. */
export const taskEnd: WorkKind = {
  kind: taskEndKind,
  max_running: 16,
  timeout_seconds: 300,
  after_crash: 'retry',
  retry: { max_attempts: 3, delay_seconds: (attempt) => attempt * 2 },
  async run({ subject }, context): Promise<WorkOutcome> {
    const task = await findTask(context, subject)
    const project = task && (await findProject(context, task.project_id))
    const message = task?.message_id ? await findMessage(context, task.message_id) : null
    // The attempt was replaced, cancelled or is still running.
    if (!task || !project || !isActive(task) || message?.status === 'streaming') return { status: 'succeeded' }
    const change = await closing(context, project, { task: spentBy(task, message), message, old: task })
    return {
      status: 'succeeded',
      statements: [...change.statements, advanceWork(context, project.id)],
      events: change.events,
      announce: () => change.announce?.(),
    }
  },
  async ended({ subject }, _, context) {
    const task = await findTask(context, subject)
    if (!task || !isActive(task)) return {}
    const error = 'Its result could not be processed; the log has the details'
    const { statements, events } = failing(context, { task, old: task, message: null }, { error, retry: false })
    return { statements: [...statements, advanceWork(context, task.project_id)], events }
  },
}

interface Attempt {
  /** With the cost of the attempt. */
  task: StoredTask
  /** As it is stored. */
  old: StoredTask
  message: Message | null
}

const spentBy = (task: StoredTask, message: Message | null): StoredTask => ({
  ...task,
  input_tokens: task.input_tokens + (message?.input_tokens ?? 0),
  output_tokens: task.output_tokens + (message?.output_tokens ?? 0),
  cost_usd: task.cost_usd + (message?.cost_usd ?? 0),
})

async function closing(context: Context, project: Project, attempt: Attempt): Promise<Change> {
  const { task, message, old } = attempt
  if (!message)
    return failing(context, attempt, {
      error: 'Its conversation was deleted',
      retry: task.attempts < task.max_attempts,
    })
  if (message.error) return closingFailed(context, project, { ...attempt, message })
  const agentQuestion = questionIn(message)
  const question = agentQuestion && { kind: 'question' as const, ...agentQuestion }
  if (question) return askOwner(context, project, { task, old, question })
  if (message.provider === offlineProvider && !offlineDid(message, task.title))
    return failing(context, attempt, {
      error: `The offline model used no tool, so nothing was done. It answered: ${message.content}`,
      retry: false,
    })
  const evidence = await evidenceIn(context, await allMessages(context, message.conversation_id))
  const missing = (await isAccepted(context, project, task.id))
    ? null
    : await missingNow(context, project, { task, evidence })
  if (missing !== null) return retrying(context, project, { ...attempt, error: missing, retry: true })
  const merged = await mergeTask(context, project, task).catch(reasonOf)
  if (typeof merged === 'string') return failing(context, attempt, { error: merged, retry: false })
  if (merged.ok) return completing(context, { ...attempt, message, outputs: evidence.outputs })
  const error = merged.findings
  if (merged.counts) return retrying(context, project, { ...attempt, error, retry: true })
  return continueTask(context, project, { task: { ...task, error }, old, text: notDone(error) })
}

/** What keeps a task from being completed; null if nothing does. */
async function missingNow(
  context: Context,
  project: Project,
  { task, evidence }: { task: StoredTask; evidence: Evidence },
): Promise<string | null> {
  const place = { ...project, worktree: await worktreeOf(context, task.id) }
  const unsolved = await unsolvedIn(context, task.id)
  if (unsolved.length > 0) return `Both sides of a conflict still stand between marks in ${unsolved.join(', ')}`
  return (
    (await checkEvidence(context, place, { task, evidence })) ??
    (await reviewTask(context, place, { task, evidence })).missing
  )
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof Fault) return thrown.message
  throw thrown
}

async function closingFailed(
  context: Context,
  project: Project,
  attempt: Attempt & { message: Message },
): Promise<Change> {
  const { task, old, message } = attempt
  const error = message.error ?? { code: 'internal_error', message: 'It failed' }
  const [cut] = error.code === 'interrupted' ? await changesIn(context, [message], 'unknown') : []
  if (cut) {
    const text = `The daemon stopped while the task did this: ${cut}. It may or may not have taken effect.`
    return askOwner(context, project, { task, old, question: repeatQuestion(text) })
  }
  return retrying(context, project, {
    ...attempt,
    error: error.message,
    retry: ![...permanentErrors, ...waitedOut].includes(error.code),
  })
}

/** Errors of a vendor for which the turn has waited as long as the project allows. */
const waitedOut = ['rate_limit', 'overloaded']

const repeatQuestion = (question: string): Question => ({
  kind: 'repeat',
  question,
  options: ['Try again', 'Skip'],
})

/**
 * Another attempt, if there may be one. It continues in the conversation of the last one, with what was wrong as the next
 * message, so that nothing is forgotten or done twice; one in which the model said nothing starts from the beginning.
 */
async function retrying(
  context: Context,
  project: Project,
  { task, old, message, error, retry }: Attempt & { error: string; retry: boolean },
): Promise<Change> {
  const again = retry && task.attempts < task.max_attempts
  if (!again || !message) return failing(context, { task, old, message }, { error, retry: again })
  if (message.provider === offlineProvider) return retryingOffline(context, project, { task, old, message, error })
  if (message.parts.length === 0) return failing(context, { task, old, message }, { error, retry: true })
  const next = { ...task, attempts: task.attempts + 1, error }
  return continueTask(context, project, { task: next, old, text: notDone(error) })
}

const notDone = (error: string) => prompt('task-retry', { error, done: doneBefore })

/** The offline model cannot tell what is left to do, so a person decides whether to repeat what has changed something. */
async function retryingOffline(
  context: Context,
  project: Project,
  { task, old, message, error }: Attempt & { message: Message; error: string },
): Promise<Change> {
  const done = await changesIn(context, await allMessages(context, message.conversation_id), 'done')
  if (done.length === 0) return failing(context, { task, old, message }, { error, retry: true })
  const text = `The task was interrupted after this: ${done.join('; ')}. Trying again repeats it.`
  return askOwner(context, project, { task, old, question: repeatQuestion(text) })
}

function failing(
  context: Context,
  { task, old }: Attempt,
  { error, retry: again }: { error: string; retry: boolean },
): Change {
  const now = iso(context.clock.now())
  const next: StoredTask = {
    ...task,
    error,
    status: again ? 'ready' : 'failed',
    updated_at: now,
    completed_at: again ? null : now,
  }
  const { id: task_id, project_id, title } = task
  const failed = again ? [] : [event('task.failed', { project_id, task_id, title, error })]
  return {
    statements: [updateTask(next, old)],
    events: [...taskEvents(next, `Attempt ${task.attempts} failed: ${error}`), ...failed],
  }
}

function completing(
  context: Context,
  { task, old, message, outputs }: Attempt & { message: Message; outputs: Output[] },
): Change {
  const now = iso(context.clock.now())
  const next: StoredTask = {
    ...task,
    status: 'completed',
    error: null,
    outputs,
    block: task.block && { ...task.block, answer: task.block.answer ?? message.content.slice(0, 2_000) },
    updated_at: now,
    completed_at: now,
  }
  const { id: task_id, project_id, title } = task
  return {
    statements: [updateTask(next, old), deleteWorktree(task_id)],
    // Otherwise the next start removes it.
    announce: () => void context.files.removeRoot(worktreeRoot(task_id)).catch(() => undefined),
    events: [
      ...taskEvents(next, 'Completed'),
      event('task.output', { project_id, task_id, outputs: outputs.length }),
      event('task.completed', { project_id, task_id, title }),
    ],
  }
}
