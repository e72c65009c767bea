import { expect, test } from 'vitest'
import { update as changeBackup } from '../../handlers/providers/backup.ts'
import { localContext } from '../../runtime/auth/local.ts'
import type { ModelEvent } from '../../runtime/ports/models.ts'
import { chooseModel } from '../../runtime/providers/access.ts'
import { callModel } from '../../runtime/providers/call.ts'
import { changePrices } from '../../runtime/providers/providers.ts'
import { hour, minute, second } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { ask, collect, configure, configureAgent, failing, ledger, request } from './kit.ts'

async function bench(providers: Parameters<typeof configure>[1], ...script: Step[]) {
  const models = scriptedModels(...script)
  const host = await testHost({ models })
  await configure(host, providers)
  const asked = () => models.calls.map(({ provider }) => provider)
  return { host, models, asked }
}

const backup = (host: Parameters<typeof call>[1], body: Record<string, unknown>) => call(changeBackup, host, { body })
const toOpenai = { rules: { anthropic: { provider: 'openai', model: 'm' } } }

test('a successful call is one call and one row', async () => {
  const { host, asked } = await bench(['anthropic'], text('Good ', 'morning'))
  expect(await ask(host, 'anthropic')).toEqual(['Good ', 'morning', 'finish'])
  expect(asked()).toEqual(['anthropic'])
  expect(await ledger(host)).toMatchObject([
    {
      status: 'succeeded',
      provider: 'anthropic',
      model: 'm',
      input_tokens: 10,
      output_tokens: 5,
      error: null,
    },
  ])
  expect((await ledger(host))[0]?.cost_usd).toBeCloseTo(60e-6, 9)
})

test.each([
  'rate_limit',
  'overloaded',
  'timeout',
  'provider_unavailable',
  'billing',
  'auth',
  'model_not_found',
  'interrupted',
] as const)('%s before the first word goes to the backup, and is told', async (code) => {
  const { host, asked } = await bench(['anthropic', 'openai'], failing(code), text('hi'))
  await backup(host, toOpenai)
  expect(await ask(host, 'anthropic')).toEqual([`anthropic/m → openai/m: ${code}`, 'hi', 'finish'])
  expect(asked()).toEqual(['anthropic', 'openai'])
  expect(await ledger(host)).toMatchObject([
    { provider: 'anthropic', status: 'failed', error: code, input_tokens: 0, cost_usd: 0 },
    { provider: 'openai', status: 'succeeded' },
  ])
})

test.each(['context_overflow', 'content_filter', 'internal_error'] as const)(
  "%s is not the vendor's fault: no other is called",
  async (code) => {
    const { host, asked } = await bench(['anthropic', 'openai'], failing(code))
    await backup(host, toOpenai)
    expect(await ask(host, 'anthropic')).toEqual([`! ${code}`])
    expect(asked()).toEqual(['anthropic'])
  },
)

const begun: [string, ModelEvent][] = [
  ['a word', { type: 'text', text: 'Well' }],
  ['a thought', { type: 'reasoning', text: 'Hm' }],
  ['a tool call', { type: 'tool_call', id: 'a', name: 'time', input: {} }],
]

test.each(begun)('after %s no other model takes over, and the text so far is paid for', async (_, event) => {
  const { host, asked } = await bench(['anthropic', 'openai'], [event, ...failing('overloaded')])
  await backup(host, toOpenai)
  expect((await ask(host, 'anthropic')).at(-1)).toBe('! overloaded')
  expect(asked()).toEqual(['anthropic'])
  const [row] = await ledger(host)
  expect(row).toMatchObject({ status: 'failed', error: 'overloaded', estimated: 1 })
  expect(row?.input_tokens).toBeGreaterThan(0)
  expect(row?.output_tokens).toBeGreaterThan(0)
})

test('an answer without a finish is interrupted', async () => {
  const { host } = await bench(['anthropic'], [{ type: 'text', text: 'Half' }])
  expect(await ask(host, 'anthropic')).toEqual(['Half', '! interrupted'])
})

