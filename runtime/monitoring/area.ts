import { defineArea } from '../area.ts'
import { commit } from '../events/commit.ts'
import { event } from '../events/event.ts'
import { measurements } from '../measurements.ts'
import { minute } from '../time.ts'
import type { WorkSource } from '../work/source.ts'
import { releaseReservations } from './ledger.ts'

/** Stores what was measured. The modules are loaded when there is something to store. */
const storing: WorkSource = {
  async queueDue(host) {
    const [first] = measurements(host).pending.keys()
    if (first === undefined || first + minute > host.clock.now()) return
    await (await import('./performance.ts')).storeMeasurements(host)
  },
  nextDue: async (host) => {
    const [first] = measurements(host).pending.keys()
    return first === undefined ? null : Math.max(first + minute, host.clock.now() + 1)
  },
  clockSetBack: async () => undefined,
}

export const monitoringArea = defineArea({
  name: 'monitoring',
  events: async () => (await import('./events.ts')).monitoringEvents,
  shared_events: ['budget.changed', 'budget.warning', 'budget.exceeded', 'daemon.started', 'daemon.stopping'],
  tables: ['model_calls', 'budgets', 'performance_samples', 'alerts', 'alert_history'],
  owned_tables: ['model_calls', 'budgets'],
  sources: [storing],
  prune: async (host) => (await import('./performance-store.ts')).pruneSamples(host),
  async start(host, { alone }) {
    await releaseReservations(host, alone)
    await commit(host, [], [event('daemon.started', { version: host.config.version })])
  },
})
