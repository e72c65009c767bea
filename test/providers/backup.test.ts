import { expect, test } from 'vitest'
import { giveBack, show, update, usage } from '../../handlers/providers/backup.ts'
import { setAllowance, setPrices } from '../../handlers/providers/providers.ts'
import { RouteTable } from '../../runtime/http/router.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { hour } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { endpoints } from '../support/endpoints.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { ask, configure } from './kit.ts'

const openai = { provider: 'openai', model: 'gpt-5' }

test('returns the default rules next to the current ones', async () => {
  const host = await testHost()
  const defaults = {
    rules: {},
    five_hour_threshold_pct: 90,
    seven_day_threshold_pct: 95,
    return_below_pct: 70,
    auto_return: true,
    both_out: 'pause',
  }
  expect(await (await call(show, host)).json()).toEqual({ ...defaults, defaults })
})

test('merges the rules by provider, and null removes one', async () => {
  const host = await testHost()
  const google = { provider: 'google', model: 'gemini-2.5-pro' }
  await call(update, host, { body: { rules: { anthropic: openai } } })
  await call(update, host, { body: { rules: { openai: google }, both_out: 'keep_going' } })
  const changed = await (await call(update, host, { body: { rules: { anthropic: null } } })).json()

  expect(changed).toMatchObject({ rules: { openai: google }, both_out: 'keep_going', return_below_pct: 70 })
  expect(changed.rules).not.toHaveProperty('anthropic')
  expect(await (await call(show, host)).json()).toEqual(changed)
  expect(host.events).toEqual(['settings.updated', 'settings.updated', 'settings.updated'])
})

test('concurrent changes of different rules are all kept', async () => {
  const host = await testHost()
  const names = ['anthropic', 'google', 'mistral', 'groq', 'deepseek']
  const changes = names.map((name) => call(update, host, { body: { rules: { [name]: openai } } }))
  for (const response of await Promise.all(changes)) expect(response.status).toBe(200)
  expect(Object.keys((await (await call(show, host)).json()).rules).sort()).toEqual(names.sort())
})

test.each([
  ['return_below at a threshold', { return_below_pct: 90 }, 'return_below_pct'],
  ['a threshold below return_below', { five_hour_threshold_pct: 70 }, 'return_below_pct'],
  ['its own backup', { rules: { openai } }, 'rules.openai'],
  ['an unknown provider', { rules: { acme: openai } }, 'rules'],
  ['a backup at an unknown provider', { rules: { openai: { provider: 'acme', model: 'x' } } }, 'rules.openai.provider'],
  ['a rule without a model', { rules: { anthropic: { provider: 'openai' } } }, 'rules.anthropic.model'],
  ['a percentage above 100', { seven_day_threshold_pct: 101 }, 'seven_day_threshold_pct'],
  ['another word for both_out', { both_out: 'stop' }, 'both_out'],
  ['a name that is not a setting', { return_below: 10 }, ''],
])('refuses %s', async (_, body, path) => {
  const host = await testHost()
  const response = await call(update, host, { body })
  expect(response.status).toBe(422)
  const { error, issues } = await response.json()
  expect(error).toBe('validation_error')
  expect(issues[0].path).toBe(path)
})

test('a cycle of backups is allowed', async () => {
  const host = await testHost()
  const rules = { anthropic: openai, openai: { provider: 'anthropic', model: 'claude-haiku-4-5' } }
  expect((await call(update, host, { body: { rules } })).status).toBe(200)
})

test('fixed names are not mistaken for providers', async () => {
  const table = new RouteTable(routesOf(endpoints))
  const origin = 'http://127.0.0.1:18781'
  expect((await table.find('GET', `${origin}/api/providers/backup`)).route).toBe(show)
  expect((await table.find('GET', `${origin}/api/providers/usage`)).route).toBe(usage)
  const found = await table.find('POST', `${origin}/api/providers/backup/openai/return`)
  expect(found).toEqual({ route: giveBack, params: { id: 'openai' } })
})

const usageOf = async (host: Parameters<typeof call>[1], id: string) => {
  const { providers } = await (await call(usage, host)).json()
  return providers.find(({ provider }: { provider: string }) => provider === id)
}

const limits = (utilization: number, resets: number) => ({
  type: 'limits' as const,
  headers: {
    'anthropic-ratelimit-unified-5h-utilization': String(utilization),
    'anthropic-ratelimit-unified-5h-reset': String(resets / 1_000),
  },
})

test('nothing is known about a provider that never answered', async () => {
  const host = await testHost()
  const { providers } = await (await call(usage, host)).json()
  expect(providers).toHaveLength(8)
  expect(providers[0]).toEqual({
    provider: 'anthropic',
    configured: false,
    five_hour: { utilization: null, resets_at: null, source: 'unknown' },
    seven_day: { utilization: null, resets_at: null, source: 'unknown' },
    source: 'unknown',
    heat: { level: 'cool' },
    hard_limit_until: null,
    failed_over: false,
    failed_over_at: null,
    backup: null,
    allowance: { five_hour_tokens: null, seven_day_tokens: null },
  })
})

