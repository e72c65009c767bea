import { images, vendor } from './vendor.ts'

export const ollama = vendor({
  id: 'ollama',
  name: 'Ollama',
  kind: 'local',
  keyless: true,
  models: [],
  base_url: 'http://127.0.0.1:11434',
  list: 'ollama',
  files: [...images, 'image/gif'],
  async open(opening, model) {
    const { openCompatible } = await import('./compatible.ts')
    return openCompatible('ollama', { ...opening, baseURL: `${opening.baseURL}/v1` }, model)
  },
})
