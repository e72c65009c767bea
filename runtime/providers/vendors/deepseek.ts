import { priced, vendor } from './vendor.ts'

export const deepseek = vendor({
  id: 'deepseek',
  name: 'DeepSeek',
  kind: 'vendor',
  models: [
    priced('deepseek-chat', 128_000, [0.28, 0.42, 0.028]),
    priced('deepseek-reasoner', 128_000, [0.28, 0.42, 0.028]),
  ],
  base_url: 'https://api.deepseek.com',
  list: 'openai',
  files: [],
  takes_reasoning: true,
  open: async (opening, model) => (await import('@ai-sdk/deepseek')).createDeepSeek(opening)(model),
})
