import type { Agent } from '../../runtime/tools/agent.ts'
import { useEndpoint } from '../api/query.ts'

/** All agents; none until they are known. */
export const useAgents = (): readonly Agent[] => useEndpoint('/api/agents').data?.agents ?? []

/** The name of an agent; undefined until it is known, and after the agent was deleted. */
export const useAgentName = (id: string | null | undefined): string | undefined =>
  useAgents().find((agent) => agent.id === id)?.name

/** The agents that can be given work, the default first. */
export const useEnabledAgents = (): readonly Agent[] =>
  useAgents()
    .filter(({ enabled }) => enabled)
    .sort((a, b) => Number(b.is_default) - Number(a.is_default))
