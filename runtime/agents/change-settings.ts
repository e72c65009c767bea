import type { Context } from '../context.ts'
import type { Subset } from '../sections/merge.ts'
import { changeSection } from '../sections/section.ts'
import { changeAgent, namedEnabledAgent } from './agents.ts'
import { type AgentSettings, agentSettings } from './settings.ts'

export async function changeAgentSettings(
  context: Context,
  { default_agent_id, ...change }: Subset<AgentSettings>,
): Promise<void> {
  if (default_agent_id !== undefined) await makeDefault(context, default_agent_id)
  if (Object.keys(change).length > 0) await changeSection(context, agentSettings, change)
}

async function makeDefault(context: Context, id: string): Promise<void> {
  const agent = await namedEnabledAgent(context, id, 'default_agent_id')
  if (!agent.is_default) await changeAgent(context, id, { is_default: true })
}
