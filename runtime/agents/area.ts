import { defineArea } from '../area.ts'
import { workContext } from '../work/run.ts'
import { ensureDefaultAgent } from './agents.ts'

export const agentsArea = defineArea({
  name: 'agents',
  events: async () => (await import('./events.ts')).agentsEvents,
  tables: ['agents'],
  start: (host) => ensureDefaultAgent(workContext(host, { id: 'start' }, host.process.stopping)),
})
