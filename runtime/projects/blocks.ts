import {
  allMessages,
  changesIn,
  createdEvent,
  doneBefore,
  draft,
  draftConversation,
  findConversation,
  insertConversation,
  insertMessage,
  NewConversation,
  recountMessages,
  refreshStatus,
  taintConversation,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, invalidField } from '../fault.ts'
import { offlineProvider } from '../models/models.ts'
import { iso } from '../time.ts'
import { guardRunning, setConversation } from './project-store.ts'
import { advanceWork } from './projects.ts'
import type { Block, Project, Task } from './schema.ts'
import { type Change, continueTask, type TaskChange, taskEvents } from './start-task.ts'
import { publicTask, type StoredTask, updateTask } from './task-store.ts'

export type Question = Pick<Block, 'kind' | 'question' | 'options'>

interface Asking {
  task: StoredTask
  old: StoredTask
  question: Question
}

const blockOf = (context: Context, question: Question): Block => ({
  ...question,
  answer: null,
  decided_by: null,
  asked_at: iso(context.clock.now()),
  answered_at: null,
})

/** Blocks the task and asks in the project's conversation. */
export async function askOwner(context: Context, project: Project, { task, old, question }: Asking): Promise<Change> {
  const now = iso(context.clock.now())
  const blocked: StoredTask = {
    ...task,
    error: question.kind === 'repeat' ? question.question : task.error,
    status: 'blocked',
    block: blockOf(context, question),
    updated_at: now,
  }
  const options = question.options.length > 0 ? `\n\n${question.options.map((one) => `- ${one}`).join('\n')}` : ''
  const content = `**${task.title}** needs an answer: ${question.question}${options}\n\n[Answer on the project's page](/projects/${project.id})`
  const asking = await messageToOwner(context, project, { content, task })
  return {
    statements: [updateTask(blocked, old), ...asking.statements],
    events: [...taskEvents(blocked, `Asks: ${question.question}`), ...asking.events],
  }
}

/** A message in the project's conversation, which begins with the first one. It is as untrusted as the task's own. */
async function messageToOwner(
  context: Context,
  project: Project,
  { content, task }: { content: string; task: StoredTask },
): Promise<Change> {
  const own = task.conversation_id && (await findConversation(context, task.conversation_id))
  const tainted = !own || own.tainted
  const existing = project.conversation_id && (await findConversation(context, project.conversation_id))
  const input = NewConversation.parse({
    title: project.name,
    project_id: project.id,
    agent_id: project.agent_id ?? undefined,
  })
  const conversation = existing || (await draftConversation(context, input))
  const message = draft(context, conversation.id, { role: 'assistant', content })
  return {
    statements: [
      ...(existing ? [] : [insertConversation(conversation), setConversation(project.id, conversation.id)]),
      ...(tainted ? [taintConversation(conversation.id)] : []),
      insertMessage(message),
      recountMessages(conversation.id),
      refreshStatus(conversation.id, iso(context.clock.now())),
    ],
    events: [
      ...(existing ? [] : [createdEvent(conversation)]),
      event('message.injected', { conversation_id: conversation.id, message_id: message.id }),
    ],
  }
}

/** Answers a blocked task, which then continues. */
export async function answerTask(
  context: Context,
  project: Project,
  { task, answer }: { task: StoredTask; answer: string },
): Promise<Task> {
  if (task.status !== 'blocked' || !task.block) throw conflict(`The task is ${task.status}; it has no open question`)
  if (project.status !== 'running') throw conflict(`The project is ${project.status}; its tasks can no longer continue`)
  if (task.block.kind === 'repeat' && !task.block.options.includes(answer))
    throw invalidField('answer', `must be ${task.block.options.join(' or ')}`)
  const now = iso(context.clock.now())
  const block: Block = { ...task.block, answer, decided_by: 'human', answered_at: now }
  const answered = { ...task, block }
  const change =
    task.block.kind === 'repeat'
      ? await afterRepeat(context, project, { task: answered, old: task })
      : await continueTask(context, project, { task: answered, old: task, text: answer })
  await context.commit(
    [guardRunning(project, now), ...change.statements, advanceWork(context, project.id)],
    change.events,
    { answer: publicTask(change.task) },
  )
  return publicTask(change.task)
}

/** Continues a task that has already made other changes, so that only the interrupted action is repeated. */
async function afterRepeat(
  context: Context,
  project: Project,
  { task, old }: Omit<Asking, 'question'>,
): Promise<TaskChange> {
  const now = iso(context.clock.now())
  if (task.block?.answer === 'Skip') return requeue(old, { ...task, status: 'skipped' }, now)
  const messages = task.conversation_id ? await allMessages(context, task.conversation_id) : []
  const done = await changesIn(context, messages, 'done')
  const repeatsAll = done.length === 0 || messages.at(-1)?.provider === offlineProvider
  if (repeatsAll) return requeue(old, { ...task, status: 'ready' }, now)
  const text = `(asked: ${task.block?.question}) Do that again. ${doneBefore} Finish the task.`
  return continueTask(context, project, { task: { ...task, attempts: task.attempts + 1 }, old, text })
}

/** A task that starts again or is left out. */
export function requeue(old: StoredTask, task: StoredTask, now: string): TaskChange {
  const ended: readonly Task['status'][] = ['skipped']
  const next = { ...task, updated_at: now, completed_at: ended.includes(task.status) ? now : null }
  return {
    task: next,
    statements: [updateTask(next, old)],
    events: taskEvents(next, next.status === 'skipped' ? 'Skipped' : 'Queued again'),
  }
}
