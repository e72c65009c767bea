import { allMessages, findMessage } from '../chat/message-store.ts'
import { changesIn, doneBefore, offlineDid, permanentErrors, questionIn } from '../chat/run-report.ts'
import type { Message } from '../chat/schema.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { offlineProvider } from '../models/models.ts'
import { iso } from '../time.ts'
import { wrapUntrusted } from '../untrusted.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import { askOwner, decideAlone, type Question } from './blocks.ts'
import { checkEvidence, evidenceIn } from './evidence.ts'
import { taskEndKind } from './kinds.ts'
import { findProject } from './project-store.ts'
import { advanceWork } from './projects.ts'
import { reviewTask } from './review.ts'
import type { Output, Project } from './schema.ts'
import { type Change, continueTask, taskEvents } from './start-task.ts'
import { isActive } from './states.ts'
import { findTask, type StoredTask, updateTask } from './task-store.ts'

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
    if (!task || !project || !isActive(task) || message?.status === 'streaming')
      return { status: 'succeeded' }
    const change = await closing(context, project, { task: spentBy(task, message), message, old: task })
    return {
      status: 'succeeded',
      statements: [...change.statements, advanceWork(context, project.id)],
      events: change.events,
      announce: () => context.process.wake(),
    }
  },
  async ended({ subject }, _, context) {
    const task = await findTask(context, subject)
    if (!task || !isActive(task)) return {}
    const error = 'Its result could not be processed; the log has the details'
    const { statements, events } = failing(
      context,
      { task, old: task, message: null },
      { error, retry: false },
    )
    const announce = () => context.process.wake()
    return { statements: [...statements, advanceWork(context, task.project_id)], events, announce }
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
  const asked = questionIn(message)
  const question = asked && { kind: 'question' as const, ...asked }
  if (question && project.decision_mode === 'agent' && task.decisions < maxDecisions)
    return decideAlone(context, project, { task, old, question })
  if (question) return askOwner(context, project, { task, old, question })
  if (message.provider === offlineProvider && !offlineDid(message, task.title))
    return failing(context, attempt, {
      error: `The offline model used no tool, so nothing was done. It answered: ${message.content}`,
      retry: false,
    })
  const evidence = await evidenceIn(context, await allMessages(context, message.conversation_id))
  const missing =
    (await checkEvidence(context, project, { task, evidence })) ??
    (await reviewTask(context, project, { task, evidence })).missing
  if (missing !== null) return retrying(context, project, { ...attempt, error: missing, retry: true })
  return completing(context, { ...attempt, message, outputs: evidence.outputs })
}

/** Decisions that an agent makes alone in one task before it must ask. */
const maxDecisions = 3

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
    retry: !permanentErrors.includes(error.code),
  })
}

const repeatQuestion = (question: string): Question => ({
  kind: 'repeat',
  question,
  options: ['Try again', 'Skip'],
})

/**
 * Another attempt, if there may be one. An attempt that changed something continues in its conversation, so that nothing
 * is done twice; others start from the beginning.
 */
async function retrying(
  context: Context,
  project: Project,
  { task, old, message, error, retry }: Attempt & { error: string; retry: boolean },
): Promise<Change> {
  const again = retry && task.attempts < task.max_attempts
  if (!again || !message) return failing(context, { task, old, message }, { error, retry: again })
  const done = await changesIn(context, await allMessages(context, message.conversation_id), 'done')
  if (done.length === 0) return failing(context, { task, old, message }, { error, retry: true })
  if (message.provider === offlineProvider) {
    const text = `The task was interrupted after this: ${done.join('; ')}. Trying again repeats it.`
    return askOwner(context, project, { task, old, question: repeatQuestion(text) })
  }
  const text = `The task is not done yet: ${wrapUntrusted(error)}\n${doneBefore} Finish the task.`
  return continueTask(context, project, { task: { ...task, attempts: task.attempts + 1, error }, old, text })
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
    statements: [updateTask(next, old)],
    events: [
      ...taskEvents(next, 'Completed'),
      event('task.output', { project_id, task_id, outputs: outputs.length }),
      event('task.completed', { project_id, task_id, title }),
    ],
  }
}
