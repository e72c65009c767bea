import { defineArea } from '../area.ts'
import { workContext } from '../work/run.ts'
import { ensureDefaultAgent } from './agents.ts'

export const agentsArea = defineArea({
  name: 'agents',
  references: {
    agent: async (context, id) => (await import('./references.ts')).isUsableAgent(context, id),
    tool: async (context, name) => (await import('./references.ts')).isTool(context, name),
  },
  events: async () => (await import('./events.ts')).agentsEvents,
  shared_events: ['agent.created', 'agent.updated', 'agent.deleted'],
  tables: ['agents'],
  start: (host) => ensureDefaultAgent(workContext(host, { id: 'start' }, host.process.stopping)),
})
