import { expect, test } from 'vitest'
import type { ProviderId } from '../../runtime/models/vendors/index.ts'
import { playLongChat } from '../support/long-chat.ts'
import { cachedShare, cacheUse, continues } from '../support/prompt-cache.ts'

const wires: [name: string, provider: ProviderId, options?: { base_url: 'own' }][] = [
  ['OpenAI, Responses', 'openai'],
  ['OpenAI, chat completions', 'openai', { base_url: 'own' }],
  ['Anthropic', 'anthropic'],
  ['Google', 'google'],
  ['Mistral', 'mistral'],
  ['DeepSeek', 'deepseek'],
  ['OpenRouter', 'openrouter'],
  ['Ollama', 'ollama'],
]

test.each(wires)('%s: every request begins with the one before it, and the vendor caches it', async (_, ...chat) => {
  const { requests, turns } = await playLongChat(...chat)
  expect(requests).toHaveLength(52)
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1]
    const turn = turns.findLast(({ from }) => from <= index)?.what
    if (before) expect([index, turn, continues(before, request)]).toEqual([index, turn, true])
  }
  const uses = cacheUse(requests)
  for (const [index, use] of uses.entries()) expect(use.cached).toBeGreaterThanOrEqual(uses[index - 1]?.tokens ?? 0)
  expect(cachedShare(uses)).toBeGreaterThan(0.9)
  const last = JSON.stringify(requests.at(-1)?.body)
  for (const seen of ['works as a doctor', 'Anna Weber moved', 'In French', 'chat mode', 'plan mode'])
    expect(last).toContain(seen)
})
