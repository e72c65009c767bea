import { useQuery } from '@tanstack/react-query'
import { createContext } from 'react'
import { type Agent, agentsQuery } from '../../api/agents.ts'
import { useApi } from '../../app/services.tsx'
import { useView } from './sessions.tsx'
import type { ChatSession } from './state/session.ts'

const unknown: Pick<Agent, 'name' | 'avatar'> = { name: 'Agent', avatar: null }

/** The agents that may be talked to, the default first. */
export function useAgents(): readonly Agent[] {
  const agents = useQuery(agentsQuery(useApi())).data?.agents ?? []
  return agents.filter((agent) => agent.enabled).sort((a, b) => Number(b.is_default) - Number(a.is_default))
}

/** Who answers in the conversation that is shown. */
export const AgentContext = createContext(unknown)

/** Who answers in a conversation. */
export function useConversationAgent(session: ChatSession): Pick<Agent, 'name' | 'avatar'> {
  const id = useView(session, ({ thread }) => thread.conversation?.agent_id)
  const agents = useQuery(agentsQuery(useApi())).data?.agents
  return agents?.find((agent) => agent.id === id) ?? unknown
}
