import { findAgent } from '../agents/store.ts'
import { insertConversation, taintConversation } from '../chat/conversation-store.ts'
import { createdEvent, draftConversation } from '../chat/conversations.ts'
import { draft, findMessage, insertMessage } from '../chat/message-store.ts'
import { NewConversation, turnKind } from '../chat/schema.ts'
import { newTurn } from '../chat/send.ts'
import { stopTurn } from '../chat/turns.ts'
import type { Context } from '../context.ts'
import { conflict } from '../fault.ts'
import { listWork } from '../work/select.ts'
import { handoverTo } from './chains/handover.ts'
import type { StoredJob } from './job-store.ts'
import { endKind } from './kinds.ts'
import type { RunEnd } from './run-schema.ts'
import type { Target } from './targets.ts'

/** A job that gives an agent its goal, in a conversation of its own for each run. */
export const agentTarget: Target = {
  async begin(context, job, run) {
    await requireAgent(context, job)
    const wish = {
      title: job.name,
      model: job.model,
      ...(job.agent_id === null ? {} : { agent_id: job.agent_id }),
    }
    const drafted = await draftConversation(context, NewConversation.parse(wish))
    const conversation = { ...drafted, kind: 'scheduled' as const, execution_mode: job.execution_mode }
    const chained = run.trigger === 'chain' || run.trigger === 'retry'
    const handed = chained ? await handoverTo(context, run.id) : null
    const content = handed ? `${job.goal}\n\n${handed.text}` : job.goal
    const asked = draft(context, conversation.id, { role: 'user', content })
    const spender = { job_id: job.id, run_ref: run.id }
    const turn = newTurn(context, conversation.id, {
      spender,
      followed_by: { kind: endKind, subject: run.id },
      queued: true,
    })
    const data = { conversation_id: conversation.id, message_id: turn.answer.id }
    return {
      ...data,
      statements: [
        insertConversation(conversation),
        ...(handed?.tainted ? [taintConversation(conversation.id)] : []),
        insertMessage(asked),
        ...turn.statements,
      ],
      events: [createdEvent(conversation), { type: 'agent.run.started', data }],
    }
  },
  async ending(context, { message_id }): Promise<RunEnd | null> {
    const message = message_id === null ? null : await findMessage(context, message_id)
    if (!message) return { status: 'cancelled', error: 'Its conversation was deleted' }
    if (message.status === 'streaming') return null
    const { content, error, input_tokens, output_tokens, cost_usd } = message
    const spent = { output: content || null, input_tokens, output_tokens, cost_usd }
    if (!error) return { status: 'succeeded', ...spent }
    return { status: statuses[error.code] ?? 'failed', error: error.message, ...spent }
  },
  async stop(context, { message_id }) {
    if (message_id === null) return true
    await stopTurn(context, message_id)
    const open = await listWork(context, { kind: turnKind, subject: message_id })
    return open.every(({ lease_owner }) => lease_owner === context.process.owner)
  },
}

const statuses: Partial<Record<string, RunEnd['status']>> = { interrupted: 'lost', cancelled: 'cancelled' }

/** People read this in the list of runs, where a field of the job would tell them nothing. */
async function requireAgent(context: Context, { agent_id }: StoredJob): Promise<void> {
  const agent = agent_id === null ? null : await findAgent(context, agent_id)
  if (agent_id !== null && !agent) throw conflict('Its agent was deleted; choose another for the job')
  if (agent && !agent.enabled)
    throw conflict(`Its agent ${agent.name} is disabled; enable it, or choose another for the job`)
}