test("the agent's fallbacks come before the backup, each is called once, and the last error is reported", async () => {
  const { host, asked } = await bench(
    ['anthropic', 'openai', 'google', 'mistral'],
    ...['overloaded', 'timeout', 'rate_limit', 'overloaded'].map((code) => failing(code as 'timeout')),
  )
  await backup(host, { rules: { ...toOpenai.rules, openai: { provider: 'google', model: 'm' } } })
  const fallbacks = [{ provider: 'mistral', model: 'm' }]
  const agent = await configureAgent(host, { model: { provider: null, model: null, fallbacks } })
  expect(await ask(host, 'anthropic', { agent })).toEqual([
    'anthropic/m → mistral/m: overloaded',
    'mistral/m → openai/m: timeout',
    'openai/m → google/m: rate_limit',
    '! overloaded',
  ])
  expect(asked()).toEqual(['anthropic', 'mistral', 'openai', 'google'])
})

test('a refused key rules out the other models of its provider', async () => {
  const { host, asked } = await bench(['anthropic', 'openai'], failing('auth'), text('hi'))
  const fallbacks = [
    { provider: 'anthropic', model: 'other' },
    { provider: 'groq', model: 'without a key' },
    { provider: 'openai', model: 'm' },
  ]
  const agent = await configureAgent(host, { model: { provider: null, model: null, fallbacks } })
  await ask(host, 'anthropic', { agent })
  expect(asked()).toEqual(['anthropic', 'openai'])
})

test('a model in a cooldown is not called while there is another', async () => {
  const { host, asked } = await bench(['anthropic', 'openai'], failing('overloaded'), text('a'), text('b'), text('c'))
  await backup(host, toOpenai)
  await ask(host, 'anthropic')
  expect(await ask(host, 'anthropic')).toEqual(['anthropic/m → openai/m: cooldown', 'b', 'finish'])
  await host.clock.advance(10 * second)
  expect(await ask(host, 'anthropic')).toEqual(['c', 'finish'])
  expect(asked()).toEqual(['anthropic', 'openai', 'openai', 'anthropic'])
})

test('without another it is still called, once', async () => {
  const { host, asked } = await bench(['anthropic'], failing('overloaded'), text('b'))
  expect(await ask(host, 'anthropic')).toEqual(['! overloaded'])
  expect(await ask(host, 'anthropic')).toEqual(['b', 'finish'])
  expect(asked()).toHaveLength(2)
})

test('a short delay that the vendor requested is waited for, also by the next call', async () => {
  const { host, asked } = await bench(['anthropic'], failing('rate_limit', 30), text('b'), text('c'))
  const first = ask(host, 'anthropic')
  // The clock may advance only once the call waits.
  await expect.poll(() => host.sql.read('SELECT until FROM model_cooldowns')).toHaveLength(1)
  await host.clock.advance(0)
  await host.clock.advance(29 * second)
  const next = ask(host, 'anthropic')
  await host.clock.advance(0)
  expect(asked()).toHaveLength(1)
  await host.clock.advance(2 * second)
  expect([await first, await next].map((seen) => seen.at(-1))).toEqual(['finish', 'finish'])
  expect(asked()).toHaveLength(3)
})

test('a longer delay that the vendor requested is respected: nothing is called', async () => {
  const { host, asked } = await bench(['anthropic'], failing('rate_limit', 90), text('b'))
  expect(await ask(host, 'anthropic')).toEqual(['! rate_limit'])
  await host.clock.advance(29 * second)
  expect(await ask(host, 'anthropic')).toEqual(['! rate_limit'])
  expect(asked()).toHaveLength(1)
  await host.clock.advance(61 * second)
  expect(await ask(host, 'anthropic')).toEqual(['b', 'finish'])
})

