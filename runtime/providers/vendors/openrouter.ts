import { images, priced, vendor } from './vendor.ts'

/** Not OpenRouter's own package: it returns `{}` for arguments that are not JSON, and a cut answer as a complete one. */
export const openrouter = vendor({
  id: 'openrouter',
  name: 'OpenRouter',
  kind: 'gateway',
  models: [
    priced('anthropic/claude-sonnet-4.5', 200_000, [3, 15, 0.3]),
    priced('openai/gpt-5-mini', 400_000, [0.25, 2, 0.025]),
  ],
  base_url: 'https://openrouter.ai/api/v1',
  list: 'openai',
  files: [...images, 'image/gif'],
  cache_mark: (model) =>
    model.startsWith('anthropic/')
      ? { openaiCompatible: { cache_control: { type: 'ephemeral' } } }
      : undefined,
  open: async (opening, model) =>
    (await import('./compatible.ts')).openCompatible('openrouter', opening, model),
})
