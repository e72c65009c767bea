import { images, vendor } from './vendor.ts'

export const anthropic = vendor({
  id: 'anthropic',
  name: 'Anthropic',
  kind: 'vendor',
  base_url: 'https://api.anthropic.com/v1',
  list: 'anthropic',
  files: [...images, 'image/gif', 'application/pdf'],
  cache_mark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  cache_write_price: 1.25,
  call_id: (id) => id.replace(/[^\w-]/g, '_'),
  open: async (opening, model) => (await import('@ai-sdk/anthropic')).createAnthropic(opening)(model),
})
