import type { z } from 'zod'
import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault, invalidField, notFound, unavailable } from '../fault.ts'
import type { Host } from '../host.ts'
import { offlineProvider } from '../models/models.ts'
import { requireReachable } from '../outbound/reachable.ts'
import { ModelError } from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import { GuardFailed } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { iso, second } from '../time.ts'
import { within } from '../within.ts'
import {
  accessOf,
  accessTo,
  credentialsOf,
  type ModelAccess,
  modelsOf,
  requireRecord,
  unknownModel,
} from './access.ts'
import { callModel } from './call.ts'
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
  forgetContexts,
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
import { pricesAsOf, vendors } from './vendors/index.ts'
import type { Vendor } from './vendors/vendor.ts'

/** The vendor with this id, or a 404. */
export function requireProviderId(text: string): ProviderId {
  const id = ProviderId.safeParse(text)
  if (id.success) return id.data
  throw notFound(`The provider ${text}`)
}

/** The entry of a list that has one for every provider. */
function entryOf<Entry>(entries: readonly Entry[], matches: (entry: Entry) => boolean): Entry {
  const entry = entries.find(matches)
  if (entry === undefined) throw new Error('every provider is listed')
  return entry
}

const vendorOf = (id: ProviderId) => entryOf(vendors, (vendor) => vendor.id === id)

interface Facts {
  now: number
  prices: ReadonlyMap<string, Price>
  cooldowns: ReadonlyMap<string, Cooldown>
}

const readFacts = async (host: Pick<Host, 'sql' | 'clock'>): Promise<Facts> => ({
  now: host.clock.now(),
  prices: await listPrices(host),
  cooldowns: await listCooldowns(host),
})

/** Every provider with its status, whether it is set up or not. */
export async function showProviders(host: Pick<Host, 'sql' | 'clock'>): Promise<ProviderList> {
  const records = await listProviderRecords(host)
  const facts = await readFacts(host)
  return {
    prices_as_of: pricesAsOf,
    providers: vendors.map((vendor) =>
      showProvider(vendor, records.find(({ id }) => id === vendor.id) ?? null, facts),
    ),
    builtin: {
      id: offlineProvider,
      name: 'Offline model',
      description: 'Built in; needs no key and no network. It follows rules and is not a language model.',
    },
  }
}

export async function findProvider(context: Context, provider: string): Promise<Provider> {
  return entryOf((await showProviders(context)).providers, ({ id }) => id === provider)
}

