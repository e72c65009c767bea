import type { z } from 'zod'
import { requireDefaultAgent } from '../agents/index.ts'
import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault, invalidField, notFound, unavailable } from '../fault.ts'
import type { Host } from '../host.ts'
import { againIfLost } from '../lost-race.ts'
import { offlineProvider } from '../models/models.ts'
import { ProviderId, pricesAsOf, vendors } from '../models/vendors/index.ts'
import type { ProviderModel } from '../models/vendors/model.ts'
import { isOwnAddress, type Vendor } from '../models/vendors/vendor.ts'
import { requireReachable } from '../outbound/reachable.ts'
import { ModelError, type ToolSpec } from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import { GuardFailed } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { prompt } from '../prompts/prompt.ts'
import { iso, laterThan, second } from '../time.ts'
import { defined } from '../values.ts'
import { within } from '../within.ts'
import {
  accessOf,
  accessTo,
  credentialsIn,
  defaultOf,
  type ModelAccess,
  modelsOf,
  requireRecord,
  unknownModel,
} from './access.ts'
import { type CallEvent, callModel } from './call.ts'
import { type Cooldown, coolingOf } from './failover.ts'
import { showUsage } from './limits.ts'
import { keyPurpose } from './purposes.ts'
import type {
  AllowanceChange,
  Price,
  PriceChange,
  Provider,
  ProviderList,
  ProviderUsage,
  TestResult,
} from './schema.ts'
import {
  deleteProviderRecord,
  findProviderRecord,
  forgetContexts,
  forgetLimits,
  liftLimits,
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
    providers: vendors.map((vendor) => showProvider(vendor, records.find(({ id }) => id === vendor.id) ?? null, facts)),
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
  const default_model = record?.default_model ?? defaultOf(models) ?? null
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
    adjusted_arguments: adjustedArguments(record),
    last_test: record?.last_test ?? null,
    cooldown_until: cooling ? iso(cooling.until) : null,
  }
}

const adjustedArguments = (record: ProviderRecord | null): Provider['adjusted_arguments'] =>
  Object.entries(record?.learned_arguments ?? {}).flatMap(([model, names]) =>
    Object.entries(names).map(([argument, name]) => ({
      argument,
      sent_as: name || null,
      model: model === '*' ? null : model,
    })),
  )

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
  /** The name of the field for the default model in the request. */
  model_field?: 'default_model' | 'model'
  /** Stores nothing unless the provider answers a short message with this access: 409 `test_failed`. */
  tested?: boolean
}

/**
 * Stores the given fields of a provider's access and keeps the others. The key is encrypted before it is
 * stored; limits and cooldowns of an earlier key are forgotten. Of two changes at once, the second is applied
 * on top of the first.
 */
export async function configureProvider(context: Context, setup: ProviderSetup): Promise<Provider> {
  const id = requireProviderId(setup.provider)
  return againIfLost(() => configureOnce(context, id, setup))
}

async function configureOnce(context: Context, id: ProviderId, setup: ProviderSetup): Promise<Provider> {
  const vendor = vendorOf(id)
  const old = await findProviderRecord(context, id)
  const record = await merged(context, old ?? emptyRecord(id), setup)
  if (!record.sealed_key && !record.base_url && !vendor.keyless)
    throw invalidField('api_key', `${vendor.name} needs a key, or the base_url of a compatible server`)
  await readServerModels(context, record, setup)
  if (setup.tested) record.last_test = await requireAnswer(context, record)
  await store(context, id, 'provider.configured', [saveProviderRecord(record, old), ...forgetLimits(id)])
  return showProvider(vendor, record, await readFacts(context))
}

async function merged(context: Context, old: ProviderRecord, setup: ProviderSetup): Promise<ProviderRecord> {
  const now = context.clock.now()
  const updated_at = old.updated_at === '' ? iso(now) : laterThan(old.updated_at, now)
  const record = { ...old, updated_at, last_test: null, learned_arguments: {} }
  if (setup.api_key !== undefined) {
    record.sealed_key = await context.secrets.seal(setup.api_key, keyPurpose(old.id))
    record.key_hint = hintOf(setup.api_key)
  }
  if (setup.base_url !== undefined) {
    if (setup.api_key === undefined) requireSameServer(old, setup.base_url)
    if (setup.base_url !== null) requireReachable(context, setup.base_url, 'base_url')
    if (!isSameServer(old.base_url, setup.base_url)) Object.assign(record, { models: [], default_model: null })
    record.base_url = setup.base_url
  }
  if (setup.default_model !== undefined) record.default_model = setup.default_model
  return record
}

