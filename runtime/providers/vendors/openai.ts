import { images, isOwnAddress, priced, vendor } from './vendor.ts'

export const openai = vendor({
  id: 'openai',
  name: 'OpenAI or compatible',
  kind: 'vendor',
  models: [
    priced('gpt-5', 400_000, [1.25, 10, 0.125]),
    priced('gpt-5-mini', 400_000, [0.25, 2, 0.025]),
    priced('gpt-4.1', 1_047_576, [2, 8, 0.5]),
    priced('gpt-4o-mini', 128_000, [0.15, 0.6, 0.075]),
  ],
  base_url: 'https://api.openai.com/v1',
  list: 'openai',
  files: [...images, 'image/gif', 'application/pdf'],
  async open(opening, model) {
    // Its regional hosts have the Responses API too; compatible servers only have chat completions.
    if (!isOwnAddress(openai, opening.baseURL))
      return (await import('./compatible.ts')).openCompatible('openai', opening, model)
    return (await import('@ai-sdk/openai')).createOpenAI(opening).responses(model)
  },
})
