import type { LanguageModelV4 } from '@ai-sdk/provider'
import { ModelError } from '../../runtime/ports/models.ts'
import { openCompatible } from './compatible.ts'

/** What a provider package is opened with. Both are always given: the packages look into the environment else. */
export interface Opening {
  baseURL: string
  apiKey: string
  fetch: typeof globalThis.fetch
}

export interface Provider {
  base_url: string
  /** Local servers need none. */
  needs_key: boolean
  /** How its list of models is asked for. */
  list: 'anthropic' | 'google' | 'ollama' | 'openai'
  /** Milliseconds to the first chunk, when not the usual: a local server may have to load the model first. */
  first_chunk_ms?: number
  /** Imports the package, when it is first needed. */
  open(opening: Opening, model: string): Promise<Pick<LanguageModelV4, 'doStream'>>
}

export const providers: Record<string, Provider> = {
  anthropic: {
    base_url: 'https://api.anthropic.com/v1',
    needs_key: true,
    list: 'anthropic',
    open: async (opening, model) => (await import('@ai-sdk/anthropic')).createAnthropic(opening)(model),
  },
  openai: {
    base_url: 'https://api.openai.com/v1',
    needs_key: true,
    list: 'openai',
    async open(opening, model) {
      if (!isOpenAi(opening.baseURL)) return openCompatible('openai', opening, model)
      return (await import('@ai-sdk/openai')).createOpenAI(opening).responses(model)
    },
  },
  google: {
    base_url: 'https://generativelanguage.googleapis.com/v1beta',
    needs_key: true,
    list: 'google',
    open: async (opening, model) => (await import('@ai-sdk/google')).createGoogle(opening)(model),
  },
  mistral: {
    base_url: 'https://api.mistral.ai/v1',
    needs_key: true,
    list: 'openai',
    open: async (opening, model) => (await import('@ai-sdk/mistral')).createMistral(opening)(model),
  },
  groq: {
    base_url: 'https://api.groq.com/openai/v1',
    needs_key: true,
    list: 'openai',
    open: async (opening, model) => (await import('@ai-sdk/groq')).createGroq(opening)(model),
  },
  deepseek: {
    base_url: 'https://api.deepseek.com',
    needs_key: true,
    list: 'openai',
    open: async (opening, model) => (await import('@ai-sdk/deepseek')).createDeepSeek(opening)(model),
  },
  // Not OpenRouter's own package: it answers `{}` for arguments that are not JSON, and a cut answer as a whole one.
  openrouter: {
    base_url: 'https://openrouter.ai/api/v1',
    needs_key: true,
    list: 'openai',
    open: (opening, model) => openCompatible('openrouter', opening, model),
  },
  ollama: {
    base_url: 'http://127.0.0.1:11434',
    needs_key: false,
    list: 'ollama',
    first_chunk_ms: 300_000,
    open: (opening, model) =>
      openCompatible('ollama', { ...opening, baseURL: `${opening.baseURL}/v1` }, model),
  },
}

/** OpenAI itself, its regional hosts included; everyone else only speaks chat completions. */
function isOpenAi(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com')
}

export interface Access {
  provider: string
  api_key?: string
  base_url?: string
}

/** The provider with the address and the key to use. Throws when there is no such provider, address or key. */
export function resolveAccess(access: Access): { provider: Provider; base_url: string; api_key: string } {
  const provider = Object.hasOwn(providers, access.provider) ? providers[access.provider] : undefined
  if (!provider) throw new ModelError('provider_unavailable', `${access.provider}: no such provider`)
  const baseUrl = access.base_url
    ? readBaseUrl(access.base_url, access.provider, provider)
    : provider.base_url
  if (!access.api_key && provider.needs_key && baseUrl === provider.base_url) {
    throw new ModelError('auth', `${access.provider}: no API key is set`)
  }
  return { provider, base_url: baseUrl, api_key: access.api_key ?? '' }
}

/** A bare host gets the vendor's usual path, as people leave it out. */
function readBaseUrl(text: string, name: string, provider: Provider): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ModelError('provider_unavailable', `${name}: the base URL is not valid`)
  const path = url.pathname.replace(/\/+$/, '') || new URL(provider.base_url).pathname.replace(/\/$/, '')
  return url.origin + (provider.list === 'ollama' ? path.replace(/\/v1$/, '') : path)
}
