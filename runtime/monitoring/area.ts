import { defineArea } from '../area.ts'
import { commit } from '../events/commit.ts'
import { event } from '../events/event.ts'
import { releaseReservations } from './ledger.ts'

export const monitoringArea = defineArea({
  name: 'monitoring',
  events: async () => (await import('./events.ts')).monitoringEvents,
  shared_events: ['budget.changed', 'budget.warning', 'budget.exceeded', 'daemon.started', 'daemon.stopping'],
  tables: ['model_calls', 'budgets'],
  owned_tables: ['model_calls', 'budgets'],
  async start(host, { alone }) {
    await releaseReservations(host, alone)
    await commit(host, [], [event('daemon.started', { version: host.config.version })])
  },
})
