import type { Context } from '../context.ts'
import { matchesAny } from '../tools/policy.ts'
import { builtInTools } from '../tools/registry.ts'
import { canUse } from './agents.ts'
import { findAgent } from './store.ts'
import { listTools } from './tools.ts'

export async function isUsableAgent(context: Context, id: string): Promise<boolean> {
  const agent = await findAgent(context, id)
  return agent !== null && canUse(context, agent)
}

/** Whether a pattern names a tool that agents can have here. */
export async function isTool(context: Context, pattern: string): Promise<boolean> {
  if (pattern === '*') return true
  const tools = [...(await builtInTools(context)), ...(await listTools(context))]
  return tools.some(({ name }) => matchesAny([pattern], name)) || pattern === 'skill'
}
