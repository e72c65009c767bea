import { z } from 'zod'
import {
  AgentFile,
  agents,
  copyAgent,
  exportAgent,
  importAgent,
  requireAgent,
  visibleAgents,
} from '../../runtime/agents/agents.ts'
import { archetypes as experts } from '../../runtime/agents/archetypes.ts'
import { AgentStats, Archetype } from '../../runtime/agents/schema.ts'
import { AgentTool } from '../../runtime/agents/tools.ts'
import { statsOfAgent } from '../../runtime/chat/index.ts'
import { endpointsOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Agent } from '../../runtime/tools/agent.ts'

export const list = endpoint(`GET ${agents.path}`, {
  owner: 'shared',
  summary: agents.summaries.list,
  returns: z.object({ agents: z.array(Agent), count: z.int() }),
  async run(_, context) {
    const agents = await visibleAgents(context)
    return { agents, count: agents.length }
  },
})

export const { create, show, update, remove } = endpointsOf(agents)

export const duplicate = verbOf(agents, 'duplicate', {
  summary: 'Copy an agent under a new name',
  status: 201,
  run: copyAgent,
})

export const stats = endpoint('GET /api/agents/{id}/stats', {
  summary: 'Get the activity and cost of an agent',
  returns: AgentStats,
  async run({ params }, context) {
    await requireAgent(context, params.id)
    return { agent_id: params.id, ...(await statsOfAgent(context, params.id)) }
  },
})

export const exportOne = endpoint('GET /api/agents/{id}/export', {
  owner: 'shared',
  summary: 'Export an agent',
  returns: AgentFile,
  async run({ params, reply }, context) {
    const file = exportAgent(context, await requireAgent(context, params.id))
    return reply(file, { headers: { 'content-disposition': 'attachment; filename="agent.json"' } })
  },
})

export const importOne = endpoint('POST /api/agents/import', {
  owner: 'shared',
  summary: 'Create an agent from a file',
  body: AgentFile,
  returns: Agent,
  status: 201,
  run: ({ body }, context) => importAgent(context, body),
})

export const tools = endpoint('GET /api/agents/tools', {
  owner: 'shared',
  summary: 'List the tools that an agent can be allowed or denied',
  returns: z.object({ tools: z.array(AgentTool), count: z.int() }),
  async run(_, context) {
    const { listTools } = await import('../../runtime/agents/tools.ts')
    const tools = await listTools(context)
    return { tools, count: tools.length }
  },
})

export const archetypes = endpoint('GET /api/agents/archetypes', {
  owner: 'shared',
  summary: 'List experts to start an agent from',
  returns: z.object({ archetypes: z.array(Archetype), count: z.int() }),
  run: () => ({ archetypes: experts.slice(), count: experts.length }),
})
