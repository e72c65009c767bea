import { defineArea } from '../area.ts'

export const providersArea = defineArea({
  name: 'providers',
  events: async () => (await import('./events.ts')).providersEvents,
  shared_events: ['provider.updated', 'provider.failover', 'provider.returned'],
  start: async (host) => (await import('./stored-keys.ts')).openKeys(host),
  tables: ['providers', 'provider_limits', 'model_cooldowns', 'model_prices'],
})
