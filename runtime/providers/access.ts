import type { ModelChoice } from '../agents/schema.ts'
import type { Host } from '../host.ts'
import { offlineProvider } from '../models/models.ts'
import { ModelError } from '../ports/models.ts'
import { agentSettings } from '../settings/agent.ts'
import { readSection } from '../settings/section.ts'
import { catalogueEntry, costOf, modelsOf } from './catalogue.ts'
import { ProviderId } from './schema.ts'
import {
  findProviderRecord,
  keyPurpose,
  listPrices,
  listProviderRecords,
  type ProviderRecord,
} from './store.ts'

/** What a model call needs of its provider. The key is plain and must go nowhere else. */
export interface ModelAccess {
  provider: string
  model: string
  api_key?: string
  base_url?: string
  /** Tokens; null where nobody said. */
  context_tokens: number | null
  /** USD of a call. */
  cost(tokens: { input: number; output: number }): number
  /** Why it cannot be called: nobody has set it up. Others may take its place. */
  missing?: ModelError
}

type Needs = Pick<Host, 'sql' | 'secrets'>

const offline: ModelAccess = {
  provider: offlineProvider,
  model: offlineProvider,
  context_tokens: 32_000,
  cost: () => 0,
}

/**
 * The model to call: the one pinned as `provider/model`, else the agent's own, else the default of the settings if its
 * provider is set up, else the default model of the provider configured first, else the offline model. What is
 * not set up is `missing`, and may be replaced by a fallback. Throws `ModelError` when there is no such provider.
 */
export async function chooseModel(
  host: Host,
  pinned: string | null,
  choice: ModelChoice,
): Promise<ModelAccess> {
  if (pinned) return wantedAccess(host, ...split(pinned))
  if (choice.provider) return wantedAccess(host, choice.provider, choice.model)
  const records = await listProviderRecords(host)
  const { default_model } = await readSection(host, agentSettings)
  const [provider = '', model = null] = default_model ? split(default_model) : []
  const usual = provider === offlineProvider || records.some(({ id }) => id === provider)
  if (usual) return accessTo(host, provider, model)
  const [first] = records
  return first ? accessTo(host, first.id, null) : offline
}

async function wantedAccess(host: Needs, provider: string, model: string | null): Promise<ModelAccess> {
  try {
    return await accessTo(host, provider, model)
  } catch (thrown) {
    const id = ProviderId.safeParse(provider)
    if (!(thrown instanceof ModelError) || !id.success) throw thrown
    const name = model ?? catalogueEntry(id.data).models[0]?.id ?? 'default'
    return { provider, model: name, context_tokens: null, cost: () => 0, missing: thrown }
  }
}

/** `openrouter/anthropic/claude` → provider `openrouter`, model `anthropic/claude`. */
function split(name: string): [string, string | null] {
  const slash = name.indexOf('/')
  return slash < 0 ? [name, null] : [name.slice(0, slash), name.slice(slash + 1)]
}

/** Access to one model of a provider, its default when none is named. */
export async function accessTo(host: Needs, provider: string, model: string | null): Promise<ModelAccess> {
  if (provider === offlineProvider) return offline
  const id = ProviderId.safeParse(provider)
  if (!id.success) throw new ModelError('provider_unavailable', `There is no provider ${provider}`)
  const record = await findProviderRecord(host, id.data)
  if (!record)
    throw new ModelError(
      'auth',
      `${catalogueEntry(id.data).name} has no key here; add one in Settings → Providers`,
    )
  return accessOf(host, record, model)
}

async function accessOf(host: Needs, record: ProviderRecord, wanted: string | null): Promise<ModelAccess> {
  const models = modelsOf(record.id, record, await listPrices(host))
  const model = wanted ?? record.default_model ?? models[0]?.id
  if (!model)
    throw new ModelError('model_not_found', `Choose a model of ${record.id} in Settings → Providers`)
  const known = models.find((candidate) => candidate.id === model)
  const key = record.sealed_key
    ? { api_key: await host.secrets.open(record.sealed_key, keyPurpose(record.id)) }
    : {}
  const base = record.base_url ? { base_url: record.base_url } : {}
  const cost: ModelAccess['cost'] = (tokens) => costOf(known, tokens)
  return { provider: record.id, model, ...key, ...base, context_tokens: known?.context_tokens ?? null, cost }
}
