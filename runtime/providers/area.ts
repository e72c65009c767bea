import { defineArea } from '../area.ts'

export const providersArea = defineArea({
  name: 'providers',
  events: async () => (await import('./events.ts')).providersEvents,
  shared_events: ['provider.updated', 'provider.failover', 'provider.returned'],
  tables: ['providers', 'provider_limits', 'model_cooldowns', 'model_prices'],
})
