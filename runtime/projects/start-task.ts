import { workingAgent } from '../agents/agents.ts'
import { archetypes } from '../agents/archetypes.ts'
import {
  findConversation,
  findConversations,
  insertConversation,
  taintConversation,
} from '../chat/conversation-store.ts'
import { createdEvent, draftConversation } from '../chat/conversations.ts'
import { draft, insertMessage } from '../chat/message-store.ts'
import { NewConversation } from '../chat/schema.ts'
import { newTurn } from '../chat/send.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { conflict } from '../fault.ts'
import type { Spender } from '../ledger/spender.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { cut } from '../tools/text.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { taskEndKind } from './kinds.ts'
import { findPlanSummary } from './plan-store.ts'
import type { Project } from './schema.ts'
import { modelFor } from './strategy.ts'
import { type StoredTask, updateTask } from './task-store.ts'

/** Rows and events of one step, for one commit. */
export interface Change {
  statements: Statement[]
  events: EventInput[]
}

export interface TaskChange extends Change {
  /** The task after it. */
  task: StoredTask
}

/** Starts an attempt: a new conversation in the project's folder, with the task as its first message. */
export async function startTask(
  context: Context,
  project: Project,
  { task, tasks }: { task: StoredTask; tasks: readonly StoredTask[] },
): Promise<Change> {
  const agent = await workingAgent(context, task.agent_id ?? project.agent_id)
  const input = NewConversation.parse({ title: task.title, agent_id: agent.id, project_id: project.id })
  const drafted = await draftConversation(context, input)
  const conversation = { ...drafted, kind: 'internal' as const, execution_mode: 'auto' as const }
  const needed = tasks.filter(({ id }) => task.depends_on.includes(id))
  // A plan that was made of untrusted text is untrusted text.
  const tainted = project.trust === 'external' || (await areTainted(context, needed))
  const background = await backgroundOf(context, project, { task, needed, tainted })
  const note = draft(context, conversation.id, { role: 'system', content: background })
  const asked = draft(context, conversation.id, { role: 'user', content: requestOf(task) })
  const turn = await turnOf(context, project, { ...task, conversation_id: conversation.id })
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
      insertConversation(conversation),
      ...(tainted ? [taintConversation(conversation.id)] : []),
      insertMessage(note),
      insertMessage(asked),
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
  const asked = draft(context, conversation.id, { role: 'user', content: text })
  const turn = await turnOf(context, project, task)
  const continued: StoredTask = {
    ...task,
    status: 'running',
    message_id: turn.answer.id,
    updated_at: iso(context.clock.now()),
  }
  return {
    task: continued,
    statements: [updateTask(continued, old), insertMessage(asked), ...turn.statements],
    events: [
      event('agent.run.started', { conversation_id: conversation.id, message_id: turn.answer.id }),
      ...taskEvents(continued, text),
    ],
  }
}

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
async function turnOf(context: Context, project: Project, { id, conversation_id, agent_id }: StoredTask) {
  const agent = await workingAgent(context, agent_id ?? project.agent_id)
  const { provider, model } = await modelFor(context, agent, project)
  return newTurn(context, conversation_id ?? '', {
    model: `${provider}/${model}`,
    spender: { category: 'projects', job_id: project.job_id, run_ref: id, caps: project.budget },
    followed_by: { kind: taskEndKind, subject: id },
    queued: true,
  })
}

/** The events of a task's change, with a line for its log. */
export const taskEvents = ({ id, project_id, status }: StoredTask, message: string): EventInput[] => [
  event('task.updated', { project_id, task_id: id, status }),
  event('task.log', { project_id, task_id: id, message: cut(message, 2_000).text }),
]

async function areTainted(context: Context, tasks: readonly StoredTask[]): Promise<boolean> {
  const found = await findConversations(
    context,
    tasks.flatMap(({ conversation_id }) => conversation_id ?? []),
  )
  // Nothing is known about a deleted one.
  return tasks.some(
    ({ conversation_id }) => conversation_id !== null && found.get(conversation_id)?.tainted !== false,
  )
}

const requestOf = ({ title, description }: StoredTask): string =>
  description.trim() === '' || description.trim() === title ? title : `${title}\n\n${description}`

/** Characters of an earlier result that the prompt of a task contains. */
const maxResult = 8_000

async function backgroundOf(
  context: Context,
  project: Project,
  { task, needed, tainted }: { task: StoredTask; needed: readonly StoredTask[]; tainted: boolean },
): Promise<string> {
  const expert = archetypes.find(({ id }) => id === project.sme_archetype)
  const summary = await findPlanSummary(context, project.id)
  const results = needed.map(({ title, outputs }) => {
    const text = outputs
      .map(({ kind, name, value }) => (kind === 'text' ? value : `${kind}: ${name}`))
      .join('\n')
    const short = cut(text, maxResult).text
    return `Result of "${title}":\n${tainted ? wrapUntrusted(short) : short}`
  })
  return [
    ...(expert ? [expert.system_prompt] : []),
    `You work on one task of the project "${project.name}"${summary ? `: ${summary.replace(/\.$/, '')}` : ''}. All tasks share the files of one folder.`,
    'Do only this task. Write results that are longer than a page to files. End with a short report of the result.',
    project.decision_mode === 'agent'
      ? 'Nobody is available to answer questions: decide what is open yourself, and say what you decided and why.'
      : 'If you need something that only the owner knows or may decide, call ask_user; otherwise decide yourself.',
    ...(task.acceptance.length > 0
      ? [`The task is done when:\n${task.acceptance.map((one) => `- ${one}`).join('\n')}`]
      : []),
    ...(task.block?.kind === 'question' && task.block.answer
      ? [`You asked the owner: ${wrapUntrusted(task.block.question)}\nThe answer: ${task.block.answer}`]
      : []),
    ...(task.error ? [`The last attempt failed: ${wrapUntrusted(task.error)}`] : []),
    ...results,
  ].join('\n\n')
}
