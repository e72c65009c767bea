import { images, vendor } from './vendor.ts'

export const mistral = vendor({
  id: 'mistral',
  name: 'Mistral',
  kind: 'vendor',
  base_url: 'https://api.mistral.ai/v1',
  list: 'openai',
  speech: { model: 'voxtral-mini-latest', usd_per_minute: 0.002 },
  files: [...images, 'image/gif', 'application/pdf'],
  call_id: (id) => (/^[a-zA-Z0-9]{9}$/.test(id) ? id : shortHash(id)),
  answers_tools: true,
  open: async (opening, model) => (await import('@ai-sdk/mistral')).createMistral(opening)(model),
})

/**
 * Mistral takes exactly nine letters and digits: base 36 of two 32-bit FNV-1a hashes. Ids need to differ only within one
 * conversation.
 */
function shortHash(text: string): string {
  const digits = [0x811c9dc5, 0x050c5d1f].map((seed) => fnv1a(text, seed).toString(36).padStart(7, '0'))
  return digits.join('').slice(-9)
}

function fnv1a(text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
