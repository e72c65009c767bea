/** The door of agents: what its neighbours may use. */

// Agents by their rules: who answers, who may use one.
export {
  answeringAgent,
  canUse,
  exportAgent,
  importAgent,
  NewAgent,
  namedAgent,
  namedEnabledAgent,
  requireAgent,
  requireAnsweringAgent,
  requireDefaultAgent,
  visibleAgents,
  workingAgent,
} from './agents.ts'
// The kinds of agents to start from.
export { archetypes } from './archetypes.ts'
// Changing the settings of all agents.
export { changeAgentSettings } from './change-settings.ts'
// Whether the caller may use an agent.
export { isUsableAgent } from './references.ts'
// The figures of an agent.
export type { AgentStats } from './schema.ts'
// The settings of all agents.
export { type AgentSettings, agentSettings } from './settings.ts'
// Agents as rows.
export { findAgent, listAgents } from './store.ts'
