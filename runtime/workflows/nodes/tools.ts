import { z } from 'zod'
import { callTool, findAgentTool, passToolGate } from '../call-tool.ts'
import { agentId, nodeType } from '../node-type.ts'

export const tool = nodeType({
  type: 'tool',
  title: 'Tool',
  description:
    'Calls a tool that an agent has, of hearthd or of a connected tool server, without a model. Its output is that of the tool.',
  category: 'action',
  params: z.object({
    tool: z.string().min(1).max(200).meta({ 'x-format': 'tool' }),
    input: z.record(z.string(), z.unknown()).default({}),
    agent_id: agentId('The agent whose tools and files are used. Leave blank for the default agent'),
  }),
  risk: 'high',
  side_effects: true,
  async effect({ tool, input, agent_id }, context) {
    const agentTool = await findAgentTool(context, agent_id, tool)
    const parsed = agentTool?.input.safeParse(input)
    return !agentTool || !parsed?.success || agentTool.effect(parsed.data) !== 'read'
  },
  async problems({ tool, agent_id }, context) {
    const agentTool = await findAgentTool(context, agent_id, tool)
    return agentTool ? [] : [{ field: 'tool', message: `is not a tool of this agent: ${tool}` }]
  },
  gate: (params, scope) => passToolGate(scope, params, (input) => ({ ...params, input })),
  run: async ({ tool, input, agent_id }, scope) => ({
    output: await callTool(scope, { agent_id, tool, input }),
  }),
})

/** Actions that only look. */
const reads = new Set(['open', 'read', 'snapshot', 'screenshot', 'pdf', 'tabs', 'back'])

export const browser = nodeType({
  type: 'browser',
  title: 'Browser',
  description:
    'Uses the browser in a tab of its own: open or read a page, act on an element, take a screenshot. Its output is what the page shows.',
  category: 'action',
  params: z
    .object({
      action: z.enum(['open', 'read', 'snapshot', 'act', 'screenshot', 'pdf', 'download', 'back']).default('read'),
      url: z.string().max(4_096).optional(),
      act: z
        .string()
        .max(50)
        .optional()
        .meta({ title: 'Element action', description: 'For the action Act: click, fill, select and so on' }),
      selector: z.string().max(2_000).optional(),
      text: z.string().max(20_000).optional(),
      value: z.string().max(20_000).optional(),
      key: z.string().max(50).optional(),
      path: z
        .string()
        .max(1_000)
        .optional()
        .meta({ description: 'File in the workspace, for screenshot, pdf and download' }),
      max_chars: z.int().min(200).max(200_000).optional().meta({ title: 'Longest text in characters' }),
    })
    .loose(),
  risk: 'high',
  side_effects: true,
  effect: ({ action }) => !reads.has(action),
  gate: (input, scope) =>
    passToolGate(scope, { agent_id: '', tool: 'browser', input }, (changed) => changed as typeof input),
  run: async (input, scope) => ({ output: await callTool(scope, { agent_id: '', tool: 'browser', input }) }),
})
