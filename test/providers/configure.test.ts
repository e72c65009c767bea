import { expect, test } from 'vitest'
import { createOutbound } from '../../adapters/outbound/outbound.ts'
import { list, models, setKey, setPrices } from '../../handlers/providers/providers.ts'
import { create as createServer } from '../../handlers/settings/mcp.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { ModelError, type ModelFacts } from '../../runtime/ports/models.ts'
import { chooseModel } from '../../runtime/providers/access.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { findProviderRecord, listCooldowns } from '../../runtime/providers/store.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'

test('concurrent changes of a provider are both kept', async () => {
  const host = await testHost()
  const context = localContext(host)
  const local = { provider: 'openai', base_url: 'http://127.0.0.1:9/', default_model: 'm' }
  await configureProvider(context, local)
  await Promise.all([
    configureProvider(context, { provider: 'openai', api_key: 'sk-one-long-enough' }),
    configureProvider(context, { provider: 'openai', base_url: 'http://127.0.0.1:9/v1' }),
    configureProvider(context, { provider: 'openai', default_model: 'n' }),
  ])
  expect(await findProviderRecord(host, 'openai')).toMatchObject({
    sealed_key: expect.any(String),
    base_url: 'http://127.0.0.1:9/v1',
    default_model: 'n',
  })
})

test('a key is sent only to the server it was given for', async () => {
  const host = await testHost({ models: scriptedModels() })
  const context = localContext(host)
  const openai = (setup: object) => configureProvider(context, { provider: 'openai', ...setup })
  await openai({ api_key: 'sk-test-0123456789', base_url: 'https://gateway.example/v1' })

  const moved = openai({ base_url: 'https://elsewhere.example/v1' })
  await expect(moved).rejects.toMatchObject({ status: 422, extra: { issues: [{ path: 'api_key' }] } })
  await expect(openai({ base_url: null })).rejects.toMatchObject({ status: 422 })
  expect(await openai({ base_url: 'https://gateway.example/v2' })).toMatchObject({ configured: true })
  expect(await openai({ base_url: null, api_key: 'sk-test-9876543210' })).toMatchObject({ base_url: null })
})

test('a key is stored only if it passes its test, where that is asked for', async () => {
  const refused = [new ModelError('auth', 'The key is not valid')]
  const models = scriptedModels(refused, text('ok'))
  const host = await testHost({ models })
  const stored = await configureProvider(localContext(host), {
    provider: 'openai',
    api_key: 'sk-old-0123456789',
  })
  const set = (api_key: string) =>
    call(setKey, host, {
      params: { id: 'openai' },
      query: { tested: 'true' },
      body: { api_key, default_model: 'm' },
    })

  const failed = await set('sk-bad-0123456789')
  expect(failed.status).toBe(409)
  expect(await failed.json()).toMatchObject({
    code: 'test_failed',
    message: expect.stringContaining('not valid'),
  })
  expect(await findProviderRecord(host, 'openai')).toMatchObject({
    key_hint: stored.key_hint,
    last_test: null,
  })
  expect(await listCooldowns(host)).toEqual(new Map())

  const passed = await (await set('sk-new-9876543210')).json()
  expect(passed).toMatchObject({ key_hint: '…3210', last_test: { ok: true, model: 'm' } })
  expect(models.calls.map((made) => made.api_key)).toEqual(['sk-bad-0123456789', 'sk-new-9876543210'])
})

test('lists the models of a provider that has no default model yet', async () => {
  const host = await testHost({ models: scriptedModels() })
  await configureProvider(localContext(host), { provider: 'ollama', base_url: 'http://127.0.0.1:9' })
  const response = await call(models, host, { params: { id: 'ollama' } })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ models: [{ id: 'scripted' }], count: 1 })
})

test('saving a provider again does not change which one is the default', async () => {
  const host = await testHost()
  const context = localContext(host)
  const agent = await requireDefaultAgent(context)
  await configureProvider(context, { provider: 'openai', api_key: 'sk-test-0123456789' })
  host.clock.advance(1_000)
  await configureProvider(context, { provider: 'anthropic', api_key: 'sk-test-0123456789' })
  host.clock.advance(1_000)
  await configureProvider(context, { provider: 'openai', api_key: 'sk-test-9876543210' })
  expect(await chooseModel(context, null, agent.model)).toMatchObject({ provider: 'openai' })
})

