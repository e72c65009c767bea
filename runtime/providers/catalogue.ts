import { cooldownKey } from './failover.ts'
import type { Price, Provider, ProviderId, ProviderModel } from './schema.ts'
import type { ProviderRecord } from './store.ts'

export interface CatalogueEntry {
  id: ProviderId
  name: string
  kind: Provider['kind']
  /** Whether it answers without a key, as a server on this machine does. */
  keyless: boolean
  /** Models offered before the vendor was asked for its own list. The first is the default. */
  models: readonly ProviderModel[]
}

const priced = (id: string, context: number, [input, output]: readonly [number, number]): ProviderModel => ({
  id,
  context_tokens: context,
  input_usd_per_mtok: input,
  output_usd_per_mtok: output,
})

/** Day on which the prices and context sizes below were last compared with the vendors' public lists. */
export const pricesAsOf = '2025-11-01'

/** The eight providers. Prices are USD per million tokens; a person may override them by model. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    id: 'anthropic',
    name: 'Anthropic',
    kind: 'vendor',
    keyless: false,
    models: [
      priced('claude-sonnet-4-5', 200_000, [3, 15]),
      priced('claude-opus-4-1', 200_000, [15, 75]),
      priced('claude-haiku-4-5', 200_000, [1, 5]),
    ],
  },
  {
    id: 'openai',
    name: 'OpenAI or compatible',
    kind: 'vendor',
    keyless: false,
    models: [
      priced('gpt-5', 400_000, [1.25, 10]),
      priced('gpt-5-mini', 400_000, [0.25, 2]),
      priced('gpt-4.1', 1_047_576, [2, 8]),
      priced('gpt-4o-mini', 128_000, [0.15, 0.6]),
    ],
  },
  {
    id: 'google',
    name: 'Google Gemini',
    kind: 'vendor',
    keyless: false,
    models: [
      priced('gemini-2.5-pro', 1_048_576, [1.25, 10]),
      priced('gemini-2.5-flash', 1_048_576, [0.3, 2.5]),
    ],
  },
  {
    id: 'mistral',
    name: 'Mistral',
    kind: 'vendor',
    keyless: false,
    models: [
      priced('mistral-large-latest', 131_072, [2, 6]),
      priced('mistral-small-latest', 131_072, [0.1, 0.3]),
    ],
  },
  {
    id: 'groq',
    name: 'Groq',
    kind: 'vendor',
    keyless: false,
    models: [
      priced('llama-3.3-70b-versatile', 131_072, [0.59, 0.79]),
      priced('openai/gpt-oss-120b', 131_072, [0.15, 0.75]),
    ],
  },
  {
    id: 'deepseek',
    name: 'DeepSeek',
    kind: 'vendor',
    keyless: false,
    models: [
      priced('deepseek-chat', 128_000, [0.28, 0.42]),
      priced('deepseek-reasoner', 128_000, [0.28, 0.42]),
    ],
  },
  {
    id: 'openrouter',
    name: 'OpenRouter',
    kind: 'gateway',
    keyless: false,
    models: [
      priced('anthropic/claude-sonnet-4.5', 200_000, [3, 15]),
      priced('openai/gpt-5-mini', 400_000, [0.25, 2]),
    ],
  },
  { id: 'ollama', name: 'Ollama', kind: 'local', keyless: true, models: [] },
]

export function catalogueEntry(id: ProviderId): CatalogueEntry {
  const entry = catalogue.find((candidate) => candidate.id === id)
  if (!entry) throw new Error(`no catalogue entry for ${id}`)
  return entry
}

/** What a call cost in USD; models of unknown price, local ones among them, cost nothing that we know of. */
export function costOf(model: ProviderModel | undefined, tokens: { input: number; output: number }): number {
  const million = 1_000_000
  const input = (model?.input_usd_per_mtok ?? 0) * tokens.input
  return (input + (model?.output_usd_per_mtok ?? 0) * tokens.output) / million
}

type Prices = ReadonlyMap<string, Price>

/**
 * The models a person can choose: the vendor's own list where it is known, with prices where we know them.
 * Models that only a price names are among them.
 */
export function modelsOf(
  id: ProviderId,
  record: ProviderRecord | null,
  prices: Prices,
): readonly ProviderModel[] {
  const known = catalogueEntry(id).models
  const listed = record?.models.length
    ? record.models.map((model) => known.find(sameAs(model)) ?? model)
    : known
  const prefix = cooldownKey(id, '')
  const named = [...prices.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
  const added = named.filter((name) => !listed.some((model) => model.id === name)).map(unlisted)
  return [...listed, ...added].map((model) => ({ ...model, ...prices.get(cooldownKey(id, model.id)) }))
}

const sameAs = (model: ProviderModel) => (other: ProviderModel) => other.id === model.id

const unlisted = (id: string): ProviderModel => ({
  id,
  context_tokens: null,
  input_usd_per_mtok: null,
  output_usd_per_mtok: null,
})
