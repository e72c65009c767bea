import { z } from 'zod'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { ToolSpec } from '../ports/models.ts'
import type { Agent } from './agent.ts'
import { matchesAny } from './policy.ts'
import type { Tool } from './tool.ts'

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

/** Tools that the agent has by its own settings: its skills and those of its servers. */
const ownTools = async (host: Host, agent: Agent): Promise<readonly Tool[]> =>
  (await Promise.all(host.areas.map((area) => area.agent_tools?.(host, agent) ?? []))).flat()

/**
 * The tools of an agent: built-in ones, its skills and those of its servers, where allowed and not denied. An agent
 * without memory has no memory tools.
 */
export async function toolsFor(agent: Agent, host: Host & Calling, { unattended = false } = {}): Promise<Tool[]> {
  const { allow, deny } = agent.tools
  const lists = await Promise.all([builtInTools(host), callerTools(host), ownTools(host, agent)])
  const allowed = lists.flat().filter(({ name }) => {
    if (!agent.memory.enabled && name.startsWith('memory_')) return false
    return matchesAny(allow, name) && !matchesAny(deny, name)
  })
  const offered = await Promise.all(allowed.map((tool) => tool.offered?.({ agent, host, unattended }) ?? true))
  return allowed.filter((_, index) => offered[index])
}

/** JSON Schemas, computed once per schema, which never changes. */
const schemas = new WeakMap<z.ZodType, Record<string, unknown>>()

export const toSpec = ({ name, description, input, input_schema }: Tool): ToolSpec => ({
  name,
  description,
  input_schema: input_schema ?? schemaOf(input),
})

/** What only forms need, and limits that a call is told when it breaks them. */
const unsent = [
  ...['title', 'format', 'x-format', 'labels', 'step'],
  ...['minLength', 'maxLength', 'maxItems', 'propertyNames'],
]

/** Converted once for each schema. */
function schemaOf(input: z.ZodType): Record<string, unknown> {
  const cached = schemas.get(input)
  if (cached) return cached
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override({ jsonSchema }) {
      for (const key of unsent) delete jsonSchema[key]
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  schemas.set(input, schema)
  return schema
}
