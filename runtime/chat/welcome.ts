import { namedAgent, requireDefaultAgent } from '../agents/index.ts'
import { profile } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { readSection } from '../sections/section.ts'
import { clockIn } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { listConversations } from './conversation-store.ts'
import { requireConversation } from './conversations.ts'
import { draft } from './message-store.ts'
import { injectMessage } from './messages.ts'
import type { Message } from './schema.ts'
import { untitled } from './title.ts'

interface WelcomeRequest {
  agent_id?: string | undefined
  conversation_id?: string | undefined
}

/**
 * A greeting that names the agent and the person's last chat with it. No model is called: pages request a greeting when
 * they open, and opening a page must not cost anything.
 */
export async function welcome(context: Context, request: WelcomeRequest): Promise<Message> {
  const conversation =
    request.conversation_id === undefined ? null : await requireConversation(context, request.conversation_id)
  const id = request.agent_id ?? conversation?.agent_id ?? null
  const agent = id === null ? await requireDefaultAgent(context) : await namedAgent(context, id, 'agent_id')
  const content = await greeting(context, agent, conversation?.id)
  if (!conversation) return draft(context, '', { role: 'assistant', content })
  const injection = { conversation_id: conversation.id, role: 'assistant' as const, content }
  return injectMessage(context, injection, (message) => ({ message }))
}

async function greeting(context: Context, agent: Agent, conversation_id?: string): Promise<string> {
  const { display_name, timezone } = await readSection(context, profile)
  const hello = salutation(Number(clockIn(timezone, context.clock.now()).local.slice(11, 13)))
  const name = display_name && ` ${display_name}`
  const title = await lastTitle(context, agent, conversation_id)
  const about = title === null ? agent.description : `Our last chat was “${title}”.`
  return [`${hello}${name}, I am ${agent.name}.`, about].filter(Boolean).join(' ')
}

function salutation(hour: number): string {
  if (hour >= 5 && hour < 12) return 'Good morning'
  if (hour >= 12 && hour < 18) return 'Good afternoon'
  return hour >= 18 && hour < 23 ? 'Good evening' : 'Hello'
}

/** Chats without a title at the top of the list that are skipped. */
const maxUntitled = 5

/** The title of the caller's latest chat with the agent; null if there is none. */
async function lastTitle(context: Context, agent: Agent, except?: string): Promise<string | null> {
  const filter = { kind: 'user' as const, agent_id: agent.id, limit: maxUntitled + 1, offset: 0 }
  const { rows: conversations } = await listConversations(context, filter)
  const latest = conversations
    .filter(({ id, title }) => id !== except && title !== untitled)
    .sort((left, right) => right.updated_at.localeCompare(left.updated_at))[0]
  return latest?.title ?? null
}
