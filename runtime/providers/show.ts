import type { Host } from '../host.ts'
import { iso } from '../time.ts'
import type { Price } from './backup-schema.ts'
import { catalogue, catalogueEntry } from './catalogue.ts'
import { type Cooldown, cooldownKey, coolingOf } from './cooldown.ts'
import { listCooldowns, listPrices } from './limit-store.ts'
import type { Provider, ProviderId, ProviderList, ProviderModel } from './schema.ts'
import { listProviderRecords, type ProviderRecord } from './store.ts'

type Prices = ReadonlyMap<string, Price>

/** What is known beside a provider's record. */
export interface Facts {
  now: number
  prices: Prices
  cooldowns: ReadonlyMap<string, Cooldown>
}

export async function readFacts(host: Pick<Host, 'sql' | 'clock'>): Promise<Facts> {
  return { now: host.clock.now(), prices: await listPrices(host), cooldowns: await listCooldowns(host) }
}

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

/** One provider as the interface shows it. */
export function showProvider(record: ProviderRecord | null, id: ProviderId, facts: Facts): Provider {
  const entry = catalogueEntry(id)
  const models = [...modelsOf(id, record, facts.prices)]
  const default_model = record?.default_model ?? models[0]?.id ?? null
  const cooling = coolingOf(facts.cooldowns, { provider: id, model: default_model ?? '*' }, facts.now)
  return {
    id,
    name: entry.name,
    kind: entry.kind,
    configured: record !== null,
    key_hint: record?.key_hint ?? null,
    base_url: record?.base_url ?? null,
    status: statusOf(record, cooling),
    models,
    default_model,
    last_test: record?.last_test ?? null,
    cooldown_until: cooling ? iso(cooling.until) : null,
  }
}

function statusOf(record: ProviderRecord | null, cooling: Cooldown | null): Provider['status'] {
  if (!record) return 'unconfigured'
  if (cooling) return 'cooldown'
  return record.last_test?.ok === false ? 'error' : 'ok'
}

export async function showProviders(host: Pick<Host, 'sql' | 'clock'>): Promise<ProviderList> {
  const records = await listProviderRecords(host)
  const facts = await readFacts(host)
  const recordOf = (id: ProviderId) => records.find((record) => record.id === id) ?? null
  return {
    providers: catalogue.map(({ id }) => showProvider(recordOf(id), id, facts)),
    builtin: {
      id: 'offline',
      name: 'Offline model',
      description:
        'Built in, needs no key and no network. It follows rules and is no language model of a vendor.',
    },
  }
}
