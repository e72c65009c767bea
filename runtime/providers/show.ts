import type { Host } from '../host.ts'
import { catalogue, catalogueEntry } from './catalogue.ts'
import type { Provider, ProviderId, ProviderList, ProviderModel } from './schema.ts'
import { listProviderRecords, type ProviderRecord } from './store.ts'

/** The models a person can choose: the vendor's own list where it is known, with prices where we know them. */
export function modelsOf(id: ProviderId, record: ProviderRecord | null): readonly ProviderModel[] {
  const known = catalogueEntry(id).models
  if (!record || record.models.length === 0) return known
  return record.models.map((model) => known.find((priced) => priced.id === model.id) ?? model)
}

/** One provider as the interface shows it. */
export function showProvider(record: ProviderRecord | null, id: ProviderId, now: number): Provider {
  const entry = catalogueEntry(id)
  const models = [...modelsOf(id, record)]
  return {
    id,
    name: entry.name,
    kind: entry.kind,
    configured: record !== null,
    key_hint: record?.key_hint ?? null,
    base_url: record?.base_url ?? null,
    status: statusOf(record, now),
    models,
    default_model: record?.default_model ?? models[0]?.id ?? null,
    last_test: record?.last_test ?? null,
    cooldown_until: record?.cooldown_until ?? null,
  }
}

function statusOf(record: ProviderRecord | null, now: number): Provider['status'] {
  if (!record) return 'unconfigured'
  if (record.cooldown_until && Date.parse(record.cooldown_until) > now) return 'cooldown'
  return record.last_test?.ok === false ? 'error' : 'ok'
}

export async function showProviders(host: Pick<Host, 'sql' | 'clock'>): Promise<ProviderList> {
  const records = await listProviderRecords(host)
  const now = host.clock.now()
  const recordOf = (id: ProviderId) => records.find((record) => record.id === id) ?? null
  return {
    providers: catalogue.map(({ id }) => showProvider(recordOf(id), id, now)),
    builtin: {
      id: 'offline',
      name: 'Offline model',
      description:
        'Built in, needs no key and no network. It follows rules and is no language model of a vendor.',
    },
  }
}
