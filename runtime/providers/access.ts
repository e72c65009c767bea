import { LRUCache } from 'lru-cache'
import { agentSettings } from '../agents/index.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { offlineProvider } from '../models/models.ts'
import type { ProviderId } from '../models/vendors/index.ts'
import { findVendor } from '../models/vendors/index.ts'
import type { ProviderModel } from '../models/vendors/model.ts'
import { isOwnAddress, type Vendor } from '../models/vendors/vendor.ts'
import { type ArgumentNames, ModelError } from '../ports/models.ts'
import { processState } from '../process-state.ts'
import { readSection } from '../sections/section.ts'
import type { ModelChoice } from '../tools/agent.ts'
import { cooldownKey } from './failover.ts'
import { keyPurpose } from './purposes.ts'
import type { Price } from './schema.ts'
import { findProviderRecord, listPrices, listProviderRecords, type ProviderRecord, saveContexts } from './store.ts'

/** `input` includes the cached ones. */
interface Tokens {
  input: number
  output: number
  cached?: number | undefined
  cache_write?: number | undefined
}

/** The provider data that a model call needs. The key is in plain text and must go nowhere else. */
export interface ModelAccess {
  provider: string
  model: string
  api_key?: string
  base_url?: string
  /** Tokens; null if unknown. */
  context_tokens: number | null
  /** False if the price is unknown: then `cost` is 0, and a budget in USD refuses the call. */
  priced: boolean
  /** USD of a call. */
  cost(tokens: Tokens): number
  /** What the server has said about its arguments. */
  arguments?: ArgumentNames
  /** Set if nobody has set the provider up: it cannot be called, but a fallback can. */
  missing?: ModelError
}

type Needs = Pick<Host, 'sql' | 'secrets' | 'process'>

/** What models have refused, by `provider/model`: `tools`, or the ids of files. */
const refusals = processState(() => new LRUCache<string, Set<string>>({ max: 500 }))

/** What a model has refused since the daemon started, and is no longer sent. */
export const refusedBy = (host: Needs, { provider, model }: ModelAccess): ReadonlySet<string> =>
  refusals(host).get(cooldownKey(provider, model)) ?? new Set()

export function rememberRefusals(host: Needs, access: ModelAccess, refused: readonly string[]): void {
  const types = refusedBy(host, access)
  refusals(host).set(cooldownKey(access.provider, access.model), new Set([...types, ...refused]))
}

/** Which types of files a model reads itself; of other servers than the vendor's own, images at most. */
export function readsFiles({
  provider,
  base_url,
}: Pick<ModelAccess, 'provider' | 'base_url'>): (mimeType: string) => boolean {
  const vendor = findVendor(provider)
  const types = vendor?.files.filter((type) => type.startsWith('image/') || isOwnAddress(vendor, base_url))
  return (mimeType) => types?.includes(mimeType) ?? false
}

/** Stores the context size of a model that its vendor named when it refused a prompt. */
export async function learnContext(context: Context, { provider, model }: ModelAccess, tokens: number): Promise<void> {
  await context.commit([saveContexts(provider, { [model]: tokens })])
}

const free = { priced: true, cost: () => 0 }

const offline: ModelAccess = {
  provider: offlineProvider,
  model: offlineProvider,
  context_tokens: 32_000,
  ...free,
}

/**
 * The model to call: the one pinned as `provider/model`, else the agent's own, else the default of the
 * settings if its provider is set up, else the default model of the provider that was set up first, else the
 * offline model. A model whose provider is not set up is `missing`. Throws `ModelError` if there is no such
 * provider.
 */
export async function chooseModel(host: Host, pinned: string | null, choice: ModelChoice): Promise<ModelAccess> {
  if (pinned) return wantedAccess(host, ...split(pinned))
  if (choice.provider) return wantedAccess(host, choice.provider, choice.model)
  const records = await listProviderRecords(host)
  const { default_model } = await readSection(host, agentSettings)
  const [provider = '', model = null] = default_model ? split(default_model) : []
  if (provider === offlineProvider) return offline
  const record = records.find(({ id }) => id === provider)
  if (record) return accessOf(host, record, model)
  const [first] = records
  return first ? accessOf(host, first, null) : offline
}

/** The model to call for an agent; null if none can be called but the offline model. */
export async function connectedModel(host: Host, { model }: { model: ModelChoice }): Promise<ModelAccess | null> {
  const access = await chooseModel(host, null, model).catch((thrown: unknown) => {
    if (thrown instanceof ModelError) return null
    throw thrown
  })
  return !access || access.missing || access.provider === offlineProvider ? null : access
}

async function wantedAccess(host: Needs, provider: string, model: string | null): Promise<ModelAccess> {
  try {
    return await accessTo(host, provider, model)
  } catch (thrown) {
    const vendor = findVendor(provider)
    if (!(thrown instanceof ModelError) || !vendor) throw thrown
    const name = model ?? vendor.models[0]?.id ?? 'default'
    return { provider, model: name, context_tokens: null, ...free, missing: thrown }
  }
}

/** `openrouter/anthropic/claude` → provider `openrouter`, model `anthropic/claude`. */
function split(name: string): [string, string | null] {
  const slash = name.indexOf('/')
  return slash < 0 ? [name, null] : [name.slice(0, slash), name.slice(slash + 1)]
}

/** Access to one model of a provider, its default if none is named. */
export async function accessTo(host: Needs, provider: string, model: string | null): Promise<ModelAccess> {
  if (provider === offlineProvider) return offline
  return accessOf(host, await requireRecord(host, provider), model)
}

