import { requireDefaultAgent } from '../agents/agents.ts'
import type { Host } from '../host.ts'
import type { AgentTool } from './agent-tool.ts'
import { findTool, toolsFor } from './registry.ts'

/** Every tool that some agent could have here: what is built in, skills, and what servers were approved for. */
export async function listTools(host: Pick<Host, 'sql' | 'secrets' | 'tool_servers'>): Promise<AgentTool[]> {
  const agent = await requireDefaultAgent(host)
  const everything = {
    ...agent,
    tools: { allow: ['*'], deny: [] },
    skills: ['*'],
    mcp_servers: ['*'],
    memory: { ...agent.memory, enabled: true },
  }
  return (await toolsFor(everything, host)).map(({ name, description }) => ({
    name,
    summary: firstSentence(description),
    source: sourceOf(name),
  }))
}

function sourceOf(name: string): AgentTool['source'] {
  if (findTool(name)) return 'built-in'
  return name === 'skill' ? 'skill' : 'server'
}

const firstSentence = (text: string): string => /^.*?[.!?:;](?=\s|$)/s.exec(text)?.[0] ?? text