/**
 * Reads the list of a server that is not the vendor's own: nothing else is known of its models, and the first is the
 * default. 422 if it has no list and no model is named.
 */
async function readServerModels(
  context: Context,
  record: ProviderRecord,
  { base_url, api_key, model_field = 'default_model' }: ProviderSetup,
): Promise<void> {
  const isSet = record.models.length > 0 || record.default_model !== null
  if (isOwnAddress(vendorOf(record.id), record.base_url)) return
  if (isSet && base_url === undefined && api_key === undefined) return
  const { models, error } = await askServer(context, record)
  if (models.length > 0) record.models = models
  if (record.default_model !== null || record.models.length > 0) return
  throw invalidField(
    model_field,
    error
      ? `is required because the server did not list its models (${error})`
      : 'is required because the list of the server is empty',
  )
}

async function askServer(
  context: Context,
  record: ProviderRecord,
): Promise<{ models: ProviderModel[]; error: string | null }> {
  try {
    return { models: await listModels(context, record), error: null }
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown
    return { models: [], error: saidBy(thrown, record.base_url) }
  }
}

const hintOf = (key: string) => (key.length < 12 ? '…' : `…${key.slice(-4)}`)

const originOf = (url: string | null) => (url === null ? null : (URL.parse(url)?.origin ?? url))

const isSameServer = (left: string | null, right: string | null) => originOf(left) === originOf(right)

/** A key was given for one server: it is sent to no other unless it is given again. */
function requireSameServer({ sealed_key, base_url }: ProviderRecord, to: string | null): void {
  if (sealed_key === null || isSameServer(base_url, to)) return
  throw invalidField('api_key', 'is required again because base_url names another server')
}

