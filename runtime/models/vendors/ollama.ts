import { images, vendor } from './vendor.ts'

/** Tokens; a larger context of a local model takes gigabytes of memory, so it is a person's choice. */
export const ollamaContext = 32_768

export const ollama = vendor({
  id: 'ollama',
  name: 'Ollama',
  kind: 'local',
  keyless: true,
  base_url: 'http://127.0.0.1:11434',
  list: 'ollama',
  files: [...images, 'image/gif'],
  open: async (opening, model) => (await import('./ollama-chat.ts')).openOllama(opening, model),
})
