import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ProviderModel } from '../schema.ts'

/** What a provider package is opened with. All are always given: otherwise the packages read the environment. */
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
  /** The form of a tool call's id that the vendor accepts. After a failover, ids come from another vendor. */
  call_id?(id: string): string
  /** Wants its models' earlier reasoning back. Other vendors accept only reasoning that they have signed. */
  takes_reasoning?: true
  /** Opens a model. Imports the provider package on first use. */
  open(opening: Opening, model: string): Promise<OpenModel>
}

/** Types `id` as the literal that it is. */
export const vendor = <const Id extends string>(definition: Vendor & { id: Id }) => definition

/** A model with its context size in tokens and its prices in USD per million tokens of input and output. */
export const priced = (
  id: string,
  context: number,
  [input, output]: readonly [number, number],
): ProviderModel => ({
  id,
  context_tokens: context,
  input_usd_per_mtok: input,
  output_usd_per_mtok: output,
})

/** Image types that nearly every vendor reads. */
export const images = ['image/png', 'image/jpeg', 'image/webp'] as const
