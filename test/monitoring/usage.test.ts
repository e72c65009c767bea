import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { create as createBudget } from '../../handlers/monitoring/budgets.ts'
import { prometheus } from '../../handlers/monitoring/health.ts'
import { history, tokens, usage } from '../../handlers/monitoring/usage.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { type HistoryItem, type TokenUsage, type Usage, Usage as UsageShape } from '../../runtime/monitoring/usage.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { changePrices, configureProvider } from '../../runtime/providers/providers.ts'
import { day, hour, minute } from '../../runtime/time.ts'
import { ask, configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text, toolCall } from '../support/models.ts'

async function bench(...script: Step[]) {
  const models = scriptedModels(...script)
  const host = await testHost({ models })
  await configure(host, ['openai', 'google'])
  return { host, models }
}

const readUsage = async (host: MemoryHost, query: Record<string, string> = {}): Promise<Usage> =>
  UsageShape.parse(await (await call(usage, host, { query })).json())
const readTokens = async (host: MemoryHost): Promise<TokenUsage> => (await call(tokens, host)).json()
const readHistory = async (host: MemoryHost, query: Record<string, string>): Promise<HistoryItem[]> =>
  (await call(history, host, { query })).json()

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)

test('messages, conversations, usage, tokens, history and metrics agree to the token', async () => {
  const said = { type: 'text' as const, text: 'a' }
  const used = (input_tokens: number, output_tokens: number) =>
    ({ type: 'finish', reason: 'stop', input_tokens, output_tokens }) as const
  const { host } = await bench(
    [said, used(101, 7)],
    toolCall('time', {}),
    [said, used(211, 13)],
    [said, new ModelError('interrupted', 'cut')],
    [new ModelError('overloaded', 'busy')],
    [said, used(17, 19)],
  )
  const ids = new Set<string>()
  for (const body of [{}, {}, {}, {}, { model: 'google/m' }]) {
    const events = await chat(host, { message: 'Hello', ...body })
    ids.add(String(events[0]?.data.conversation_id))
    await host.clock.advance(minute)
  }

  const messages = await host.sql.read<{ tokens: number; cost: number }>(
    'SELECT input_tokens + output_tokens AS tokens, cost_usd AS cost FROM messages',
  )
  const total = sum(messages.map((message) => message.tokens))
  const cost = sum(messages.map((message) => message.cost))
  expect(total).toBeGreaterThan(101 + 7 + 15 + 211 + 13 + 17 + 19)

  const seen = await readUsage(host)
  const all = await readTokens(host)
  expect(seen.totals).toMatchObject({ tokens: total, conversations: 5, messages: 10 })
  expect(seen.totals.input_tokens + seen.totals.output_tokens).toBe(total)
  expect(seen.totals.cost_usd).toBeCloseTo(cost, 9)
  expect(sum(seen.series.map((bucket) => bucket.tokens))).toBe(total)
  expect(sum(Object.values(seen.breakdown))).toBe(total)
  expect(sum(Object.values(seen.by_model).map((model) => model.total_tokens))).toBe(total)
  expect(sum(seen.by_agent.map((agent) => agent.tokens_used))).toBe(total)
  expect(all).toMatchObject({ total_used: total, used_today: total })
  expect(sum(Object.values(all.by_model).map((model) => model.total_tokens))).toBe(total)
  for (const period of ['day', 'week', 'month'])
    expect(sum((await readHistory(host, { period })).map((item) => item.total_tokens))).toBe(total)

  const text = await (await call(prometheus, host)).text()
  const counted = [...text.matchAll(/^service_token_usage_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count))
  expect(sum(counted)).toBe(total)
  const conversations = await Promise.all([...ids].map((id) => conversationOf(host, id)))
  expect(sum(conversations.map((one) => one.input_tokens + one.output_tokens))).toBe(total)
  expect(sum(conversations.map((one) => one.cost_usd))).toBeCloseTo(cost, 9)
})

