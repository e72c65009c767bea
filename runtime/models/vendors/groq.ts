import { images, vendor } from './vendor.ts'

export const groq = vendor({
  id: 'groq',
  name: 'Groq',
  kind: 'vendor',
  base_url: 'https://api.groq.com/openai/v1',
  list: 'openai',
  speech: { model: 'whisper-large-v3-turbo', usd_per_minute: 0.000667 },
  files: [...images, 'image/gif'],
  open: async (opening, model) => (await import('@ai-sdk/groq')).createGroq(opening)(model),
})
