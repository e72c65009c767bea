import { z } from 'zod'
import { requireDefaultAgent } from '../agents/agents.ts'
import type { Agent } from '../agents/schema.ts'
import type { Host } from '../host.ts'
import type { ToolSpec } from '../ports/models.ts'
import { serverTools } from '../settings/mcp/tools.ts'
import { skillTool } from '../settings/skills/tool.ts'
import { armCheckInTool } from './arm-check-in.ts'
import { askUser } from './ask-user.ts'
import { browser } from './browser.ts'
import { cancelJob } from './cancel-job.ts'
import { files } from './files.ts'
import { httpRequest } from './http-request.ts'
import { listJobs } from './list-jobs.ts'
import { memorySave } from './memory-save.ts'
import { memorySearch } from './memory-search.ts'
import { matchesAny } from './policy.ts'
import { scheduleJob } from './schedule-job.ts'
import { time } from './time.ts'
import { todo } from './todo.ts'
import type { AgentTool, Tool } from './tool.ts'
import { webFetch } from './web-fetch.ts'

/** Every built-in tool, in the order in which models see them. */
export const tools: readonly Tool[] = [
  memorySearch,
  memorySave,
  webFetch,
  httpRequest,
  browser,
  files,
  todo,
  armCheckInTool,
  scheduleJob,
  listJobs,
  cancelJob,
  askUser,
  time,
]

export const findTool = (name: string): Tool | undefined => tools.find((tool) => tool.name === name)

/**
 * The tools of an agent: built-in ones, its skills and those of its servers, where allowed and not denied. An agent
 * without memory has no memory tools.
 */
export async function toolsFor(
  agent: Agent,
  host: Pick<Host, 'sql' | 'secrets' | 'tool_servers'>,
): Promise<Tool[]> {
  const { allow, deny } = agent.tools
  const own = await Promise.all([skillTool(host, agent), serverTools(host, agent)])
  return [...tools, ...own.flat()].filter(({ name }) => {
    if (!agent.memory.enabled && name.startsWith('memory_')) return false
    return matchesAny(allow, name) && !matchesAny(deny, name)
  })
}

/** Every tool that an agent could have here: built-in tools, skills, and the approved tools of servers. */
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

const schemas = new WeakMap<z.ZodType, Record<string, unknown>>()

/** The tool as a model sees it. */
export const toSpec = ({ name, description, input, input_schema }: Tool): ToolSpec => ({
  name,
  description,
  input_schema: input_schema ?? schemaOf(input),
})

/** Converted once for each schema. */
function schemaOf(input: z.ZodType): Record<string, unknown> {
  const known = schemas.get(input)
  if (known) return known
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  schemas.set(input, schema)
  return schema
}