test('reports what tokens are spent on', async () => {
  const { host } = await bench()
  for (const category of ['scheduled', 'internal', 'project_developer', 'loops', 'projects', 'projects'] as const)
    await ask(host, 'openai', {
      spender: { category, project_id: category === 'projects' ? 'proj_1' : null },
    })
  const { breakdown, chat_review, task_success, totals } = await readUsage(host)
  expect(breakdown).toEqual({
    chat: 0,
    scheduled: 15,
    internal: 15,
    project_developer: 15,
    loops: 15,
    projects: 30,
  })
  expect({ chat_review, task_success }).toEqual({
    chat_review: null,
    task_success: { completed: 0, failed: 0, rate: null },
  })
  expect(totals).toMatchObject({ tokens: 90, conversations: 0, messages: 0 })
  expect((await readTokens(host)).by_project).toEqual([
    { project_id: 'proj_1', project_name: 'proj_1', tokens_used: 30, percentage: 33.3 },
  ])
})

test("counts the user's own chats with a message in the window", async () => {
  const { host } = await bench(text('a'), text('b'), text('c'), text('d'))
  await chat(host, { message: 'long ago' })
  await host.clock.advance(8 * day)
  const recent = await chat(host, { message: 'now' })
  await chat(host, { message: 'again', conversation_id: recent[0]?.data.conversation_id })
  const other = await chat(host, { message: 'by the scheduler' })
  await host.sql.write([
    {
      sql: `UPDATE conversations SET kind = 'scheduled' WHERE id = ?`,
      args: [String(other[0]?.data.conversation_id)],
    },
  ])
  expect((await readUsage(host)).totals).toMatchObject({ conversations: 1, messages: 4, tokens: 45 })
  expect((await readUsage(host, { period: '30d' })).totals).toMatchObject({
    conversations: 2,
    messages: 6,
    tokens: 60,
  })
})

test('tokens of folded or deleted messages still count as spent', async () => {
  const { host } = await bench(text('a'), text('b'))
  await chat(host, { message: 'one' })
  await chat(host, { message: 'two' })
  await host.sql.write([
    { sql: 'UPDATE messages SET compacted = 1' },
    { sql: 'DELETE FROM messages WHERE id IN (SELECT max(id) FROM messages)' },
  ])
  expect((await readUsage(host)).totals.tokens).toBe(30)
})

test.each([
  [{ period: '1h' }, 'period'],
  [{ period: '' }, 'period'],
  [{ period: 'week' }, 'period'],
  [{ tz: 'Mars/Olympus' }, 'tz'],
  [{ tz: '+01:00' }, 'tz'],
  [{ tz: '' }, 'tz'],
])('refuses %j', async (query, name) => {
  const host = await testHost()
  const response = await call(usage, host, { query })
  expect(response.status).toBe(400)
  const { error, message } = await response.json()
  expect(error).toBe('bad_request')
  expect(message).toContain(name)
})

test.each([[{ period: '7d' }], [{ period: 'year' }], [{ tz: 'Nowhere' }]])('the history refuses %j', async (query) => {
  const host = await testHost()
  expect((await call(history, host, { query })).status).toBe(400)
})

test('a period is the last 24 hours, 7 or 30 days of the zone, with the current one', async () => {
  const { host } = await bench(...Array.from({ length: 4 }, () => text('a')))
  await ask(host, 'openai')
  await host.clock.advance(23 * day)
  await ask(host, 'openai')
  await host.clock.advance(6 * day)
  await ask(host, 'openai')
  const seen = async (period: string) => (await readUsage(host, { period })).totals.tokens
  await host.clock.advance(day - 1)
  expect([await seen('24h'), await seen('7d'), await seen('30d')]).toEqual([15, 15, 30])
  await host.clock.advance(1)
  await ask(host, 'openai')
  expect([await seen('24h'), await seen('7d'), await seen('30d')]).toEqual([15, 30, 45])
  const { from, to, period, tz, series } = await readUsage(host)
  expect({ period, tz }).toEqual({ period: '7d', tz: 'UTC' })
  expect([from, to]).toEqual(['2026-01-29T00:00:00.000Z', '2026-02-04T12:00:00.000Z'])
  expect(series).toHaveLength(7)
})

