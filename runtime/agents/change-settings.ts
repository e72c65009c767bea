import { changeAgent } from '../agents/agents.ts'
import { findAgent } from '../agents/store.ts'
import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import { type AgentSettings, agentSettings } from './agent.ts'
import type { Subset } from './merge.ts'
import { changeSection, showSection } from './section.ts'

export async function changeAgentSettings(
  context: Context,
  { default_agent_id, ...change }: Subset<AgentSettings>,
): Promise<unknown> {
  if (default_agent_id !== undefined) await makeDefault(context, default_agent_id)
  if (Object.keys(change).length > 0) await changeSection(context, agentSettings, change)
  return showSection(context, agentSettings)
}

async function makeDefault(context: Context, id: string): Promise<void> {
  const agent = await findAgent(context, id)
  if (!agent) throw invalidField('default_agent_id', 'names no agent')
  if (!agent.enabled) throw invalidField('default_agent_id', `${agent.name} is disabled`)
  if (!agent.is_default) await changeAgent(context, id, { is_default: true })
}
