import { z } from 'zod'
import type { Agent } from '../agents/schema.ts'
import type { ToolSpec } from '../ports/models.ts'
import { armCheckInTool } from './arm-check-in.ts'
import { askUser } from './ask-user.ts'
import { files } from './files.ts'
import { httpRequest } from './http-request.ts'
import { memorySave } from './memory-save.ts'
import { memorySearch } from './memory-search.ts'
import { time } from './time.ts'
import { todo } from './todo.ts'
import type { Tool } from './tool.ts'
import { webFetch } from './web-fetch.ts'

/** Every built-in tool, in the order in which models see them. */
export const tools: readonly Tool[] = [
  memorySearch,
  memorySave,
  webFetch,
  httpRequest,
  files,
  todo,
  armCheckInTool,
  askUser,
  time,
]

export const findTool = (name: string): Tool | undefined => tools.find((tool) => tool.name === name)

/** What an agent may use: allowed and not denied. Without a memory it has no tools of memory either. */
export function toolsFor(agent: Agent): Tool[] {
  const { allow, deny } = agent.tools
  return tools.filter(({ name }) => {
    if (!agent.memory.enabled && name.startsWith('memory_')) return false
    return matchesAny(allow, name) && !matchesAny(deny, name)
  })
}

/** Patterns are names, `prefix*`, or `*` for all. */
function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
  )
}

const specs = new WeakMap<Tool, ToolSpec>()

/** The tool as a model sees it; made once, for schemas do not change. */
export function toSpec(tool: Tool): ToolSpec {
  const known = specs.get(tool)
  if (known) return known
  const { $schema: _, ...input_schema } = z.toJSONSchema(tool.input, { io: 'input' })
  const spec = { name: tool.name, description: tool.description, input_schema }
  specs.set(tool, spec)
  return spec
}
