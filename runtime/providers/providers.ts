import type { z } from 'zod'
import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { invalidField, notFound } from '../fault.ts'
import type { Host } from '../host.ts'
import { ModelError } from '../ports/models.ts'
import { GuardFailed } from '../ports/sql.ts'
import { iso, second } from '../time.ts'
import { accessTo, type ModelAccess } from './access.ts'
import { callModel } from './call.ts'
import { catalogue, catalogueEntry, modelsOf } from './catalogue.ts'
import { type Cooldown, coolingOf } from './failover.ts'
import { showUsage } from './limits.ts'
import {
  type AllowanceChange,
  type Price,
  type PriceChange,
  type Provider,
  ProviderId,
  type ProviderList,
  type ProviderModel,
  type ProviderUsage,
  type TestResult,
} from './schema.ts'
import {
  deleteProviderRecord,
  findProviderRecord,
  forgetLimits,
  keyPurpose,
  listCooldowns,
  listLimits,
  listPrices,
  listProviderRecords,
  type ProviderRecord,
  saveAllowance,
  saveModels,
  savePrice,
  saveProviderRecord,
  saveTest,
} from './store.ts'

/** What is known beside a provider's record. */
export interface Facts {
  now: number
  prices: ReadonlyMap<string, Price>
  cooldowns: ReadonlyMap<string, Cooldown>
}

export async function readFacts(host: Pick<Host, 'sql' | 'clock'>): Promise<Facts> {
  return { now: host.clock.now(), prices: await listPrices(host), cooldowns: await listCooldowns(host) }
}

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

/** Sets prices by model, or takes them back. Budgets and costs of later calls follow them at once. */
export async function changePrices(
  context: Context,
  id: ProviderId,
  { prices }: z.output<typeof PriceChange>,
): Promise<Provider> {
  const now = context.clock.now()
  const statements = Object.entries(prices).map(([model, price]) => savePrice(id, model, { price, now }))
  const audit = auditStatement(context, { action: 'provider.priced', target: id })
  await context.commit([...statements, audit], [{ type: 'provider.updated', data: { provider: id } }])
  return only((await showProviders(context)).providers.find((one) => one.id === id))
}

/** Sets how many tokens a subscription allows, for vendors whose answers do not say it. */
export async function changeAllowance(
  context: Context,
  id: ProviderId,
  change: z.output<typeof AllowanceChange>,
): Promise<ProviderUsage> {
  const old = (await listLimits(context)).find(({ provider }) => provider === id)?.allowance
  const allowance = { five_hour_tokens: null, seven_day_tokens: null, ...old, ...defined(change) }
  const audit = auditStatement(context, { action: 'provider.allowed', target: id })
  await context.commit(
    [saveAllowance(id, allowance), audit],
    [{ type: 'provider.updated', data: { provider: id } }],
  )
  return only((await showUsage(context)).find(({ provider }) => provider === id))
}

const defined = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

function only<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('every provider is in the catalogue')
  return item
}

const patience = 20 * second

/** Sends one short message to the provider's default model, and remembers how it went. */
export async function checkProvider(context: Context, id: ProviderId): Promise<TestResult> {
  const begun = context.clock.now()
  const outcome = await withPatience(context, (signal) => askOnce(context, id, signal))
  const result: TestResult = { ...outcome, latency_ms: Math.round(context.clock.now() - begun) }
  const test = { ...result, at: iso(context.clock.now()) }
  await context.commit([saveTest(id, test)], [{ type: 'provider.updated', data: { provider: id } }])
  return result
}

type Outcome = Omit<TestResult, 'latency_ms'>

async function askOnce(context: Context, id: ProviderId, signal: AbortSignal): Promise<Outcome> {
  let access: ModelAccess | null = null
  try {
    access = await accessTo(context, id, null)
    const messages = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Answer with the word ok.' }] },
    ]
    const content = { system: '', messages, tools: [] }
    const request = { access, content, spender: { category: 'internal' as const }, alone: true }
    for await (const event of callModel({ ...context, signal }, request)) {
      if (event.type === 'text' || event.type === 'finish') break
    }
    return { ok: true, model: access.model, error: null }
  } catch (thrown) {
    return { ok: false, model: access?.model ?? null, error: reason(thrown) }
  }
}

const reason = (thrown: unknown) =>
  thrown instanceof ModelError
    ? `${thrown.code}: ${thrown.message}`
    : 'internal_error: the test could not be made'

async function withPatience<T>(context: Context, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const done = new AbortController()
  const late = new AbortController()
  context.clock.after(patience, done.signal).then(
    () => late.abort(new ModelError('timeout', `No answer within ${patience / second} s`)),
    () => undefined,
  )
  try {
    return await run(AbortSignal.any([context.signal, late.signal]))
  } finally {
    done.abort()
  }
}

/** Asks the vendor which models it has, and remembers the list. Throws `ModelError`. */
export async function refreshModels(context: Context, id: ProviderId): Promise<ProviderModel[]> {
  const names = await withPatience(context, async (signal) =>
    context.models.list({ ...(await keyOf(context, id)), provider: id, signal }),
  )
  const models = names.map((name) => ({
    id: name,
    context_tokens: null,
    input_usd_per_mtok: null,
    output_usd_per_mtok: null,
  }))
  await context.commit([saveModels(id, models, iso(context.clock.now()))])
  return models
}

/** A local server may have no default model yet: any name will do to reach its list. */
async function keyOf(context: Context, id: ProviderId): Promise<{ api_key?: string; base_url?: string }> {
  const { api_key, base_url } = await accessTo(context, id, '')
  return { ...(api_key ? { api_key } : {}), ...(base_url ? { base_url } : {}) }
}
