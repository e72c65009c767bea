import { defineArea } from '../area.ts'
import { commit } from '../events/commit.ts'
import { wasUsed } from './store.ts'

export const sandboxArea = defineArea({
  name: 'sandbox',
  events: async () => (await import('./events.ts')).sandboxEvents,
  tables: ['sandbox_containers', 'sandbox_commands'],
  owned_tables: ['sandbox_containers'],
  work: { 'sandbox.upkeep': async () => (await import('./containers.ts')).sandboxUpkeep },
  tools: async () => [(await import('./run-code.ts')).runCode, (await import('./shell.ts')).shell],
  async start(host, { alone }) {
    if (!alone || !(await wasUsed(host))) return
    const { upkeepAt } = await import('./containers.ts')
    await commit(host, [upkeepAt(host, host.clock.now())])
  },
})
