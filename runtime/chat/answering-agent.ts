import { requireDefaultAgent } from '../agents/agents.ts'
import type { Agent } from '../agents/schema.ts'
import { findAgent } from '../agents/store.ts'
import { conflict } from '../fault.ts'
import type { Host } from '../host.ts'
import type { Conversation } from './schema.ts'

type Needs = Pick<Host, 'sql'>
type Owned = Pick<Conversation, 'agent_id'>

/** Who answers in a conversation, or why nobody does and what a person can do about it. */
export async function answeringAgent(
  host: Needs,
  { agent_id }: Owned,
): Promise<{ ok: true; agent: Agent } | { ok: false; reason: string }> {
  const agent = agent_id === null ? await requireDefaultAgent(host) : await findAgent(host, agent_id)
  if (!agent)
    return {
      ok: false,
      reason: 'The agent of this conversation was deleted; choose another agent for the conversation',
    }
  if (!agent.enabled)
    return {
      ok: false,
      reason: `The agent ${agent.name} is disabled; enable it, or choose another agent for the conversation`,
    }
  return { ok: true, agent }
}

/** A message that nobody would answer is refused with a 409, so that nothing of it is stored. */
export async function requireAnsweringAgent(host: Needs, conversation: Owned): Promise<void> {
  const found = await answeringAgent(host, conversation)
  if (!found.ok) throw conflict(found.reason)
}