function showProvider(vendor: Vendor, record: ProviderRecord | null, facts: Facts): Provider {
  const id = vendor.id as ProviderId
  const models = [...modelsOf(id, record, facts.prices)]
  const default_model = record?.default_model ?? models[0]?.id ?? null
  const cooling = coolingOf(facts.cooldowns, { provider: id, model: default_model ?? '*' }, facts.now)
  return {
    id,
    name: vendor.name,
    kind: vendor.kind,
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

export interface ProviderSetup {
  provider: string
  api_key?: string | undefined
  base_url?: string | null | undefined
  default_model?: string | null | undefined
  /** Stores nothing unless the provider answers a short message with this access: 409 `test_failed`. */
  tested?: boolean
}

const maxTries = 10

/**
 * Stores the given fields of a provider's access and keeps the others. The key is encrypted before it is
 * stored; limits and cooldowns of an earlier key are forgotten. Of two changes at once, the second is applied
 * on top of the first.
 */
export async function configureProvider(context: Context, setup: ProviderSetup): Promise<Provider> {
  const id = requireProviderId(setup.provider)
  for (let tries = 1; ; tries += 1) {
    try {
      return await configureOnce(context, id, setup)
    } catch (thrown) {
      if (!(thrown instanceof GuardFailed) || tries === maxTries) throw thrown
    }
  }
}

async function configureOnce(context: Context, id: ProviderId, setup: ProviderSetup): Promise<Provider> {
  const vendor = vendorOf(id)
  const old = await findProviderRecord(context, id)
  const record = await merged(context, old ?? emptyRecord(id), setup)
  if (!record.sealed_key && !record.base_url && !vendor.keyless)
    throw invalidField('api_key', `${vendor.name} needs a key, or the base_url of a compatible server`)
  if (setup.tested) record.last_test = await requireAnswer(context, record)
  await store(context, id, 'provider.configured', [saveProviderRecord(record, old), ...forgetLimits(id)])
  return showProvider(vendor, record, await readFacts(context))
}

async function merged(context: Context, old: ProviderRecord, setup: ProviderSetup): Promise<ProviderRecord> {
  const record = { ...old, updated_at: laterThan(old.updated_at, context.clock.now()), last_test: null }
  if (setup.api_key !== undefined) {
    record.sealed_key = await context.secrets.seal(setup.api_key, keyPurpose(old.id))
    record.key_hint = hintOf(setup.api_key)
  }
  if (setup.base_url !== undefined) {
    if (setup.api_key === undefined) requireSameServer(old, setup.base_url)
    if (setup.base_url !== null) requireReachable(context, setup.base_url, 'base_url')
    record.base_url = setup.base_url
  }
  if (setup.default_model !== undefined) record.default_model = setup.default_model
  return record
}

const hintOf = (key: string) => (key.length < 12 ? '…' : `…${key.slice(-4)}`)

/** A key was given for one server: it is sent to no other unless it is given again. */
function requireSameServer({ sealed_key, base_url }: ProviderRecord, to: string | null): void {
  const originOf = (url: string | null) => (url === null ? null : (URL.parse(url)?.origin ?? url))
  if (sealed_key === null || originOf(base_url) === originOf(to)) return
  throw invalidField('api_key', 'is needed again because base_url names another server')
}

/** Always later than before, because it identifies the state of a provider that a change is based on. */
const laterThan = (before: string, now: number) =>
  iso(before === '' ? now : Math.max(now, Date.parse(before) + 1))

const emptyRecord = (id: ProviderId): ProviderRecord => ({
  id,
  sealed_key: null,
  key_hint: null,
  base_url: null,
  default_model: null,
  models: [],
  learned_contexts: {},
  last_test: null,
  updated_at: '',
})

export async function forgetProvider(context: Context, id: ProviderId): Promise<void> {
  try {
    await store(context, id, 'provider.removed', [deleteProviderRecord(id)])
  } catch (thrown) {
    if (thrown instanceof GuardFailed) throw notFound(`A key of ${id}`)
    throw thrown
  }
}

const store = (
  context: Context,
  id: ProviderId,
  action: string,
  statements: Parameters<Context['commit']>[0],
) =>
  context.commit(
    [...statements, auditStatement(context, { action, target: id })],
    [{ type: 'provider.updated', data: { provider: id } }],
  )

/** Sets or removes prices by model. Budgets and the costs of later calls use them at once. */
export async function changePrices(
  context: Context,
  id: ProviderId,
  { prices }: z.input<typeof PriceChange>,
): Promise<Provider> {
  const now = context.clock.now()
  const statements: Statement[] = Object.entries(prices).map(([model, price]) =>
    savePrice(id, model, { price, now }),
  )
  const sized = Object.entries(prices).filter(([, price]) => price?.context_tokens)
  statements.push(
    forgetContexts(
      id,
      sized.map(([model]) => model),
    ),
  )
  await store(context, id, 'provider.priced', statements)
  return findProvider(context, id)
}

/** Sets how many tokens a subscription allows, for vendors whose responses do not report it. */
export async function changeAllowance(
  context: Context,
  id: ProviderId,
  change: z.output<typeof AllowanceChange>,
): Promise<ProviderUsage> {
  const old = (await listLimits(context)).find(({ provider }) => provider === id)?.allowance
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const allowance = { five_hour_tokens: null, seven_day_tokens: null, ...old, ...given }
  await store(context, id, 'provider.allowed', [saveAllowance(id, allowance)])
  return entryOf(await showUsage(context), ({ provider }) => provider === id)
}

const timeLimit = {
  milliseconds: 20 * second,
  late: new ModelError('timeout', 'No answer within 20 s'),
}

type LastTest = NonNullable<ProviderRecord['last_test']>

/** Sends one short message to the provider's default model, and stores the result. */
export async function checkProvider(context: Context, id: ProviderId): Promise<TestResult> {
  const test = await testAccess(context, () => requireRecord(context, id))
  const { at: _, ...answer } = test
  await context.commit([saveTest(id, test)], [event('provider.updated', { provider: id })], { answer })
  return answer
}

async function requireAnswer(context: Context, record: ProviderRecord): Promise<LastTest> {
  const test = await testAccess(context, async () => record)
  if (test.ok) return test
  throw new Fault(409, 'conflict', `Not saved, because the test failed. ${test.error}`, {
    extra: { code: 'test_failed' },
  })
}

async function testAccess(context: Context, find: () => Promise<ProviderRecord>): Promise<LastTest> {
  const begun = context.clock.now()
  const outcome = await within(context, timeLimit, (signal) => callOnce({ ...context, signal }, find))
  const now = context.clock.now()
  return { ...outcome, latency_ms: Math.round(now - begun), at: iso(now) }
}

async function callOnce(
  context: Context,
  find: () => Promise<ProviderRecord>,
): Promise<Omit<TestResult, 'latency_ms'>> {
  let access: ModelAccess | null = null
  try {
    access = await accessOf(context, await find(), null)
    const messages = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Answer with the word ok.' }] },
    ]
    const content = { system: '', messages, tools: [] }
    const request = { access, content, spender: { category: 'internal' as const }, alone: true }
    for await (const { type } of callModel(context, request)) if (type === 'text' || type === 'finish') break
    return { ok: true, model: access.model, error: null }
  } catch (thrown) {
    const error =
      thrown instanceof ModelError
        ? `${thrown.code}: ${saidBy(thrown, access?.base_url)}`
        : 'internal_error: the test could not be made'
    return { ok: false, model: access?.model ?? null, error }
  }
}

const asked = processState(() => new Set<string>())

/**
 * The context size of a model according to its vendor's list; null if the list has none. The list is
 * requested once.
 */
export async function askContext(context: Context, { provider, model }: ModelAccess): Promise<number | null> {
  if (asked(context).has(provider)) return null
  asked(context).add(provider)
  await refreshModels(context, requireProviderId(provider)).catch(() => {
    context.signal.throwIfAborted()
  })
  return (await accessTo(context, provider, model)).context_tokens
}

/**
 * The response of a server at an address that an administrator chose is not quoted: it may be any server on
 * the network.
 */
const saidBy = ({ message }: ModelError, base_url: string | null | undefined): string =>
  base_url ? 'the server at base_url did not answer as a provider does' : message

/** Asks the vendor for its models and stores the list; 503 if it is not set up or does not answer. */
export async function refreshModels(context: Context, id: ProviderId): Promise<ProviderModel[]> {
  const record = await findProviderRecord(context, id)
  const listed = await within(context, timeLimit, async (signal) =>
    context.models.list({ ...(await credentialsOf(context, id)), provider: id, signal }),
  ).catch((thrown: unknown) => {
    if (thrown instanceof ModelError) throw unavailable(`${id}: ${saidBy(thrown, record?.base_url)}`)
    throw thrown
  })
  const models = listed.map((model) => ({ ...unknownModel(model.id), ...model }))
  const sized = models.filter((model) => model.context_tokens !== null).map((model) => model.id)
  await context.commit([saveModels(id, models, iso(context.clock.now())), forgetContexts(id, sized)])
  return [...modelsOf(id, record && { ...record, models }, await listPrices(context))]
}