const emptyRecord = (id: ProviderId): ProviderRecord => ({
  id,
  sealed_key: null,
  key_hint: null,
  base_url: null,
  default_model: null,
  models: [],
  learned_contexts: {},
  learned_arguments: {},
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

const store = (context: Context, id: ProviderId, action: string, statements: Parameters<Context['commit']>[0]) =>
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
  const statements: Statement[] = Object.entries(prices).map(([model, price]) => savePrice(id, model, { price, now }))
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
  const fields = defined(change)
  const allowance = { five_hour_tokens: null, seven_day_tokens: null, ...old, ...fields }
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
  const { test } = await testAccess(context, () => requireRecord(context, id))
  const { at: _, ...answer } = test
  const lifted = test.ok && test.model ? liftLimits(id, test.model) : []
  await context.commit([saveTest(id, test), ...lifted], [event('provider.updated', { provider: id })], { answer })
  return answer
}

async function requireAnswer(context: Context, record: ProviderRecord): Promise<LastTest> {
  const { test, learned } = await testAccess(context, async () => record)
  if (test.ok) {
    record.learned_arguments = learned
    return test
  }
  const isOwn = isOwnAddress(vendorOf(record.id), record.base_url)
  throw new Fault(409, 'conflict', `Not saved, because the test failed. ${test.error}`, {
    extra: { code: 'test_failed', ...(!isOwn && { models: record.models.map(({ id }) => id) }) },
  })
}

interface Test {
  test: LastTest
  /** What the server has said about its arguments. */
  learned: ProviderRecord['learned_arguments']
}

async function testAccess(context: Context, find: () => Promise<ProviderRecord>): Promise<Test> {
  const begun = context.clock.now()
  const { learned, ...outcome } = await within(context, timeLimit, (signal) => callOnce({ ...context, signal }, find))
  const now = context.clock.now()
  return { learned, test: { ...outcome, latency_ms: Math.round(now - begun), at: iso(now) } }
}

type Outcome = Omit<TestResult, 'latency_ms'> & Pick<Test, 'learned'>

async function callOnce(context: Context, find: () => Promise<ProviderRecord>): Promise<Outcome> {
  let access: ModelAccess | null = null
  let learned: Test['learned'] = {}
  try {
    access = await accessOf(context, await find(), null)
    for await (const event of testCall(context, access)) {
      if (event.type === 'adjusted') learned = event.learned
      else if (event.type !== 'reasoning') break
    }
    return { ok: true, model: access.model, error: null, learned }
  } catch (thrown) {
    const error =
      thrown instanceof ModelError
        ? `${thrown.code}: ${saidBy(thrown, access?.base_url)}`
        : 'internal_error: the test could not be made'
    return { ok: false, model: access?.model ?? null, error, learned }
  }
}

/** Like a step of a chat with the default agent; like there, a model that takes no tools is called without them. */
async function* testCall(context: Context, access: ModelAccess): AsyncGenerator<CallEvent> {
  const { temperature, max_output_tokens } = await requireDefaultAgent(context)
  const text = 'Answer with the word ok.'
  const content = {
    system: prompt('connection-test'),
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
    cache_key: 'test',
    ...(temperature !== null && { temperature }),
    ...(max_output_tokens !== null && { max_output_tokens }),
  }
  const request = { access, spender: { category: 'internal' as const }, alone: true }
  try {
    yield* callModel(context, { ...request, content: { ...content, tools: [testTool] } })
  } catch (thrown) {
    if (!(thrown instanceof ModelError) || thrown.refuses !== 'tools') throw thrown
    yield* callModel(context, { ...request, content: { ...content, tools: [] } })
  }
}

/** Has the forms of schema that the tools of agents have. */
const testTool: ToolSpec = {
  name: 'time',
  description: 'Tells the time in a zone.',
  input_schema: {
    type: 'object',
    properties: {
      zone: { type: 'string', maxLength: 100, description: 'IANA name' },
      format: { type: 'string', enum: ['iso', 'words'], default: 'iso' },
      offset: { anyOf: [{ type: 'integer', minimum: 0, maximum: 10 }, { type: 'null' }] },
      days: { type: 'array', maxItems: 5, items: { type: 'string' } },
    },
    required: ['zone'],
  },
}

const queriedProviders = processState(() => new Set<string>())

/**
 * The context size of a model according to its vendor's list; null if the list has none. The list is
 * requested once.
 */
export async function askContext(context: Context, { provider, model }: ModelAccess): Promise<number | null> {
  if (queriedProviders(context).has(provider)) return null
  queriedProviders(context).add(provider)
  await refreshModels(context, requireProviderId(provider)).catch(() => {
    context.signal.throwIfAborted()
  })
  return (await accessTo(context, provider, model)).context_tokens
}

/**
 * The plain text of a response is not quoted from an address that a person chose: it may be any server on the network. An
 * error in the form of a model server is.
 */
const saidBy = ({ message, raw }: ModelError, base_url: string | null | undefined): string =>
  raw && base_url ? 'the server at base_url did not answer as a provider does' : message

async function listModels(context: Context, record: ProviderRecord): Promise<ProviderModel[]> {
  const { id } = record
  const credentials = await credentialsIn(context, record)
  const listed = await within(context, timeLimit, async (signal) =>
    context.models.list({ ...credentials, provider: id, signal }),
  )
  return listed.map((model) => ({ ...unknownModel(model.id), ...model }))
}

/** Asks the vendor for its models and stores the list; 503 if it is not set up or does not answer. */
export async function refreshModels(context: Context, id: ProviderId): Promise<ProviderModel[]> {
  const record = await findProviderRecord(context, id)
  const models = await requireRecord(context, id)
    .then((stored) => listModels(context, stored))
    .catch((thrown: unknown) => {
      if (thrown instanceof ModelError) throw unavailable(`${id}: ${saidBy(thrown, record?.base_url)}`)
      throw thrown
    })
  const sized = models.filter((model) => model.context_tokens !== null).map((model) => model.id)
  await context.commit([saveModels(id, models, iso(context.clock.now())), forgetContexts(id, sized)])
  return [...modelsOf(id, record && { ...record, models }, await listPrices(context))]
}
