import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { ProviderModel } from './model.ts'
import models from './models.json' with { type: 'json' }

/**
 * The options of a provider package. All are always set, because otherwise the packages read the environment.
 */
export interface Opening {
  baseURL: string
  apiKey: string
  fetch: typeof globalThis.fetch
}

export type OpenModel = Pick<LanguageModelV4, 'doStream'>

/** Everything that is particular to one provider of models. */
export interface Vendor {
  id: string
  name: string
  kind: 'vendor' | 'gateway' | 'local'
  /** Works without a key, as a server on this machine does. */
  keyless?: true
  /** Offered until the vendor was asked for its own list. The first is the default. */
  models: readonly ProviderModel[]
  /** Includes the version, except for Ollama. */
  base_url: string
  /** The API that lists its models. */
  list: 'anthropic' | 'google' | 'ollama' | 'openai'
  /** Media types of the files that its models read; text is sent as text. */
  files: readonly string[]
  /** Its model that writes down speech, with its price at the vendor's own address. */
  speech?: { model: string; usd_per_minute: number }
  /** The form of a tool call's id that the vendor accepts. After a failover, ids come from another vendor. */
  call_id?(id: string): string
  /** The options of a message up to which the vendor is asked to cache the prompt. Other vendors cache automatically. */
  cache_mark?: SharedV4ProviderOptions
  /** The options of a request that ask the vendor to cache the prompt. */
  cache_option?(model: string): SharedV4ProviderOptions | undefined
  /** The price of writing a token to the cache, as a multiple of an input token; default 1. */
  cache_write_price?: number
  /**
   * The vendor expects its models' earlier reasoning back. Other vendors accept only reasoning that they have
   * signed.
   */
  takes_reasoning?: true
  /** The results of tools must be followed by a message of the model. */
  answers_tools?: true
  /** Opens a model. Imports the provider package on first use. */
  open(opening: Opening, model: string): Promise<OpenModel>
}

/**
 * Whether an address is the vendor's own, where its models, prices, limits and arguments apply. Another server only has the
 * vendor's wire format. An Ollama is the same wherever it runs.
 */
export function isOwnAddress({ kind, base_url: own }: Vendor, base_url: string | null | undefined): boolean {
  if (!base_url || kind === 'local') return true
  const home = new URL(own).hostname
  const hostname = URL.parse(base_url)?.hostname ?? ''
  return hostname === home || hostname.endsWith(`.${home}`)
}

/**
 * The models of `models.json`: by vendor and id, the context size in tokens and the prices in USD per million tokens of
 * input, output and, if it differs, cached input.
 */
const catalogue: Readonly<Record<string, Readonly<Record<string, number[]>>>> = models.models

/** Adds the models of the catalogue, and types `id` as the literal that it is. */
export const vendor = <const Id extends string>(
  definition: Omit<Vendor, 'models'> & { id: Id },
): Vendor & { id: Id } => ({
  ...definition,
  models: Object.entries(catalogue[definition.id] ?? {}).map(
    ([id, [context_tokens = 0, input = 0, output = 0, cached = input]]) => ({
      ...{ id, context_tokens, input_usd_per_mtok: input },
      ...{ output_usd_per_mtok: output, cached_usd_per_mtok: cached },
    }),
  ),
})

/** Image types that nearly every vendor reads. */
export const images = ['image/png', 'image/jpeg', 'image/webp'] as const
