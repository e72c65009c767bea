import { z } from 'zod'
import type { Host } from '../host.ts'
import { builtInTools, toolsFor } from '../tools/registry.ts'
import { firstSentence } from '../tools/text.ts'
import { requireDefaultAgent } from './agents.ts'

/** A tool as a person selects it for an agent. */
export const AgentTool = z.object({
  name: z.string(),
  summary: z.string().meta({ description: 'The first sentence of its description' }),
  source: z.enum(['built-in', 'skill', 'server']),
})
export type AgentTool = z.output<typeof AgentTool>

/** Every tool that an agent could have here: built-in tools, skills, and the approved tools of servers. */
export async function listTools(host: Host): Promise<AgentTool[]> {
  const agent = await requireDefaultAgent(host)
  const everything = {
    ...agent,
    tools: { allow: ['*'], deny: [] },
    skills: ['*'],
    mcp_servers: ['*'],
    memory: { ...agent.memory, enabled: true },
    sandbox: { mode: 'all' as const },
  }
  const builtIn = new Set((await builtInTools(host)).map(({ name }) => name))
  return (await toolsFor(everything, host)).map(({ name, description }) => ({
    name,
    summary: firstSentence(description),
    source: builtIn.has(name) ? 'built-in' : name === 'skill' ? 'skill' : 'server',
  }))
}