test('returns the figures from the headers', async () => {
  const host = await testHost({ models: scriptedModels() })
  const models = host.models as ReturnType<typeof scriptedModels>
  await configure(host, ['anthropic'])
  models.add([limits(0.75, host.clock.now() + hour), ...(text('hi') as [])])
  await ask(host, 'anthropic')

  expect(await usageOf(host, 'anthropic')).toMatchObject({
    configured: true,
    five_hour: { utilization: 0.75, resets_at: '2026-01-05T13:00:00.000Z', source: 'header' },
    source: 'header',
    heat: { level: 'near' },
  })
  await host.clock.advance(hour)
  expect(await usageOf(host, 'anthropic')).toMatchObject({
    five_hour: { utilization: 0, resets_at: null, source: 'header' },
    heat: { level: 'cool' },
  })
})

test('estimates from the ledger against an allowance if headers are missing', async () => {
  const host = await testHost({ models: scriptedModels(text('hi')) })
  await configure(host, ['anthropic'])
  const params = { id: 'anthropic' }
  await call(setAllowance, host, { params, body: { five_hour_tokens: 20 } })
  await ask(host, 'anthropic')

  expect(await usageOf(host, 'anthropic')).toMatchObject({
    five_hour: { utilization: 0.75, resets_at: '2026-01-05T17:00:00.000Z', source: 'estimated' },
    seven_day: { utilization: null, source: 'unknown' },
    source: 'estimated',
    allowance: { five_hour_tokens: 20, seven_day_tokens: null },
  })
  await host.clock.advance(5 * hour + 1)
  expect(await usageOf(host, 'anthropic')).toMatchObject({
    five_hour: { utilization: 0, source: 'estimated' },
  })
})

test('returns on request, but not while it is near its limit', async () => {
  const host = await testHost({ models: scriptedModels() })
  const models = host.models as ReturnType<typeof scriptedModels>
  await configure(host, ['anthropic', 'openai'])
  const rules = { anthropic: { provider: 'openai', model: 'm' } }
  await call(update, host, { body: { rules, auto_return: false } })
  models.add([limits(0.95, host.clock.now() + hour), ...(text('one') as [])], text('two'))
  await ask(host, 'anthropic')
  await ask(host, 'anthropic')
  const params = { id: 'anthropic' }

  expect(await usageOf(host, 'anthropic')).toMatchObject({
    failed_over: true,
    failed_over_at: '2026-01-05T12:00:00.000Z',
    heat: { level: 'out' },
    backup: { provider: 'openai', model: 'm' },
  })
  const early = await call(giveBack, host, { params })
  expect(early.status).toBe(409)
  expect(await early.json()).toMatchObject({ error: 'conflict', heat: { level: 'out' } })

  await host.clock.advance(hour)
  expect(await usageOf(host, 'anthropic')).toMatchObject({ failed_over: true, heat: { level: 'cool' } })
  const back = await call(giveBack, host, { params })
  expect(await back.json()).toMatchObject({ provider: 'anthropic', failed_over: false })
  expect(host.events.filter((type) => type.startsWith('provider.re'))).toEqual(['provider.returned'])
  expect((await call(giveBack, host, { params })).status).toBe(200)
  expect((await call(giveBack, host, { params: { id: 'acme' } })).status).toBe(404)
})

test('a custom price replaces the list price, and can be removed', async () => {
  const host = await testHost()
  const params = { id: 'openai' }
  const price = { input_usd_per_mtok: 7, output_usd_per_mtok: 8 }
  const priced = await (
    await call(setPrices, host, { params, body: { prices: { 'gpt-5': price, 'my/own': price } } })
  ).json()
  expect(priced.models[0]).toEqual({
    id: 'gpt-5',
    context_tokens: 400_000,
    cached_usd_per_mtok: null,
    ...price,
  })
  expect(priced.models.at(-1)).toEqual({
    id: 'my/own',
    context_tokens: null,
    cached_usd_per_mtok: null,
    ...price,
  })

  const back = await (
    await call(setPrices, host, { params, body: { prices: { 'gpt-5': null, 'my/own': null } } })
  ).json()
  expect(back.models[0]).toMatchObject({ id: 'gpt-5', input_usd_per_mtok: 1.25 })
  expect(back.models.map(({ id }: { id: string }) => id)).not.toContain('my/own')
  const wrong = await call(setPrices, host, {
    params,
    body: { prices: { 'gpt-5': { ...price, input_usd_per_mtok: -1 } } },
  })
  expect(wrong.status).toBe(422)
})