/** Throws `ModelError` if the provider is not set up. */
export async function requireRecord(host: Needs, provider: string): Promise<ProviderRecord> {
  const vendor = findVendor(provider)
  if (!vendor) throw new ModelError('provider_unavailable', `There is no provider ${provider}`)
  const record = await findProviderRecord(host, provider)
  if (record) return record
  throw new ModelError('auth', `${vendor.name} has no key here; add one in Settings → Model providers`)
}

/** Access to a model of a provider whose record may not be stored yet. */
export async function accessOf(host: Needs, record: ProviderRecord, requested: string | null): Promise<ModelAccess> {
  const { id } = record
  const prices = await listPrices(host)
  const models = modelsOf(id, record, prices)
  const model = requested ?? record.default_model ?? defaultOf(models)
  if (!model) throw new ModelError('model_not_found', `Choose a model of ${id} in Settings → Model providers`)
  const facts = models.find((candidate) => candidate.id === model) ?? knownModel(ownVendor(record), model)
  return {
    provider: id,
    model,
    ...(await credentialsIn(host, record)),
    arguments: { ...record.learned_arguments['*'], ...record.learned_arguments[model] },
    context_tokens: record.learned_contexts[model] ?? facts?.context_tokens ?? null,
    ...pricing(ownVendor(record), facts),
  }
}

/** Models of a list that do not chat, by the names that they have nearly everywhere. */
const otherPurpose = /embed|rerank|whisper|\btts\b|moderation|dall-e/i

/** The first model of a list that may chat. */
export const defaultOf = (models: readonly ProviderModel[]): string | undefined =>
  (models.find(({ id }) => !otherPurpose.test(id)) ?? models[0])?.id

/** The vendor at whose own address a provider is called; undefined if another server has its wire format. */
function ownVendor({ id, base_url }: Pick<ProviderRecord, 'id' | 'base_url'>): Vendor | undefined {
  const vendor = findVendor(id)
  return vendor && isOwnAddress(vendor, base_url) ? vendor : undefined
}

/** The key and address of a provider, whichever model is called. */
export async function credentialsIn(
  { secrets }: Needs,
  { id, sealed_key, base_url }: ProviderRecord,
): Promise<Pick<ModelAccess, 'api_key' | 'base_url'>> {
  return {
    ...(sealed_key && { api_key: await secrets.open(sealed_key, keyPurpose(id)) }),
    ...(base_url && { base_url }),
  }
}

/** A server on this machine costs nothing. */
function pricing(
  vendor: Vendor | undefined,
  model: ProviderModel | undefined,
): typeof free | Pick<ModelAccess, 'priced' | 'cost'> {
  const { input_usd_per_mtok: input = null, output_usd_per_mtok: output = null } = model ?? {}
  if (input === null || output === null) return { ...free, priced: vendor?.kind === 'local' }
  const million = 1_000_000
  const saved = input - (model?.cached_usd_per_mtok ?? input)
  const added = input * ((vendor?.cache_write_price ?? 1) - 1)
  const cost = (tokens: Tokens) =>
    (input * tokens.input - saved * (tokens.cached ?? 0) + added * (tokens.cache_write ?? 0) + output * tokens.output) /
    million
  return { priced: true, cost }
}

/**
 * The models that a person can choose: the server's own list once it was asked, with the prices that are known. Models
 * that only have a price set by a person are included. What is known of the vendor's models holds at its own address only.
 */
export function modelsOf(
  id: ProviderId,
  record: ProviderRecord | null,
  prices: ReadonlyMap<string, Price>,
): readonly ProviderModel[] {
  const vendor = record ? ownVendor(record) : findVendor(id)
  const listed = record?.models.length
    ? record.models.map((model) => ({
        ...unknownModel(model.id),
        ...knownModel(vendor, model.id),
        ...ownCachedPrice(model),
        ...stated(model),
      }))
    : (vendor?.models ?? [])
  const prefix = cooldownKey(id, '')
  const priced = [...prices.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
  const added = priced.filter((name) => !listed.some((model) => model.id === name)).map(unknownModel)
  return [...listed, ...added].map((model) => {
    const own = prices.get(cooldownKey(id, model.id))
    return own ? { ...model, ...own, context_tokens: own.context_tokens ?? model.context_tokens } : model
  })
}

/** If a list states prices, our price of cached tokens does not belong to them. */
const ownCachedPrice = ({ input_usd_per_mtok, cached_usd_per_mtok }: ProviderModel) =>
  input_usd_per_mtok === null ? {} : { cached_usd_per_mtok }

/**
 * The listed model of this name; a dated or `latest` version, or one behind a vendor's prefix, is the same
 * model.
 */
function knownModel(vendor: Vendor | undefined, name: string): ProviderModel | undefined {
  const base = name.replace(/^models\//, '').replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|\d{3})$/, '')
  const facts = vendor?.models.find(({ id }) => id === name) ?? vendor?.models.find(({ id }) => id === base)
  const [prefix = '', rest] = base.split(/\/(.*)/s)
  const maker = rest && vendor?.kind !== 'local' ? findVendor(prefix) : undefined
  return facts ?? maker?.models.find(({ id }) => id === rest || id === rest?.replaceAll('.', '-'))
}

/** The members that are not null, because the list has them. */
const stated = <Facts extends object>(facts: Facts): Partial<Facts> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as Partial<Facts>

export const unknownModel = (id: string): ProviderModel => ({
  id,
  context_tokens: null,
  input_usd_per_mtok: null,
  output_usd_per_mtok: null,
  cached_usd_per_mtok: null,
})
