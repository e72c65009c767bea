import { defineArea } from '../area.ts'
import { workContext } from '../work/run.ts'
import { ensureDefaultAgent } from './agents.ts'

export const agentsArea = defineArea({
  name: 'agents',
  events: async () => (await import('./events.ts')).agentsEvents,
  shared_events: ['agent.created', 'agent.updated', 'agent.deleted'],
  tables: ['agents'],
  start: (host) => ensureDefaultAgent(workContext(host, { id: 'start' }, host.process.stopping)),
})
