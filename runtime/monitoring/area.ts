import { defineArea } from '../area.ts'
import { commit } from '../events/commit.ts'
import { event } from '../events/event.ts'
import { releaseReservations } from '../ledger/ledger.ts'
import { measurements } from '../measurements.ts'
import { processState } from '../process-state.ts'
import { minute } from '../time.ts'
import type { WorkSource } from '../work/source.ts'
import { hasEnabledAlerts, pruneHistory } from './alert-store.ts'
import { alertPurpose } from './purposes.ts'

/** Stores measurements. The modules are loaded when there is something to store. */
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

/** Checks the alerts at the start of each minute, if there are any. */
const alerting: WorkSource = {
  async queueDue(host) {
    const now = host.clock.now()
    if (now < nextCheck(host).at || !(await hasEnabledAlerts(host))) return
    nextCheck(host).at = (Math.floor(now / minute) + 1) * minute
    await (await import('./alert-check.ts')).checkAlerts(host)
  },
  nextDue: async (host) => ((await hasEnabledAlerts(host)) ? nextCheck(host).at : null),
  async clockSetBack(host) {
    nextCheck(host).at = 0
  },
}

const nextCheck = processState(() => ({ at: 0 }))

export const monitoringArea = defineArea({
  name: 'monitoring',
  events: async () => (await import('./events.ts')).monitoringEvents,
  shared_events: [
    'alert.changed',
    'alert.fired',
    'alert.resolved',
    'budget.changed',
    'budget.warning',
    'budget.exceeded',
    'daemon.started',
    'daemon.stopping',
  ],
  tables: ['model_calls', 'model_usage', 'model_requests', 'budgets', 'performance_samples', 'alerts', 'alert_history'],
  owned_tables: ['model_calls', 'model_usage', 'budgets'],
  sealed: [{ table: 'alerts', column: 'delivery', purpose: alertPurpose }],
  work: { 'monitoring.alert_delivery': async () => (await import('./alert-delivery.ts')).alertDelivery },
  sources: [storing, alerting],
  retained: {
    logs: async () => (await import('./logs.ts')).retainedLogs,
    model_requests: async () => (await import('../ledger/request-store.ts')).retainedRequests,
  },
  prune: async (host) => [...(await (await import('./performance-store.ts')).pruneSamples(host)), pruneHistory(host)],
  async start(host, { alone }) {
    await releaseReservations(host, alone)
    // Rates need the first value of a counter.
    for (const type of ['input', 'output', 'cached_input'])
      host.metrics.count('token_usage_total', { model: 'offline', type }, 0)
    await commit(host, [], [event('daemon.started', { version: host.config.version })])
  },
})
