import { z } from 'zod'
import type { Context } from '../context.ts'
import { addAgent } from './agents.ts'
import { type Agent, NewAgent } from './schema.ts'

/** An agent as a file that another hearthd takes. It holds no key and no id. */
export const AgentFile = z.object({
  format: z.literal('hearthd.agent'),
  version: z.literal(1),
  agent: NewAgent.omit({ is_default: true }),
})
export type AgentFile = z.output<typeof AgentFile>

export const exportAgent = (agent: Agent): AgentFile => ({
  format: 'hearthd.agent',
  version: 1,
  agent: AgentFile.shape.agent.parse(agent),
})

/** Tool servers of an imported agent are dropped: a file never connects this machine to anything. */
export const importAgent = (context: Context, file: AgentFile): Promise<Agent> =>
  addAgent(context, { ...file.agent, mcp_servers: [], is_default: false })
