import { z } from 'zod'
import { callTool, findAgentTool, passToolGate } from '../call-tool.ts'
import { nodeType } from '../node-type.ts'

export const tool = nodeType({
  type: 'tool',
  title: 'Tool',
  description:
    'Calls a tool that an agent has, of hearthd or of a connected tool server, without a model. Its output is that of the tool.',
  category: 'action',
  params: z.object({
    tool: z.string().min(1).max(200).meta({ 'x-format': 'tool' }),
    input: z.record(z.string(), z.unknown()).default({}),
    agent_id: z.string().max(64).default('').meta({
      description: 'The agent whose tools and files are used; empty for the default agent',
      'x-format': 'agent',
    }),
  }),
  risk: 'high',
  side_effects: true,
  async effect({ tool, input, agent_id }, context) {
    const found = await findAgentTool(context, agent_id, tool)
    const parsed = found?.input.safeParse(input)
    return !found || !parsed?.success || found.effect(parsed.data) !== 'read'
  },
  async problems({ tool, agent_id }, context) {
    const found = await findAgentTool(context, agent_id, tool)
    return found ? [] : [{ field: 'tool', message: `is not a tool of this agent: ${tool}` }]
  },
  gate: (params, scope) => passToolGate(scope, params, (input) => ({ ...params, input })),
  run: async ({ tool, input, agent_id }, scope) => ({
    output: await callTool(scope, { agent_id, tool, input }),
  }),
})
