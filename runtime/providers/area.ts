import { defineArea } from '../area.ts'
import { offlineProvider } from '../models/models.ts'
import { ProviderId } from '../models/vendors/index.ts'
import { keyPurpose } from './purposes.ts'

const isProvider = (name: string) => name === offlineProvider || ProviderId.safeParse(name).success

export const providersArea = defineArea({
  name: 'providers',
  references: {
    provider: async (_, name) => isProvider(name),
    // A provider without a model means its default model.
    model: async (_, name) => isProvider(name.split('/', 1)[0] ?? ''),
  },
  events: async () => (await import('./events.ts')).providersEvents,
  shared_events: ['provider.updated', 'provider.failover', 'provider.returned'],
  tables: ['providers', 'provider_limits', 'model_cooldowns', 'model_prices'],
  sealed: [{ table: 'providers', column: 'sealed_key', purpose: keyPurpose }],
})