test('a repeated hour in autumn is two buckets with their offsets', async () => {
  const { host } = await bench(text('a'), text('b'), text('c'))
  host.clock.jump(Date.parse('2026-10-25T00:30:00Z') - host.clock.now())
  await ask(host, 'openai')
  await host.clock.advance(hour)
  await ask(host, 'openai')
  await ask(host, 'openai')
  const { series } = await readUsage(host, { period: '24h', tz: 'Europe/Berlin' })
  expect(series.slice(-2)).toMatchObject([
    { label: '2026-10-25T02:00+02:00', bucket: '2026-10-25T00:00:00.000Z', tokens: 15 },
    { label: '2026-10-25T02:00+01:00', bucket: '2026-10-25T01:00:00.000Z', tokens: 30 },
  ])
  const items = await readHistory(host, { period: 'day', tz: 'Europe/Berlin' })
  expect(items.slice(-2)).toEqual([
    { date: '2026-10-25T02:00+02:00', input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    { date: '2026-10-25T02:00+01:00', input_tokens: 20, output_tokens: 10, total_tokens: 30 },
  ])
})

test('days are those of the zone', async () => {
  const { host } = await bench(text('a'))
  host.clock.jump(Date.parse('2026-01-05T20:00:00Z') - host.clock.now())
  await ask(host, 'openai')
  const last = async (tz: string) =>
    (await readUsage(host, { tz })).series.findLast((bucket) => bucket.tokens > 0)?.label
  expect([await last('UTC'), await last('Asia/Tokyo')]).toEqual(['2026-01-05', '2026-01-06'])
})

test('the history has an entry for every day, including empty ones', async () => {
  const host = await testHost()
  const dates = async (period: string) => (await readHistory(host, { period })).map((item) => item.date)
  expect(await dates('week')).toEqual(
    [30, 31].map((date) => `2025-12-${date}`).concat([1, 2, 3, 4, 5].map((date) => `2026-01-0${date}`)),
  )
  expect(await dates('month')).toHaveLength(30)
  expect(await dates('day')).toHaveLength(24)
})

test("shows the limits of the global token budgets, and today in the profile's zone", async () => {
  const { host } = await bench(text('a'), text('b'))
  await host.sql.write([{ sql: `INSERT INTO user_settings VALUES ('profile', '', '{"timezone":"Asia/Tokyo"}', '')` }])
  const budget = (body: object) =>
    call(createBudget, host, { body: { scope: { kind: 'global' }, limit_tokens: 9_000, ...body } })
  expect(await readTokens(host)).toMatchObject({ total_limit: 0, limit_today: 0, trend: 'stable' })
  await budget({ window: 'day' })
  await budget({ window: 'day', limit_tokens: 5_000 })
  await budget({ window: 'total', limit_tokens: 90_000 })
  await budget({ window: 'day', scope: { kind: 'provider', id: 'openai' }, limit_tokens: 2_000 })
  await ask(host, 'openai')
  await host.clock.advance(4 * hour)
  await ask(host, 'openai')
  expect(await readTokens(host)).toMatchObject({
    total_used: 30,
    total_limit: 90_000,
    used_today: 15,
    limit_today: 5_000,
    trend: 'up',
  })
  await host.clock.advance(8 * day)
  expect(await readTokens(host)).toMatchObject({ total_used: 30, used_today: 0, trend: 'down' })
})

test('tokens of models without a price are listed until a price is set, even a price of zero', async () => {
  const host = await testHost({ models: scriptedModels(text('a'), text('b')) })
  const context = localContext(host)
  await configureProvider(context, {
    provider: 'openai',
    api_key: 'sk-test-long-enough',
    default_model: 'new-one',
  })
  await chat(host, { message: 'Hi' })
  const unpriced = async () => (await readUsage(host)).unpriced
  expect(await unpriced()).toEqual([{ provider: 'openai', model: 'new-one', tokens: 15 }])
  await changePrices(context, 'openai', {
    prices: { 'new-one': { input_usd_per_mtok: 0, output_usd_per_mtok: 0 } },
  })
  expect(await unpriced()).toEqual([])
})
