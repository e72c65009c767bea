import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Opening } from './providers.ts'

type Fetch = Opening['fetch']

/** What differs from call to call, by the signal that every call has to itself. */
const fetches = new WeakMap<AbortSignal, Fetch>()

const fetchOfCall: Fetch = (input, init) => {
  const fetch = init?.signal ? fetches.get(init.signal) : undefined
  if (!fetch) throw new Error('a call without a line')
  return fetch(input, init)
}

const mostKept = 32
/** The package builds the schema of its chunks for every model it opens, which takes longer than sending the call. */
const opened = new Map<string, LanguageModelV4>()

/** A model of a server that speaks OpenAI's chat completions. What is kept of it holds no key. */
export async function openCompatible(
  name: string,
  { baseURL, apiKey, fetch }: Opening,
  model: string,
): Promise<Pick<LanguageModelV4, 'doStream'>> {
  const kept = await keep(name, baseURL, model)
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {}
  return {
    doStream(options) {
      if (options.abortSignal) fetches.set(options.abortSignal, fetch)
      return kept.doStream({ ...options, headers })
    },
  }
}

async function keep(name: string, baseURL: string, model: string): Promise<LanguageModelV4> {
  const key = JSON.stringify([name, baseURL, model])
  const known = opened.get(key)
  if (known) return known
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const made = createOpenAICompatible({ name, baseURL, includeUsage: true, fetch: fetchOfCall })(model)
  if (opened.size >= mostKept) opened.clear()
  opened.set(key, made)
  return made
}
