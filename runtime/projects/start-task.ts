import { workingAgent } from '../agents/index.ts'
import {
  allMessages,
  callsIn,
  createdEvent,
  describeCalls,
  draft,
  draftConversation,
  findConversation,
  findConversations,
  insertConversation,
  insertMessage,
  NewConversation,
  newTurn,
  taintConversation,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { conflict } from '../fault.ts'
import type { Spender } from '../ledger/spender.ts'
import type { Statement } from '../ports/sql.ts'
import { hour, iso } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { cut } from '../tools/text.ts'
import { briefOf, instructionsFor, toolsWithout } from './brief.ts'
import { taskEndKind } from './kinds.ts'
import { findPlan } from './plan-store.ts'
import type { Project } from './schema.ts'
import { modelFor } from './strategy.ts'
import { type StoredTask, type TaskState, updateTask } from './task-store.ts'
import { openWorktree, worktreeOf } from './worktrees.ts'

/** Rows and events of one step, for one commit. */
export interface Change {
  statements: Statement[]
  events: EventInput[]
  /** Called after the commit. */
  announce?(): void
}

export interface TaskChange extends Change {
  /** The task after it. */
  task: StoredTask
}

/** Starts an attempt: a new conversation in the project's folder, with the task as its first message. */
export async function startTask(
  context: Context,
  project: Project,
  { task, tasks, states }: { task: StoredTask; tasks: readonly StoredTask[]; states: readonly TaskState[] },
): Promise<Change> {
  const agent = await workingAgent(context, task.agent_id ?? project.agent_id)
  const input = NewConversation.parse({ title: task.title, agent_id: agent.id, project_id: project.id })
  const drafted = await draftConversation(context, input)
  const conversation = { ...drafted, kind: 'internal' as const, execution_mode: 'auto' as const }
  const needed = tasks.filter(({ id }) => task.depends_on.includes(id))
  // A plan that was made of untrusted text is untrusted text.
  const plan = await findPlan(context, project.id)
  const tainted = project.trust === 'external' || plan?.tainted === true || (await areTainted(context, needed))
  const done = task.error === null ? '' : await doneIn(context, task)
  const own = await openWorktree(context, project, task)
  const brief = await briefOf(
    context,
    { ...project, worktree: own.root },
    { task, needed, states, plan, done, tainted },
  )
  const note = draft(context, conversation.id, { role: 'system', content: brief })
  const request = draft(context, conversation.id, { role: 'user', content: requestOf(task) })
  const turn = await turnOf(context, project, { ...task, conversation_id: conversation.id }, own.root)
  const now = iso(context.clock.now())
  const started: StoredTask = {
    ...task,
    status: 'running',
    attempts: task.attempts + 1,
    conversation_id: conversation.id,
    message_id: turn.answer.id,
    error: null,
    // A new attempt also needs the owner's answer.
    block: task.block?.kind === 'question' ? task.block : null,
    updated_at: now,
    started_at: task.started_at ?? now,
    completed_at: null,
  }
  return {
    statements: [
      updateTask(started, task),
      ...own.statements,
      insertConversation(conversation),
      ...(tainted ? [taintConversation(conversation.id)] : []),
      insertMessage(note),
      insertMessage(request),
      ...turn.statements,
    ],
    events: [
      createdEvent(conversation),
      event('agent.run.started', { conversation_id: conversation.id, message_id: turn.answer.id }),
      ...taskEvents(started, `Attempt ${started.attempts} of ${task.max_attempts} started`),
    ],
  }
}

/** Continues an attempt in its conversation with another message. `old` is the task as it is stored. */
export async function continueTask(
  context: Context,
  project: Project,
  { task, old, text }: { task: StoredTask; old: StoredTask; text: string },
): Promise<TaskChange> {
  const conversation = task.conversation_id && (await findConversation(context, task.conversation_id))
  if (!conversation) throw conflict('The conversation of the task was deleted; retry the task')
  const request = draft(context, conversation.id, { role: 'user', content: text })
  const turn = await turnOf(context, project, task, await worktreeOf(context, task.id))
  const continued: StoredTask = {
    ...task,
    status: 'running',
    message_id: turn.answer.id,
    updated_at: iso(context.clock.now()),
  }
  return {
    task: continued,
    statements: [updateTask(continued, old), insertMessage(request), ...turn.statements],
    events: [
      event('agent.run.started', { conversation_id: conversation.id, message_id: turn.answer.id }),
      ...taskEvents(continued, text),
    ],
  }
}

/** How long a call waits for a limit or an outage to pass, in milliseconds. */
export const maxWaitOf = ({ max_wait_hours }: Project): number => max_wait_hours * hour

/** Who pays for planning, reviewing and auditing a project; `run_ref` is the task, or what else the call is for. */
export const spenderOf = (project: Project, agent: Agent, run_ref: string): Spender => ({
  category: 'project_developer',
  agent_id: agent.id,
  project_id: project.id,
  job_id: project.job_id,
  run_ref,
  caps: project.budget,
})

/** A turn with the model of the strategy. Its cost counts for the project and, over all attempts, for the task. */
async function turnOf(
  context: Context,
  project: Project,
  { id, conversation_id, agent_id }: StoredTask,
  worktree?: string,
) {
  const agent = await workingAgent(context, agent_id ?? project.agent_id)
  const { provider, model } = await modelFor(context, agent, project)
  return newTurn(context, conversation_id ?? '', {
    model: `${provider}/${model}`,
    spender: {
      category: 'projects',
      job_id: project.job_id,
      run_ref: id,
      caps: project.budget,
      ...(worktree && { worktree }),
    },
    followed_by: { kind: taskEndKind, subject: id },
    instructions: instructionsFor({ ...project, worktree }, agent),
    without_tools: toolsWithout(project),
    max_wait: maxWaitOf(project),
    queued: true,
  })
}

/** The events of a task's change, with a line for its log. */
export const taskEvents = ({ id, project_id, status }: StoredTask, message: string): EventInput[] => [
  event('task.updated', { project_id, task_id: id, status }),
  event('task.log', { project_id, task_id: id, message: cut(message, 2_000).text }),
]

/** What the last attempt of a task did, as text; empty if nothing is known. */
async function doneIn(context: Context, { conversation_id }: StoredTask): Promise<string> {
  const messages = conversation_id ? await allMessages(context, conversation_id) : []
  const calls = await callsIn(context, messages)
  return calls.length > 0 ? describeCalls(calls) : ''
}

async function areTainted(context: Context, tasks: readonly StoredTask[]): Promise<boolean> {
  const conversations = await findConversations(
    context,
    tasks.flatMap(({ conversation_id }) => conversation_id ?? []),
  )
  // Nothing is known about a deleted one.
  return tasks.some(
    ({ conversation_id }) => conversation_id !== null && conversations.get(conversation_id)?.tainted !== false,
  )
}

const requestOf = ({ title, description }: StoredTask): string =>
  description.trim() === '' || description.trim() === title ? title : `${title}\n\n${description}`
