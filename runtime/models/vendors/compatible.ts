import type { LanguageModelV4 } from '@ai-sdk/provider'
import { LRUCache } from 'lru-cache'
import type { Opening, OpenModel } from './vendor.ts'

/**
 * The `fetch` of each call, by the call's own signal: the package takes one when a model is opened, but a cached model
 * serves hosts with different guards. An entry disappears with its signal.
 */
const fetches = new WeakMap<AbortSignal, Opening['fetch']>()

const fetchOfCall: Opening['fetch'] = (input, init) => {
  const fetch = init?.signal ? fetches.get(init.signal) : undefined
  if (!fetch) throw new Error('this call has no fetch')
  return fetch(input, init)
}

/**
 * The package builds the schema of its chunks for every model that it opens, which takes longer than sending the call.
 * Cached models hold no key.
 */
const opened = new LRUCache<string, LanguageModelV4>({ max: 32 })

/** Opens a model of a server that has OpenAI's chat completions API. */
export async function openCompatible(
  name: string,
  { baseURL, apiKey, fetch }: Opening,
  model: string,
): Promise<OpenModel> {
  const cached = await openCached(name, baseURL, model)
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  return {
    doStream(options) {
      if (options.abortSignal) fetches.set(options.abortSignal, fetch)
      return cached.doStream({ ...options, headers })
    },
  }
}

async function openCached(name: string, baseURL: string, model: string): Promise<LanguageModelV4> {
  const key = JSON.stringify([name, baseURL, model])
  const provider = opened.get(key)
  if (provider) return provider
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const made = createOpenAICompatible({ name, baseURL, includeUsage: true, fetch: fetchOfCall })(model)
  opened.set(key, made)
  return made
}
