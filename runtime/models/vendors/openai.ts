import { images, isOwnAddress, vendor } from './vendor.ts'

export const openai = vendor({
  id: 'openai',
  name: 'OpenAI or compatible',
  kind: 'vendor',
  base_url: 'https://api.openai.com/v1',
  list: 'openai',
  speech: { model: 'whisper-1', usd_per_minute: 0.006 },
  files: [...images, 'image/gif', 'application/pdf'],
  async open(opening, model) {
    // Its regional hosts have the Responses API too; compatible servers only have chat completions.
    if (!isOwnAddress(openai, opening.baseURL))
      return (await import('./compatible.ts')).openCompatible('openai', opening, model)
    return (await import('@ai-sdk/openai')).createOpenAI(opening).responses(model)
  },
})
