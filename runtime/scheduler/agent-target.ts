import { findAgent, namedEnabledAgent, requireDefaultAgent } from '../agents/index.ts'
import {
  changesIn,
  createdEvent,
  draft,
  draftConversation,
  findConversation,
  findMessage,
  insertConversation,
  insertGoal,
  NewConversation,
  newTurn,
  stopTurn,
  taintConversation,
  turnKind,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict } from '../fault.ts'
import { offlineProvider } from '../models/models.ts'
import { prompt } from '../prompts/prompt.ts'
import type { RunOutcome, StartingJob, Target } from '../schedules/targets.ts'
import { cut } from '../tools/text.ts'
import { listWork } from '../work/select.ts'
import { chainInput } from './chain-runs.ts'
import { endOf } from './kinds.ts'
import { previousRun } from './run-store.ts'

/** A job that gives an agent its goal, in a new conversation for each run. */
export const agentTarget: Target = {
  async check(context, { agent_id, target }) {
    const id = agent_id ?? target.id ?? (await requireDefaultAgent(context)).id
    await namedEnabledAgent(context, id, agent_id === null ? 'target.id' : 'agent_id')
    return { agent_id: id, id }
  },
  async start(context, job, run) {
    await requireAgent(context, job)
    const drafted = await draftConversation(
      context,
      NewConversation.parse({ title: job.name, model: job.model, agent_id: job.agent_id ?? undefined }),
    )
    const conversation = { ...drafted, kind: 'scheduled' as const, execution_mode: job.execution_mode }
    const chained = run.trigger === 'chain' || run.trigger === 'retry'
    const input = chained ? await chainInput(context, run.id) : null
    const content = input ? `${job.goal}\n\n${input.text}` : job.goal
    const goal = draft(context, conversation.id, { role: 'user', content })
    const turn = newTurn(context, conversation.id, {
      spender: { job_id: job.id, run_ref: run.id },
      followed_by: endOf(run),
      about: await aboutJob(context, job, run.id),
      queued: true,
    })
    const data = { conversation_id: conversation.id, message_id: turn.answer.id }
    return {
      ...data,
      started_id: null,
      statements: [
        insertConversation(conversation),
        ...(input?.tainted ? [taintConversation(conversation.id)] : []),
        ...insertGoal(goal, job.trust),
        ...turn.statements,
      ],
      events: [createdEvent(conversation), event('agent.run.started', data)],
    }
  },
  async outcome(context, { message_id }): Promise<RunOutcome | null> {
    const message = message_id === null ? null : await findMessage(context, message_id)
    if (!message) return { status: 'cancelled', error: 'Its conversation was deleted' }
    if (message.status === 'streaming') return null
    const { content, error, provider, input_tokens, output_tokens, cost_usd } = message
    const result = {
      output: (await resultText(provider, content)) || null,
      input_tokens,
      output_tokens,
      cost_usd,
    }
    if (!error) return { status: 'succeeded', ...result }
    const isLost = error.code === 'interrupted' && (await changesIn(context, [message], 'unknown')).length > 0
    const failed = error.code === 'cancelled' ? 'cancelled' : 'failed'
    return { status: isLost ? 'lost' : failed, error: error.message, ...result }
  },
  subjects: async (_, { message_id }) => (message_id === null ? [] : [message_id]),
  async stop(context, { message_id }) {
    if (message_id === null) return true
    await stopTurn(context, message_id)
    const open = await listWork(context, { kind: turnKind, subject: message_id })
    return open.every(({ lease_owner }) => lease_owner === context.process.owner)
  },
}

/** The job and how its last run ended, for the agent. */
async function aboutJob(context: Context, { id: job_id, name }: StartingJob, run_id: string): Promise<string> {
  const last = await previousRun(context, { id: run_id, job_id })
  const conversation = last?.conversation_id ? await findConversation(context, last.conversation_id) : null
  // What untrusted text may have led to is left out: with it, this run would be untrusted from the start.
  const result = conversation?.tainted === false ? (last?.output ?? last?.error ?? '') : ''
  return prompt('job', {
    name,
    at: last?.completed_at ? `${last.completed_at.slice(0, 16).replace('T', ' ')} UTC` : '',
    status: last?.status ?? '',
    result: cut(result, maxResult).text,
  })
}

/** Characters of the last run's result. */
const maxResult = 4_000

/** Without the offline model's notes about itself. */
async function resultText(provider: string | null, content: string): Promise<string> {
  if (provider !== offlineProvider) return content
  return (await import('../models/offline/notice.ts')).withoutNotice(content)
}

/** Errors are shown in the list of runs, so they name no field of the job. */
async function requireAgent(context: Context, { agent_id }: StartingJob): Promise<void> {
  const agent = agent_id === null ? null : await findAgent(context, agent_id)
  if (agent_id !== null && !agent) throw conflict('Its agent was deleted; choose another for the job')
  if (agent && !agent.enabled)
    throw conflict(`Its agent ${agent.name} is disabled; enable it, or choose another for the job`)
}