test('consecutive failures lengthen the cooldown, and a successful answer ends it', async () => {
  const { host, models } = await bench(['anthropic'], failing('overloaded'), failing('overloaded'))
  const until = async () => (await host.sql.read<{ until: string }>('SELECT until FROM model_cooldowns'))[0]?.until
  await ask(host, 'anthropic')
  expect(await until()).toBe('2026-01-05T12:00:10.000Z')
  await ask(host, 'anthropic')
  expect(await until()).toBe('2026-01-05T12:00:20.000Z')
  models.add(text('well again'))
  await ask(host, 'anthropic')
  expect(await until()).toBeUndefined()
})

const near = (utilization: number, resets: number): ModelEvent => ({
  type: 'limits',
  headers: {
    'anthropic-ratelimit-unified-5h-utilization': String(utilization),
    'anthropic-ratelimit-unified-5h-reset': String(resets / second),
  },
})

test('fails over at the threshold and returns when the window resets', async () => {
  const { host, models, asked } = await bench(['anthropic', 'openai'])
  await backup(host, toOpenai)
  models.add([near(0.91, host.clock.now() + 2 * hour), ...(text('a') as [])], text('b'), text('c'), text('d'))
  expect(await ask(host, 'anthropic')).toEqual(['a', 'finish'])
  expect(await ask(host, 'anthropic')).toEqual(['anthropic/m → openai/m: near_limit', 'b', 'finish'])
  expect(await ask(host, 'anthropic')).toEqual(['anthropic/m → openai/m: near_limit', 'c', 'finish'])
  await host.clock.advance(2 * hour)
  expect(await ask(host, 'anthropic')).toEqual(['d', 'finish'])
  expect(asked()).toEqual(['anthropic', 'openai', 'openai', 'anthropic'])
  expect(host.events.filter((type) => /^provider\.(failover|returned)/.test(type))).toEqual([
    'provider.failover',
    'provider.returned',
  ])
})

test('many concurrent calls report one failover', async () => {
  const { host, models } = await bench(['anthropic', 'openai'])
  await backup(host, toOpenai)
  models.add([near(1, host.clock.now() + 2 * hour), ...(text('a') as [])])
  await ask(host, 'anthropic')
  await Promise.all(Array.from({ length: 20 }, () => ask(host, 'anthropic')))
  expect(host.events.filter((type) => type === 'provider.failover')).toHaveLength(1)
})

test('when both are over their limits it pauses or keeps going, as the rules say', async () => {
  const { host, models, asked } = await bench(['anthropic', 'openai'])
  await backup(host, toOpenai)
  const resets = host.clock.now() + 2 * hour
  models.add([near(1, resets), ...(text('a') as [])], [near(1, resets), ...(text('b') as [])])
  await ask(host, 'anthropic')
  await ask(host, 'openai')
  expect(await ask(host, 'anthropic')).toEqual(['! rate_limit'])
  expect(asked()).toHaveLength(2)
  await backup(host, { both_out: 'keep_going' })
  models.add(text('c'))
  expect(await ask(host, 'anthropic')).toEqual(['c', 'finish'])
  expect(asked().at(-1)).toBe('anthropic')
})

test('a connection test calls only its model, cooldown or not', async () => {
  const { host, asked } = await bench(['anthropic', 'openai'], failing('auth'), failing('auth'), text('hi'))
  await backup(host, toOpenai)
  expect(await ask(host, 'anthropic', { alone: true })).toEqual(['! auth'])
  expect(await ask(host, 'anthropic', { alone: true })).toEqual(['! auth'])
  expect(await ask(host, 'anthropic', { alone: true })).toEqual(['hi', 'finish'])
  expect(asked()).toEqual(['anthropic', 'anthropic', 'anthropic'])
})

test('a caller that leaves pays for what it received', async () => {
  const { host } = await bench(['anthropic'], text('one', 'two', 'three'))
  const wanted = await request(host, 'anthropic')
  for await (const _ of callModel(localContext(host), wanted)) break
  expect(await ledger(host)).toMatchObject([{ status: 'cancelled', estimated: 1, output_tokens: 1 }])
})

