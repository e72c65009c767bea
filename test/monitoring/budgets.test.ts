import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { send } from '../../handlers/chat/stream.ts'
import { create, list, remove, show, update } from '../../handlers/monitoring/budgets.ts'
import { create as createJob } from '../../handlers/scheduler/jobs.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { releaseReservations } from '../../runtime/ledger/ledger.ts'
import type { Budget } from '../../runtime/ledger/schema.ts'
import { callModel, estimateInput } from '../../runtime/providers/call.ts'
import { tick } from '../../runtime/tick.ts'
import { hour, minute, second } from '../../runtime/time.ts'
import { ask, configure, configureAgent, failing, ledger, request } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, parseEvents } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text } from '../support/models.ts'

const everything = { kind: 'global' }

async function bench(...script: Step[]) {
  const models = scriptedModels(...script)
  const host = await testHost({ models })
  await configure(host, ['openai'])
  return { host, models }
}

async function budget(host: MemoryHost, body: Record<string, unknown>): Promise<Budget> {
  const response = await call(create, host, { body: { scope: everything, window: 'day', ...body } })
  if (response.status !== 201) throw new Error(await response.text())
  return response.json()
}

const shown = async (host: MemoryHost, { id }: Budget): Promise<Budget> =>
  (await call(show, host, { params: { id } })).json()

