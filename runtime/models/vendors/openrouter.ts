import { images, vendor } from './vendor.ts'

/** Not OpenRouter's own package: it returns `{}` for arguments that are not JSON, and a cut answer as a complete one. */
export const openrouter = vendor({
  id: 'openrouter',
  name: 'OpenRouter',
  kind: 'gateway',
  base_url: 'https://openrouter.ai/api/v1',
  list: 'openai',
  files: [...images, 'image/gif'],
  // Other models are cached automatically.
  cache_option: (model) =>
    model.startsWith('anthropic/') ? { openrouter: { cache_control: { type: 'ephemeral' } } } : undefined,
  open: async (opening, model) => (await import('./compatible.ts')).openCompatible('openrouter', opening, model),
})
