import { images, priced, vendor } from './vendor.ts'

export const anthropic = vendor({
  id: 'anthropic',
  name: 'Anthropic',
  kind: 'vendor',
  models: [
    priced('claude-sonnet-4-5', 200_000, [3, 15, 0.3]),
    priced('claude-opus-4-1', 200_000, [15, 75, 1.5]),
    priced('claude-haiku-4-5', 200_000, [1, 5, 0.1]),
  ],
  base_url: 'https://api.anthropic.com/v1',
  list: 'anthropic',
  files: [...images, 'image/gif', 'application/pdf'],
  cache_mark: () => ({ anthropic: { cacheControl: { type: 'ephemeral' } } }),
  cache_write_price: 1.25,
  call_id: (id) => id.replace(/[^\w-]/g, '_'),
  open: async (opening, model) => (await import('@ai-sdk/anthropic')).createAnthropic(opening)(model),
})
