import { namedEnabledAgent } from '../agents/index.ts'
import {
  createdEvent,
  draft,
  draftConversation,
  findOwnConversation,
  guardPresent,
  insertConversation,
  insertMessage,
  NewConversation,
  newTurn,
  taintConversation,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { conflict, Fault, invalidField } from '../fault.ts'
import type { Statement } from '../ports/sql.ts'
import { newRun } from '../scheduler/index.ts'
import type { Checked } from '../schedules/targets.ts'
import { targetOf } from '../schedules/targets.ts'
import { readSection } from '../sections/section.ts'
import { emailSettings } from '../settings/index.ts'
import { findShownWorkflow, startExecution } from '../workflows/index.ts'
import type { HookAction, StartAction } from './action-schema.ts'
import { checkTemplate, type TemplateData, templateValue, textForModel } from './template.ts'

/** The statements and events that start an action, for the commit that records it. */
export interface Prepared {
  statements: Statement[]
  events: EventInput[]
  /** Call after the commit. */
  announce(): void
  /** Ids of the started objects. */
  result: Record<string, unknown>
}

/** The hook or incoming webhook that starts an action. */
export interface Starter {
  /** Title of the started conversation, run or project. */
  name: string
  /** The id of its log entry. */
  run_id: string
  trigger: 'webhook' | 'event'
  data: TemplateData
}

type Of<Kind extends StartAction['kind']> = Extract<StartAction, { kind: Kind }>

/** The job fields that a target validates. */
const targetFields = (kind: 'loop' | 'project', id: string): Checked => ({
  target: { kind, id },
  execution_mode: 'auto',
  model: null,
  agent_id: null,
})

/** Refuses an action that cannot work: ids that do not exist, invalid expressions. */
export async function checkHookAction(context: Context, action: HookAction): Promise<void> {
  if (action.kind === 'http') return checkTemplate(action.body, 'action.body')
  if (action.kind === 'decide') return checkTemplate(`=${action.expression}`, 'action.expression')
  if (action.kind !== 'notify') return checkAction(context, action)
  await checkTemplate(action.message, 'action.message')
  if (action.channel === 'channel' && action.channel_id === null)
    throw invalidField('action.channel_id', 'must be the id of a channel')
  if (action.channel === 'email' && !(await readSection(context, emailSettings)).enabled)
    throw new Fault(409, 'conflict', 'Email requires a mail server; set one up in the settings')
}

/** Refuses an action that refers to an object its owner does not have. */
export async function checkAction(context: Context, action: StartAction): Promise<void> {
  if (action.kind === 'agent' || action.kind === 'message') await checkTemplate(action.message, 'action.message')
  if (action.kind === 'agent' && action.agent_id !== null)
    await namedEnabledAgent(context, action.agent_id, 'action.agent_id')
  if (action.kind === 'message' && !(await findOwnConversation(context, action.conversation_id)))
    throw invalidField('action.conversation_id', 'must be the id of a conversation')
  if (action.kind === 'workflow') await checkTemplate(action.input, 'action.input')
  if (action.kind === 'loop' || action.kind === 'project') {
    const id = action.kind === 'loop' ? action.loop_id : action.project_id
    const check = async () => (await requireTarget(context, action.kind)).check(context, targetFields(action.kind, id))
    await requireId(check, `action.${action.kind}_id`, `a ${action.kind}`)
  }
}

async function requireId(check: () => Promise<unknown>, path: string, what: string): Promise<void> {
  try {
    await check()
  } catch (thrown) {
    if (thrown instanceof Fault) throw invalidField(path, `must be the id of ${what}`)
    throw thrown
  }
}

async function requireTarget(context: Context, kind: 'loop' | 'project') {
  const target = await targetOf(context, kind)
  if (!target) throw conflict(`A ${kind} cannot be started on this host`)
  return target
}

/** Prepares to start an action. Throws a `Fault` or a `TemplateError` if it cannot start. */
export function prepare(context: Context, action: StartAction, starter: Starter): Promise<Prepared> {
  switch (action.kind) {
    case 'agent':
      return newConversation(context, action, starter)
    case 'message':
      return toConversation(context, action, starter)
    case 'workflow':
      return workflow(context, action, starter)
    case 'job':
      return job(context, action)
    case 'loop':
      return target(context, { kind: 'loop', id: action.loop_id }, starter)
    case 'project':
      return target(context, { kind: 'project', id: action.project_id }, starter)
  }
}

async function newConversation(
  context: Context,
  { agent_id, message }: Of<'agent'>,
  { name, data }: Starter,
): Promise<Prepared> {
  if (agent_id !== null) await namedEnabledAgent(context, agent_id, 'action.agent_id')
  const content = await textForModel(message, data)
  const wish = NewConversation.parse({ title: name, agent_id: agent_id ?? undefined })
  // As on a channel, its messages are not written by the owner.
  const conversation = { ...(await draftConversation(context, wish)), kind: 'channel' as const }
  return turnIn(context, conversation.id, {
    content,
    before: [insertConversation(conversation)],
    events: [createdEvent(conversation)],
  })
}

async function toConversation(
  context: Context,
  { conversation_id, message }: Of<'message'>,
  { data }: Starter,
): Promise<Prepared> {
  if (!(await findOwnConversation(context, conversation_id))) throw conflict('The conversation was deleted')
  const content = await textForModel(message, data)
  return turnIn(context, conversation_id, { content, before: [guardPresent(conversation_id)], events: [] })
}

function turnIn(
  context: Context,
  conversation_id: string,
  { content, before, events }: { content: string; before: Statement[]; events: EventInput[] },
): Prepared {
  const question = draft(context, conversation_id, { role: 'user', content })
  const turn = newTurn(context, conversation_id, { queued: true })
  const message_id = turn.answer.id
  return {
    statements: [...before, taintConversation(conversation_id), insertMessage(question), ...turn.statements],
    events: [...events, event('agent.run.started', { conversation_id, message_id })],
    announce: () => context.process.wake(),
    result: { conversation_id, message_id },
  }
}

async function workflow(
  context: Context,
  { workflow_id, input }: Of<'workflow'>,
  { trigger, data }: Starter,
): Promise<Prepared> {
  const workflow = await findShownWorkflow(context, workflow_id)
  if (!workflow) throw conflict('The workflow was deleted')
  if (workflow.status === 'disabled') throw conflict('The workflow is disabled; activate it')
  const value = input.trim() === '' ? data : await templateValue(input, data)
  const { execution, ...started } = await startExecution(context, workflow, { trigger, input: value })
  return { ...started, result: { workflow_id, execution_id: execution.id } }
}

async function job(context: Context, { job_id }: Of<'job'>): Promise<Prepared> {
  const { run_id, statements } = await newRun(context, job_id)
  return { statements, events: [], announce: () => context.process.wake(), result: { job_id, run_id } }
}

async function target(
  context: Context,
  { kind, id }: { kind: 'loop' | 'project'; id: string },
  { name, run_id }: Starter,
): Promise<Prepared> {
  const started = await (await requireTarget(context, kind)).start(
    context,
    { ...targetFields(kind, id), id: run_id, name, goal: name, budget: null, trust: 'owner' },
    {
      id: run_id,
      trigger: 'manual',
    },
  )
  const { statements, events, started_id } = started
  return {
    statements,
    events,
    announce: () => context.process.wake(),
    result: { [`${kind}_id`]: id, started_id },
  }
}
