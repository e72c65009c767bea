import { z } from 'zod'
import { requireDefaultAgent } from '../agents/agents.ts'
import type { Agent } from '../agents/schema.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { ToolSpec } from '../ports/models.ts'
import { serverTools } from '../settings/mcp/tools.ts'
import { skillTool } from '../settings/skills/tool.ts'
import { matchesAny } from './policy.ts'
import type { AgentTool, Tool } from './tool.ts'

/** Every built-in tool, in the order of the areas, which is the order in which models see them. */
export async function builtInTools({ areas }: Pick<Host, 'areas'>): Promise<readonly Tool[]> {
  return (await Promise.all(areas.map((area) => area.tools?.() ?? []))).flat()
}

export const findTool = async (host: Pick<Host, 'areas'>, name: string): Promise<Tool | undefined> =>
  (await builtInTools(host)).find((tool) => tool.name === name)

/** Without a caller there are no tools of a caller. */
type Calling = Partial<Pick<Context, 'caller'>>

/** Tools that belong to the caller, such as workflows that they expose. */
export async function callerTools({
  areas,
  sql,
  caller,
}: Pick<Host, 'areas' | 'sql'> & Calling): Promise<readonly Tool[]> {
  if (!caller) return []
  return (await Promise.all(areas.map((area) => area.caller_tools?.({ sql, caller }) ?? []))).flat()
}

/**
 * The tools of an agent: built-in ones, its skills and those of its servers, where allowed and not denied. An agent
 * without memory has no memory tools.
 */
export async function toolsFor(
  agent: Agent,
  host: Host & Calling,
  { unattended = false } = {},
): Promise<Tool[]> {
  const { allow, deny } = agent.tools
  const lists = await Promise.all([
    builtInTools(host),
    callerTools(host),
    skillTool(host, agent),
    serverTools(host, agent),
  ])
  const allowed = lists.flat().filter(({ name }) => {
    if (!agent.memory.enabled && name.startsWith('memory_')) return false
    return matchesAny(allow, name) && !matchesAny(deny, name)
  })
  const offered = await Promise.all(
    allowed.map((tool) => tool.offered?.({ agent, host, unattended }) ?? true),
  )
  return allowed.filter((_, index) => offered[index])
}

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
