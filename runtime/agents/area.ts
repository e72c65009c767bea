import { defineArea } from '../area.ts'
import { workContext } from '../work/run.ts'
import { ensureDefaultAgent } from './agents.ts'

export const agentsArea = defineArea({
  name: 'agents',
  tables: ['agents'],
  start: (host) => ensureDefaultAgent(workContext(host, { id: 'start' }, host.process.stopping)),
})