test("the cost of a call is stored with the caller's statements before its end is reported", async () => {
  const { host } = await bench(['anthropic'], toolCall('time', {}))
  const wanted = await request(host, 'anthropic', {
    spent: ({ input_tokens, output_tokens }) => [
      { sql: `INSERT INTO settings VALUES ('note', ?, '')`, args: [`${input_tokens}+${output_tokens}`] },
    ],
  })
  const notes: unknown[] = []
  for await (const event of callModel(localContext(host), wanted))
    if (event.type === 'finish') notes.push(...(await host.sql.read(`SELECT value FROM settings`)))
  expect(notes).toEqual([{ value: '10+5' }])
})

test('a changed price applies from the next call on', async () => {
  const { host } = await bench(['anthropic'], text('a'), text('b'))
  await ask(host, 'anthropic')
  const prices = { m: { input_usd_per_mtok: 100, output_usd_per_mtok: 0 } }
  await changePrices(localContext(host), 'anthropic', { prices })
  await ask(host, 'anthropic')
  const costs = (await ledger(host)).map(({ cost_usd }) => cost_usd)
  expect(costs[0]).toBeCloseTo(60e-6, 9)
  expect(costs[1]).toBeCloseTo(1_000e-6, 9)
})

test('an aborted caller ends the call, which says nothing about the vendor', async () => {
  const stop = new AbortController()
  const hanging = async function* ({ signal }: { signal: AbortSignal }): AsyncIterable<ModelEvent> {
    yield { type: 'text', text: 'begun' }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const { host, asked } = await bench(['anthropic', 'openai'], hanging)
  await backup(host, toOpenai)
  const context = { ...localContext(host), signal: stop.signal }
  const going = collect(callModel(context, await request(host, 'anthropic')))
  await host.clock.advance(minute)
  stop.abort(new Error('enough'))
  await expect(going).rejects.toThrow('enough')
  expect(asked()).toEqual(['anthropic'])
  expect(await ledger(host)).toMatchObject([{ status: 'cancelled', error: null }])
  expect(await host.sql.read('SELECT * FROM model_cooldowns')).toEqual([])
})

test.each<[string, { wanted: string; fallbacks?: string[]; rules?: Partial<Record<string, string>> }, string[]]>([
  ['nobody else', { wanted: 'google' }, ['! auth']],
  ['a fallback', { wanted: 'google', fallbacks: ['openai'] }, ['google/m → openai/m: unconfigured', 'hi', 'finish']],
  [
    'a backup',
    { wanted: 'google', rules: { google: 'openai' } },
    ['google/m → openai/m: unconfigured', 'hi', 'finish'],
  ],
  [
    'a fallback that is not set up either',
    { wanted: 'google', fallbacks: ['groq', 'openai'] },
    ['google/m → openai/m: unconfigured', 'hi', 'finish'],
  ],
  ['only others that are not', { wanted: 'google', fallbacks: ['groq'] }, ['! auth']],
  ['one that is', { wanted: 'anthropic', fallbacks: ['openai'] }, ['hi', 'finish']],
])('a model whose provider nobody has set up is passed over: %s', async (_, given, expected) => {
  const { host } = await bench(['anthropic', 'openai'], text('hi'))
  const named = (provider: string) => ({ provider, model: 'm' })
  const rules = Object.entries(given.rules ?? {}).map(([from, to = '']) => [from, named(to)])
  await backup(host, { rules: Object.fromEntries(rules) })
  const model = { provider: given.wanted, model: 'm', fallbacks: (given.fallbacks ?? []).map(named) }
  const agent = await configureAgent(host, { model })
  const access = await chooseModel(host, null, agent.model)
  expect(await collect(callModel(localContext(host), { ...(await request(host, 'openai')), access, agent }))).toEqual(
    expected,
  )
  const pinned = await chooseModel(host, `${given.wanted}/m`, agent.model)
  expect(pinned.missing?.code).toBe(access.missing?.code)
})