test('a dated version of a listed model has its price and context size', async () => {
  const host = await testHost()
  const context = localContext(host)
  await configureProvider(context, { provider: 'anthropic', api_key: 'sk-test-0123456789' })
  const { model } = await requireDefaultAgent(context)
  const dated = await chooseModel(context, 'anthropic/claude-haiku-4-5-20251001', model)
  expect(dated).toMatchObject({ priced: true, context_tokens: 200_000 })
  expect(dated.cost({ input: 1_000_000, output: 0 })).toBe(1)
  expect(await chooseModel(context, 'anthropic/claude-next', model)).toMatchObject({ priced: false })
})

test('cached tokens have their own price', async () => {
  const host = await testHost()
  const context = localContext(host)
  await configureProvider(context, { provider: 'anthropic', api_key: 'sk-test-0123456789' })
  const { cost } = await chooseModel(context, 'anthropic/claude-sonnet-4-5', {
    provider: null,
    model: null,
    fallbacks: [],
  })
  expect(cost({ input: 1_000_000, output: 0 })).toBeCloseTo(3, 9)
  expect(cost({ input: 1_000_000, output: 0, cached: 1_000_000 })).toBeCloseTo(0.3, 9)
  expect(cost({ input: 1_000_000, output: 0, cache_write: 1_000_000 })).toBeCloseTo(3.75, 9)
})

const listing = (facts: ModelFacts[]) => ({ ...scriptedModels(), list: async () => facts })

test('prices and context sizes come from the vendor’s own list, then from ours, and a person overrides both', async () => {
  const facts = [
    { id: 'anthropic/claude-sonnet-4.5', input_usd_per_mtok: 2, output_usd_per_mtok: 9 },
    { id: 'new/one', context_tokens: 64_000, input_usd_per_mtok: 1, output_usd_per_mtok: 1 },
  ]
  const host = await testHost({ models: listing(facts) })
  const context = localContext(host)
  await configureProvider(context, { provider: 'openrouter', api_key: 'sk-test-0123456789' })
  const read = async () => (await call(models, host, { params: { id: 'openrouter' } })).json()
  expect((await read()).models).toEqual([
    {
      id: 'anthropic/claude-sonnet-4.5',
      context_tokens: 200_000,
      input_usd_per_mtok: 2,
      output_usd_per_mtok: 9,
      cached_usd_per_mtok: null,
    },
    { ...facts[1], cached_usd_per_mtok: null },
  ])
  const own = { input_usd_per_mtok: 5, output_usd_per_mtok: 6, context_tokens: 8_000 }
  await call(setPrices, host, { params: { id: 'openrouter' }, body: { prices: { 'new/one': own } } })
  expect((await read()).models[1]).toMatchObject({ ...own, cached_usd_per_mtok: null })
})

test('a model behind the prefix of its maker has the price of its maker', async () => {
  const host = await testHost()
  const context = localContext(host)
  await configureProvider(context, { provider: 'openrouter', api_key: 'sk-test-0123456789' })
  const { model } = await requireDefaultAgent(context)
  const found = await chooseModel(context, 'openrouter/anthropic/claude-haiku-4.5-20251001', model)
  expect(found).toMatchObject({ priced: true, context_tokens: 200_000 })
})

test('the list prices have a date', async () => {
  const host = await testHost()
  expect(await (await call(list, host)).json()).toMatchObject({
    prices_as_of: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
  })
})

test.each([
  ['http://169.254.169.254/v1', 'metadata addresses are not allowed'],
  ['http://[fd00:ec2::254]/v1', 'metadata addresses are not allowed'],
  ['http://metadata.google.internal/v1', 'metadata addresses are not allowed'],
  ['http://127.0.0.1:8484/v1', 'port of the service itself'],
  ['http://127.0.0.1:22/v1', 'port 22'],
])('the address %s is refused when it is stored, for no request may ever go there', async (base_url, reason) => {
  const host = await testHost({ outbound: createOutbound({ own_ports: () => [8484] }) })
  const response = await call(setKey, host, { params: { id: 'openai' }, body: { base_url } })
  expect(response.status).toBe(422)
  expect(await response.text()).toContain(reason)
  const body = { name: 'notes', transport: 'http' as const, url: base_url }
  expect((await call(createServer, host, { body })).status).toBe(422)
})

test('an address that the settings allow, or a private one, is stored', async () => {
  const outbound = createOutbound({ allowlist: ['169.254.169.254'], own_ports: () => [8484] })
  const host = await testHost({ outbound })
  for (const base_url of ['http://169.254.169.254/v1', 'http://192.168.1.5:11434', 'http://127.0.0.1:11434'])
    expect((await call(setKey, host, { params: { id: 'ollama' }, body: { base_url } })).status).toBe(200)
})
