import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { invalidField, notFound } from '../fault.ts'
import { GuardFailed } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { catalogueEntry } from './catalogue.ts'
import { forgetLimits } from './limit-store.ts'
import { type Provider, ProviderId } from './schema.ts'
import { readFacts, showProvider } from './show.ts'
import { deleteProviderRecord, findProviderRecord, type ProviderRecord, saveProviderRecord } from './store.ts'

/** Binds a sealed key to its use. */
export const keyPurpose = (id: ProviderId) => `provider:${id}`

export interface ProviderSetup {
  provider: string
  api_key?: string | undefined
  base_url?: string | null | undefined
  default_model?: string | null | undefined
}

const hint = (key: string) => (key.length < 12 ? '…' : `…${key.slice(-4)}`)

/**
 * Stores what is given of a provider's access and keeps the rest. The key is sealed before it is stored; what the
 * vendor said to an earlier one, limits and cooldowns, is forgotten.
 */
export async function configureProvider(context: Context, setup: ProviderSetup): Promise<Provider> {
  const id = requireProviderId(setup.provider)
  for (let tries = 1; ; tries += 1) {
    try {
      return await configureOnce(context, id, setup)
    } catch (thrown) {
      if (!(thrown instanceof GuardFailed) || tries === mostTries) throw thrown
    }
  }
}

/** One of two changes at once is made again on top of the other. */
const mostTries = 10

async function configureOnce(context: Context, id: ProviderId, setup: ProviderSetup): Promise<Provider> {
  const old = await findProviderRecord(context, id)
  const record = await merged(context, old ?? emptyRecord(id), setup)
  if (!record.sealed_key && !record.base_url && !catalogueEntry(id).keyless) {
    throw invalidField(
      'api_key',
      `${catalogueEntry(id).name} needs a key, or the base_url of a compatible server`,
    )
  }
  const audit = auditStatement(context, { action: 'provider.configured', target: id, outcome: 'ok' })
  await context.commit(
    [saveProviderRecord(record, old), ...forgetLimits(id), audit],
    [{ type: 'provider.updated', data: { provider: id } }],
  )
  return showProvider(record, id, await readFacts(context))
}

async function merged(context: Context, old: ProviderRecord, setup: ProviderSetup): Promise<ProviderRecord> {
  const record = { ...old, updated_at: laterThan(old.updated_at, context.clock.now()), last_test: null }
  if (setup.api_key !== undefined) {
    record.sealed_key = await context.secrets.seal(setup.api_key, keyPurpose(old.id))
    record.key_hint = hint(setup.api_key)
  }
  if (setup.base_url !== undefined) {
    if (setup.api_key === undefined) refuseElsewhere(old, setup.base_url)
    record.base_url = setup.base_url
  }
  if (setup.default_model !== undefined) record.default_model = setup.default_model
  return record
}

/** A key was given for one server: it goes to no other unless it is given again. */
function refuseElsewhere({ sealed_key, base_url }: ProviderRecord, to: string | null): void {
  const originOf = (url: string | null) => (url === null ? null : (URL.parse(url)?.origin ?? url))
  if (sealed_key === null || originOf(base_url) === originOf(to)) return
  throw invalidField('api_key', 'is needed again where base_url leads to another server')
}

/** Always later, so that it tells one state of a provider from the next. */
const laterThan = (before: string, now: number) =>
  iso(before === '' ? now : Math.max(now, Date.parse(before) + 1))

const emptyRecord = (id: ProviderId): ProviderRecord => ({
  id,
  sealed_key: null,
  key_hint: null,
  base_url: null,
  default_model: null,
  models: [],
  last_test: null,
  updated_at: '',
})

export async function forgetProvider(context: Context, id: ProviderId): Promise<void> {
  const audit = auditStatement(context, { action: 'provider.removed', target: id, outcome: 'ok' })
  try {
    await context.commit(
      [deleteProviderRecord(id), audit],
      [{ type: 'provider.updated', data: { provider: id } }],
    )
  } catch (thrown) {
    if (thrown instanceof GuardFailed) throw notFound(`A key of ${id}`)
    throw thrown
  }
}

/** The id when it is one of the eight, or a 404. */
export function requireProviderId(text: string): ProviderId {
  const id = ProviderId.safeParse(text)
  if (id.success) return id.data
  throw notFound(`The provider ${text}`)
}
