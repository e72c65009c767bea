import { defineArea } from '../area.ts'
import { releaseReservations } from './ledger.ts'

export const monitoringArea = defineArea({
  name: 'monitoring',
  events: async () => (await import('./events.ts')).monitoringEvents,
  shared_events: ['budget.changed', 'budget.warning', 'budget.exceeded'],
  tables: ['model_calls', 'budgets'],
  owned_tables: ['model_calls', 'budgets'],
  start: (host, { alone }) => releaseReservations(host, alone),
})