/** Lets everything happen that does not wait for a gate or the clock. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1) await new Promise(setImmediate)
}

/** Lets everything else run until it is so. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

const told = (host: MemoryHost) => host.events.filter((type) => /^budget\.(warning|exceeded)/.test(type))

test('creates, returns, changes, lists and deletes a budget', async () => {
  const { host } = await bench()
  const made = await budget(host, { limit_usd: 5 })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^budget_/),
    scope: { kind: 'global', id: null },
    window: 'day',
    limit_usd: 5,
    limit_tokens: null,
    warn_pct: [80],
    action: 'block',
    paused: false,
    used: { usd: 0, tokens: 0 },
    used_pct: 0,
    resets_at: '2026-01-06T00:00:00.000Z',
  })
  const params = { id: made.id }
  const changed = await (await call(update, host, { params, body: { window: 'month', warn_pct: [50, 90] } })).json()
  expect(changed).toMatchObject({ limit_usd: 5, window: 'month', resets_at: '2026-02-01T00:00:00.000Z' })
  expect(await (await call(list, host)).json()).toEqual({
    budgets: [changed],
    total: 1,
    limit: 50,
    offset: 0,
  })
  expect(await (await call(remove, host, { params })).json()).toEqual({ deleted: true, id: made.id })
  for (const endpoint of [show, update, remove])
    expect((await call(endpoint, host, { params, body: endpoint === update ? {} : undefined })).status).toBe(404)
})

test.each([
  ['no limit', {}, 'limit_usd'],
  ['a scope without an id', { scope: { kind: 'agent' }, limit_usd: 1 }, 'scope.id'],
  ['a global scope with an id', { scope: { kind: 'global', id: 'x' }, limit_usd: 1 }, 'scope.id'],
  ['an agent that is not there', { scope: { kind: 'agent', id: 'agent_x' }, limit_usd: 1 }, 'scope.id'],
  ['a provider that is not there', { scope: { kind: 'provider', id: 'acme' }, limit_usd: 1 }, 'scope.id'],
  ['a window that is none', { window: 'year', limit_usd: 1 }, 'window'],
  ['a negative limit', { limit_usd: -1 }, 'limit_usd'],
  ['a part of a token', { limit_tokens: 1.5 }, 'limit_tokens'],
  ['a mark at the limit itself', { limit_usd: 1, warn_pct: [100] }, 'warn_pct.0'],
])('refuses %s', async (_, body, path) => {
  const { host } = await bench()
  const response = await call(create, host, { body: { scope: everything, window: 'day', ...body } })
  expect(response.status).toBe(422)
  expect((await response.json()).issues[0].path).toBe(path)
})

test('a change may not leave a budget without a limit', async () => {
  const { host } = await bench()
  const { id } = await budget(host, { limit_usd: 1 })
  expect((await call(update, host, { params: { id }, body: { limit_usd: null } })).status).toBe(422)
  expect((await call(update, host, { params: { id }, body: { limit_usd: null, limit_tokens: 9 } })).status).toBe(200)
})

test('a call that does not fit is not sent, with the reason', async () => {
  const { host, models } = await bench()
  await budget(host, { limit_usd: 0.001 })
  const events = await chat(host, { message: 'Hello' })
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'budget_exceeded' } })
  expect(events.at(-1)?.data.message).toMatch(/global per day.*\$0\.0000 of \$0\.0010/)
  expect(models.calls).toHaveLength(0)
  expect(await ledger(host)).toEqual([])
  expect(told(host)).toEqual(['budget.exceeded'])
})

test('a $0.01 budget under 50 concurrent turns is never exceeded, and refuses the rest', async () => {
  const gate = Promise.withResolvers<void>()
  const usage = { type: 'finish', reason: 'stop', input_tokens: 700, output_tokens: 900 } as const
  const { host, models } = await bench(
    ...Array.from({ length: 50 }, () => [gate.promise, { type: 'text' as const, text: 'hi' }, usage]),
  )
  await configure(host, ['openai'], { input: 0.1, output: 1 })
  const made = await budget(host, { limit_usd: 0.01 })
  const streams = await Promise.all(
    Array.from({ length: 50 }, (_, number) => call(send, host, { body: { message: `Hello ${number}` } })),
  )
  await tick(host)
  expect(host.process.running.count()).toBe(50)
  const failed = () => host.events.filter((type) => type === 'agent.run.failed').length
  await quiet()
  expect(failed()).toBe(0)

  const reserved = (await ledger(host)).map(({ reserved_usd }) => reserved_usd)
  const sum = reserved.reduce((total, one) => total + one, 0)
  expect(models.calls).toHaveLength(reserved.length)
  expect(reserved.length).toBeGreaterThan(3)
  expect(sum).toBeLessThanOrEqual(0.01)
  expect(sum + (reserved[0] ?? 0)).toBeGreaterThan(0.01)
  expect(await shown(host, made)).toMatchObject({ used: { usd: expect.closeTo(sum, 9) } })

  gate.resolve()
  await host.process.running.settled()
  const ends = await Promise.all(streams.map(async (stream) => parseEvents(await stream.text()).at(-1)))
  const refused = ends.filter((end) => end?.data.code === 'budget_exceeded')
  // Each call costs less than it reserved, so that more than the first ones fit.
  const done = ends.filter((end) => end?.event === 'done').length
  expect(done).toBeGreaterThanOrEqual(reserved.length)
  expect(refused).toHaveLength(50 - done)
  const { used } = await shown(host, made)
  expect(used.tokens).toBe(done * 1_600)
  expect(used.usd).toBeCloseTo(done * 970e-6, 9)
  expect(used.usd).toBeLessThanOrEqual(0.01)
  expect(told(host).filter((type) => type === 'budget.exceeded')).toHaveLength(1)
})

test('answers longer than expected exceed it by less than one reservation each', async () => {
  const gate = Promise.withResolvers<void>()
  const usage = { type: 'finish', reason: 'stop', input_tokens: 5, output_tokens: 1_500 } as const
  const { host } = await bench(...Array.from({ length: 20 }, () => [gate.promise, usage]))
  const made = await budget(host, { limit_usd: 0.05 })
  const calls = Promise.all(Array.from({ length: 20 }, () => ask(host, 'openai')))
  await quiet()
  gate.resolve()
  await calls
  const sent = await ledger(host)
  const { used } = await shown(host, made)
  expect(sent.length).toBeGreaterThan(1)
  expect(used.usd - 0.05).toBeLessThan(sent.reduce((total, { reserved_usd }) => total + reserved_usd, 0))
  expect(await ask(host, 'openai')).toEqual(['! budget_exceeded'])
})

test('50 concurrent long answers exceed a $0.01 budget by less than one reservation, and keep their text', async () => {
  const gate = Promise.withResolvers<void>()
  const words = Array.from({ length: 40 }, () => ({ type: 'text' as const, text: 'word '.repeat(200) }))
  const usage = { type: 'finish', reason: 'stop', input_tokens: 700, output_tokens: 10_000 } as const
  const { host, models } = await bench(...Array.from({ length: 50 }, () => [gate.promise, ...words, usage]))
  await configure(host, ['openai'], { input: 0.1, output: 1 })
  const made = await budget(host, { limit_usd: 0.01 })
  const streams = await Promise.all(
    Array.from({ length: 50 }, (_, number) => call(send, host, { body: { message: `Hello ${number}` } })),
  )
  await tick(host)
  await quiet()
  const [first] = await ledger(host)
  gate.resolve()
  await host.process.running.settled()
  const ends = await Promise.all(streams.map(async (stream) => parseEvents(await stream.text()).at(-1)))

  const { used } = await shown(host, made)
  expect(used.usd).toBeGreaterThan(0.008)
  expect(used.usd).toBeLessThanOrEqual(0.01 + (first?.reserved_usd ?? 0))
  expect(ends.filter((end) => end?.data.code !== 'budget_exceeded')).toEqual([])
  const cut = await host.sql.read<{ content: string }>(
    `SELECT content FROM messages WHERE role = 'assistant' AND status = 'interrupted'`,
  )
  expect(cut).toHaveLength(models.calls.length)
  for (const { content } of cut) expect(content).toContain('word word')
})

test('a long answer continues while its budget has room', async () => {
  const words = Array.from({ length: 40 }, () => ({ type: 'text' as const, text: 'word '.repeat(200) }))
  const usage = { type: 'finish', reason: 'stop', input_tokens: 10, output_tokens: 10_000 } as const
  const { host } = await bench([...words, usage])
  const made = await budget(host, { limit_tokens: 20_000 })
  expect((await ask(host, 'openai')).at(-1)).toBe('finish')
  expect((await shown(host, made)).used.tokens).toBe(10_010)
})

test("the reservation for an answer follows the agent's latest answers, up to its maximum length", async () => {
  const long = { type: 'finish', reason: 'stop', input_tokens: 10, output_tokens: 4_000 } as const
  const { host } = await bench([long], text('b'), text('c'), text('d'))
  await budget(host, { limit_tokens: 1_000_000 })
  const { content } = await request(host, 'openai')
  const speak = (agent_id: string, max_output_tokens?: number) =>
    ask(host, 'openai', {
      spender: { category: 'chat', agent_id },
      content: { ...content, max_output_tokens },
    })
  await speak('agent_a')
  await speak('agent_a')
  await speak('agent_b')
  await speak('agent_a', 300)
  const outputs = await host.sql.read<{ output: number }>(
    'SELECT reserved_tokens - ? AS output FROM model_calls ORDER BY id',
    [estimateInput(content)],
  )
  expect(outputs.map(({ output }) => output)).toEqual([1_000, 4_000, 1_000, 300])
})

test('unused reservations are released', async () => {
  const { host, models } = await bench(text('a'), text('b'), failing('overloaded'))
  const made = await budget(host, { limit_tokens: 1_100 })
  await ask(host, 'openai')
  await ask(host, 'openai')
  await ask(host, 'openai')
  expect(models.calls).toHaveLength(3)
  expect(await shown(host, made)).toMatchObject({ used: { tokens: 30 } })
})

test('warns once at each threshold, and once when it is used up', async () => {
  const finish = (output_tokens: number) => [
    { type: 'finish' as const, reason: 'stop' as const, input_tokens: 0, output_tokens },
  ]
  const { host } = await bench(finish(500), finish(100), finish(250), finish(200), finish(10))
  await budget(host, { limit_tokens: 1_000, warn_pct: [50, 80], action: 'warn' })
  const seen: string[][] = []
  for (let step = 0; step < 5; step += 1) {
    await ask(host, 'openai')
    seen.push([...told(host)])
  }
  expect(seen.map((types) => types.length)).toEqual([1, 1, 2, 3, 3])
  expect(seen.at(-1)).toEqual(['budget.warning', 'budget.warning', 'budget.exceeded'])
  await host.clock.advance(24 * hour)
  await ask(host, 'openai')
  expect(told(host)).toHaveLength(3)
})

test("a new window has room again, by the days of the profile's zone", async () => {
  const { host } = await bench(text('a'), text('b'))
  await host.sql.write([{ sql: `INSERT INTO user_settings VALUES ('profile', '', '{"timezone":"Asia/Tokyo"}', '')` }])
  const made = await budget(host, { limit_tokens: 1_020 })
  await ask(host, 'openai')
  expect((await shown(host, made)).resets_at).toBe('2026-01-05T15:00:00.000Z')
  expect(await ask(host, 'openai')).toEqual(['! budget_exceeded'])
  await host.clock.advance(3 * hour)
  expect(await ask(host, 'openai')).toEqual(['b', 'finish'])
})

test('stored sums stay included: a limit is exact to the token however old its first calls are', async () => {
  const { host } = await bench()
  const made = await budget(host, { window: 'month', limit_tokens: 1_012 + 6 * 15 })
  for (let calls = 0; calls < 6; calls += 1) {
    expect(await ask(host, 'openai')).toEqual(['(the script is over)', 'finish'])
    await host.clock.advance(5 * hour)
  }
  const [{ base_tokens } = { base_tokens: 0 }] = await host.sql.read<{ base_tokens: number }>(
    'SELECT base_tokens FROM budgets',
  )
  expect(base_tokens).toBe(5 * 15)
  expect(await shown(host, made)).toMatchObject({ used: { tokens: 90 } })
  expect(await ask(host, 'openai')).toEqual(['(the script is over)', 'finish'])
  expect(await ask(host, 'openai')).toEqual(['! budget_exceeded'])
})

test('a reservation outlives its time while the call still runs', async () => {
  const gate = Promise.withResolvers<void>()
  const late = { type: 'finish', reason: 'stop', input_tokens: 400, output_tokens: 600 } as const
  const { host, models } = await bench([gate.promise, late])
  const made = await budget(host, { window: 'month', limit_tokens: 3_000 })
  const long = ask(host, 'openai')
  await until(() => models.calls.length === 1)
  for (let calls = 0; calls < 3; calls += 1) {
    await host.clock.advance(5 * hour)
    await ask(host, 'openai')
  }
  gate.resolve()
  await long
  expect(await shown(host, made)).toMatchObject({ used: { tokens: 1_045 } })
  expect(await ask(host, 'openai')).toEqual(['(the script is over)', 'finish'])
  const content = { ...(await request(host, 'openai')).content, system: 'x'.repeat(4 * 950) }
  expect(await ask(host, 'openai', { content })).toEqual(['! budget_exceeded'])
})

test('a paused budget waits for a person, even in a new window', async () => {
  const { host } = await bench(text('a'))
  const made = await budget(host, { limit_tokens: 10, action: 'pause' })
  expect(await ask(host, 'openai')).toEqual(['! budget_exceeded'])
  expect(await shown(host, made)).toMatchObject({ paused: true })
  await host.clock.advance(24 * hour)
  const params = { id: made.id }
  await call(update, host, { params, body: { limit_tokens: 5_000 } })
  expect(await ask(host, 'openai')).toEqual(['! budget_exceeded'])
  await call(update, host, { params, body: { paused: false } })
  expect(await ask(host, 'openai')).toEqual(['a', 'finish'])
})

const scopes: [string, Record<string, string>, Record<string, string>][] = [
  ['job', { kind: 'job', id: 'job_1' }, { job_id: 'job_1' }],
  ['provider', { kind: 'provider', id: 'openai' }, {}],
]

test.each(scopes)('a budget of a %s counts only its own calls', async (kind, scope, ids) => {
  const { host } = await bench(text('a'), text('b'), text('c'))
  await configure(host, ['openai', 'google'])
  if (kind === 'job') {
    const schedule = { type: 'every', interval: 3600 }
    const job = await call(createJob, host, { body: { name: 'x', goal: 'x', schedule } })
    const { id } = await job.json()
    ids = { job_id: id }
    scope = { kind, id }
  }
  const made = await budget(host, { scope, limit_tokens: 1_020 })
  const other = kind === 'provider' ? 'google' : 'openai'
  await ask(host, other)
  expect(await shown(host, made)).toMatchObject({ used: { tokens: 0 } })
  const spender = { category: 'chat' as const, ...ids }
  await ask(host, 'openai', { spender })
  expect(await ask(host, 'openai', { spender })).toEqual(['! budget_exceeded'])
  expect(await ask(host, other)).toEqual(['c', 'finish'])
  expect(await shown(host, made)).toMatchObject({ used: { tokens: 15 } })
})

test('a budget per run starts over with each run', async () => {
  const { host } = await bench(text('a'), text('b'), text('c'))
  const made = await budget(host, { window: 'run', limit_tokens: 1_020 })
  const run = (run_ref: string) => ask(host, 'openai', { spender: { category: 'scheduled', run_ref } })
  expect(await run('run_1')).toEqual(['a', 'finish'])
  expect(await run('run_1')).toEqual(['! budget_exceeded'])
  await host.clock.advance(1)
  expect(await run('run_2')).toEqual(['b', 'finish'])
  expect(await shown(host, made)).toMatchObject({ used: { tokens: 15 }, resets_at: null })
})

test("an agent's own limits per run and day are enforced too", async () => {
  const { host } = await bench(text('a'), text('b'))
  const agent = await configureAgent(host, { budget: { run_usd: null, daily_usd: 0.0105 } })
  const mine = { agent, spender: { category: 'chat' as const, agent_id: agent.id } }
  expect(await ask(host, 'openai', mine)).toEqual(['a', 'finish'])
  await ask(host, 'openai', { agent, spender: { category: 'chat' } })
  const wanted = await request(host, 'openai', mine)
  wanted.content.max_output_tokens = 1_000
  expect(await ask(host, 'openai', { ...mine, content: { ...wanted.content, system: 'x'.repeat(4_000) } })).toEqual([
    '! budget_exceeded',
  ])
})

test('the reservation of a crashed process is released by the next start, or by time', async () => {
  const never = new Promise<never>(() => undefined)
  const { host, models } = await bench([never], [never])
  const made = await budget(host, { limit_tokens: 1_100 })
  void ask(host, 'openai')
  await until(() => models.calls.length === 1)
  const held = (await shown(host, made)).used.tokens
  expect(held).toBeGreaterThan(1_000)
  const waiting = ask(host, 'openai')
  let isAnswered = false
  void waiting.finally(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    await quiet()
    await host.clock.advance(5 * second)
  }
  expect(await waiting).toEqual(['! budget_exceeded'])

  const next = { ...host, process: { ...host.process, owner: 'the next process' } }
  await releaseReservations(next, false)
  expect((await shown(host, made)).used.tokens).toBe(held)
  await releaseReservations(next, true)
  expect((await shown(host, made)).used.tokens).toBe(0)
  expect(await ledger(host)).toMatchObject([{ status: 'released' }])

  void ask(host, 'openai')
  await until(() => models.calls.length === 2)
  await host.clock.advance(hour + 1)
  await releaseReservations(next, false)
  expect((await ledger(host)).map(({ status }) => status)).toEqual(['released', 'released'])
})

test('nothing is written while no calls are made', async () => {
  const { host } = await bench()
  await budget(host, { limit_usd: 1 })
  const writes: unknown[] = []
  const sql = {
    ...host.sql,
    write: async (...args: Parameters<typeof host.sql.write>) => void writes.push(args),
  }
  const idle = { ...host, sql: sql as unknown as typeof host.sql }
  for (let minutes = 0; minutes < 24 * 60; minutes += 1) {
    await host.clock.advance(minute)
    await tick(idle)
  }
  await releaseReservations(idle, true)
  expect(writes).toEqual([])
})

test('a budget in USD refuses a model of unknown price, with the reason', async () => {
  const { host, models } = await bench(text('hello'), text('hello'))
  const { access } = await request(host, 'openai')
  const unpriced = { access: { ...access, model: 'new', priced: false } }
  expect(await ask(host, 'openai', unpriced)).toEqual(['hello', 'finish'])

  await budget(host, { limit_tokens: 100_000 })
  expect(await ask(host, 'openai', unpriced)).toEqual(['hello', 'finish'])

  await budget(host, { limit_usd: 100 })
  const called = callModel(localContext(host), await request(host, 'openai', unpriced))
  await expect(called.next()).rejects.toThrow('The price of openai/new is unknown')
  expect(models.calls).toHaveLength(2)
  models.add(text('hello'))
  expect(await ask(host, 'openai')).toEqual(['hello', 'finish'])
})
