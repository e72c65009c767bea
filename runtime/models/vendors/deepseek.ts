import { vendor } from './vendor.ts'

export const deepseek = vendor({
  id: 'deepseek',
  name: 'DeepSeek',
  kind: 'vendor',
  base_url: 'https://api.deepseek.com',
  list: 'openai',
  files: [],
  takes_reasoning: true,
  open: async (opening, model) => (await import('@ai-sdk/deepseek')).createDeepSeek(opening)(model),
})
