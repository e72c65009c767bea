import { requireAgent, requireDefaultAgent } from '../agents/agents.ts'
import type { Agent } from '../agents/schema.ts'
import type { Context } from '../context.ts'
import type { Tool } from '../tools/tool.ts'
import { requireConversation } from './conversations.ts'
import { draft } from './draft.ts'
import { injectMessage } from './edit.ts'
import type { Message } from './schema.ts'

interface WelcomeRequest {
  agent_id?: string | undefined
  conversation_id?: string | undefined
}

/** A greeting that says who is there and what they can do. It asks no model, so it costs nothing. */
export async function welcome(context: Context, request: WelcomeRequest): Promise<Message> {
  const conversation =
    request.conversation_id === undefined ? null : await requireConversation(context, request.conversation_id)
  const id = request.agent_id ?? conversation?.agent_id ?? null
  const agent = id === null ? await requireDefaultAgent(context) : await requireAgent(context, id)
  const { toolsFor } = await import('../tools/registry.ts')
  const content = greeting(agent, await toolsFor(agent, context))
  if (!conversation) return draft(context, '', { role: 'assistant', content })
  return injectMessage(context, { conversation_id: conversation.id, role: 'assistant', content })
}

function greeting(agent: Agent, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name.replaceAll('_', ' '))
  const about = agent.description === '' ? '' : ` ${agent.description}`
  const able = names.length === 0 ? '' : ` I can use: ${names.join(', ')}.`
  return `Hello, I am ${agent.name}.${about}${able} What shall we do?`
}
