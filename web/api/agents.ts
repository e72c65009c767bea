import { queryOptions } from '@tanstack/react-query'
import type { Agent, AgentStats, Archetype } from '../../runtime/agents/schema.ts'
import type { AgentTool } from '../../runtime/tools/tool.ts'
import type { Api } from './client.ts'

export type { Agent, AgentStats, Archetype }

export const agentsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => api.get<{ agents: Agent[]; count: number }>('/api/agents', {}, signal),
  })

export const agentStatsQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['agents', id, 'stats'],
    queryFn: ({ signal }) => api.get<AgentStats>(`/api/agents/${id}/stats`, {}, signal),
  })

/** Every tool that an agent may be allowed or denied. */
export const agentToolsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['agents', 'tools'],
    queryFn: ({ signal }) => api.get<{ tools: AgentTool[]; count: number }>('/api/agents/tools', {}, signal),
  })

export const archetypesQuery = (api: Api) =>
  queryOptions({
    queryKey: ['archetypes'],
    queryFn: ({ signal }) =>
      api.get<{ archetypes: Archetype[]; count: number }>('/api/agents/archetypes', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
