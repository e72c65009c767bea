import { images, priced, vendor } from './vendor.ts'

export const groq = vendor({
  id: 'groq',
  name: 'Groq',
  kind: 'vendor',
  models: [
    priced('llama-3.3-70b-versatile', 131_072, [0.59, 0.79]),
    priced('openai/gpt-oss-120b', 131_072, [0.15, 0.75, 0.075]),
  ],
  base_url: 'https://api.groq.com/openai/v1',
  list: 'openai',
  files: [...images, 'image/gif'],
  open: async (opening, model) => (await import('@ai-sdk/groq')).createGroq(opening)(model),
})
