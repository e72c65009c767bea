import { defineArea } from '../area.ts'

export const providersArea = defineArea({
  name: 'providers',
  tables: ['providers', 'provider_limits', 'model_cooldowns', 'model_prices'],
})
