import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import type { Subset } from '../settings/merge.ts'
import { changeSection } from '../settings/section.ts'
import { changeAgent } from './agents.ts'
import { type AgentSettings, agentSettings } from './settings.ts'
import { findAgent } from './store.ts'

export async function changeAgentSettings(
  context: Context,
  { default_agent_id, ...change }: Subset<AgentSettings>,
): Promise<void> {
  if (default_agent_id !== undefined) await makeDefault(context, default_agent_id)
  if (Object.keys(change).length > 0) await changeSection(context, agentSettings, change)
}

async function makeDefault(context: Context, id: string): Promise<void> {
  const agent = await findAgent(context, id)
  if (!agent) throw invalidField('default_agent_id', 'is not the id of an agent')
  if (!agent.enabled) throw invalidField('default_agent_id', `${agent.name} is disabled`)
  if (!agent.is_default) await changeAgent(context, id, { is_default: true })
}
