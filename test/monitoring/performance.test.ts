import { beforeEach, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { logStream, logs } from '../../handlers/monitoring/logs.ts'
import { performance, performanceHistory, system } from '../../handlers/monitoring/performance.ts'
import { activity, analytics } from '../../handlers/monitoring/usage.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { serve } from '../../runtime/http/serve.ts'
import { measurements } from '../../runtime/measurements.ts'
import type { Activity } from '../../runtime/monitoring/activity.ts'
import type { Analytics } from '../../runtime/monitoring/analytics.ts'
import type { LogLine } from '../../runtime/monitoring/logs.ts'
import type { Performance, PerformanceHistory } from '../../runtime/monitoring/performance.ts'
import { pruneSamples } from '../../runtime/monitoring/performance-store.ts'
import { tick } from '../../runtime/tick.ts'
import { day, hour, minute } from '../../runtime/time.ts'
import { configure } from '../providers/kit.ts'
import { call, requestFor } from '../support/call.ts'
import { chat, parseEvents } from '../support/chat.ts'
import { endpoints } from '../support/endpoints.ts'
import { peer, testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'

const handle = serve(routesOf(endpoints))
const get = (path: string) => handle(requestFor({ method: 'GET', path }), host, peer)
const read = async <Answer>(...args: Parameters<typeof call>): Promise<Answer> => (await call(...args)).json()
const performanceOf = (period = '1h') => read<Performance>(performance, host, { query: { period } })
const historyOf = (query: Record<string, string>) => read<PerformanceHistory>(performanceHistory, host, { query })

let host: MemoryHost
beforeEach(async () => {
  host = await testHost()
})

/** Requests that took these milliseconds. */
function took(...times: number[]): void {
  for (const one of times)
    measurements(host).request(host.clock.now(), 'GET /api/x', { status: one > 900 ? 500 : 200, took: one })
}

test('requests are counted by route template, probes are not', async () => {
  await get('/health/live')
  await get('/api/metrics/prometheus')
  await get('/api/agents/agent_one')
  await get('/api/agents/agent_two')

  const { by_route, requests } = await performanceOf()

  expect(requests).toBe(2)
  expect(by_route).toEqual([expect.objectContaining({ route: 'GET /api/agents/{id}', requests: 2, error_rate: 0 })])
})

test('percentiles are at most 5 % off, and stay so when minutes are merged', async () => {
  for (let at = 1; at <= 100; at += 1) {
    took(at * 10)
    if (at % 10 === 0) {
      await host.clock.advance(minute)
      await tick(host)
    }
  }

  const { latency_ms, error_rate, requests, requests_per_minute } = await performanceOf()

  const off = (value = 0, right: number) => Math.abs(value - right) / right
  expect(off(latency_ms?.p50, 500)).toBeLessThan(0.05)
  expect(off(latency_ms?.p95, 950)).toBeLessThan(0.05)
  expect(off(latency_ms?.p99, 990)).toBeLessThan(0.05)
  expect({ error_rate, requests, requests_per_minute }).toEqual({
    error_rate: 0.1,
    requests: 100,
    requests_per_minute: 10,
  })
})

test('nothing is stored while nobody makes a request', async () => {
  const stored = async () => (await host.sql.read('SELECT * FROM performance_samples')).length
  await host.clock.advance(hour)
  await tick(host)
  expect(await stored()).toBe(0)

  took(5)
  await tick(host)
  expect(await stored()).toBe(0)

  await host.clock.advance(minute)
  await tick(host)
  expect(await stored()).toBe(1)
  expect(measurements(host).pending.size).toBe(0)
})

test('minutes become hours after two days and are deleted after five weeks; the sums stay', async () => {
  for (let at = 0; at < 5; at += 1) {
    took(100, 200)
    await host.clock.advance(20 * minute)
    await tick(host)
  }
  await host.clock.advance(3 * day)
  await host.sql.write(await pruneSamples(host))

  const rows = await host.sql.read<{ seconds: number }>('SELECT seconds FROM performance_samples')
  expect(rows.map(({ seconds }) => seconds)).toEqual([3600, 3600])
  expect((await performanceOf('7d')).requests).toBe(10)

  await host.clock.advance(36 * day)
  await host.sql.write(await pruneSamples(host))
  expect(await host.sql.read('SELECT * FROM performance_samples')).toEqual([])
})

test('the history has every bucket, with 25 hours on the day that repeats one', async () => {
  await host.clock.advance(Date.parse('2026-10-25T23:30:00.000Z') - host.clock.now())
  took(10)
  const { history } = await historyOf({ period: '24h', tz: 'Europe/Berlin' })
  const labels = history.map(({ label }) => label)

  expect(labels.filter((label) => label.startsWith('2026-10-25T02:00'))).toEqual([
    '2026-10-25T02:00+02:00',
    '2026-10-25T02:00+01:00',
  ])
  expect(history.at(-1)).toMatchObject({ label: '2026-10-26T00:00+01:00', requests: 1 })
  expect((await historyOf({ period: '1h', granularity: 'minute', tz: 'UTC' })).history).toHaveLength(60)
})

test.each([{ period: '7d', granularity: 'minute' }, { period: '2d' }, { granularity: 'week' }, { tz: 'Mars/Olympus' }])(
  'a history of %o is refused',
  async (query) => {
    expect((await call(performanceHistory, host, { query: query as never })).status).toBe(400)
  },
)

test('model calls are measured until their first part and their end', async () => {
  host = await testHost({ models: scriptedModels(text('Hello'), text('Again')) })
  await configure(host, ['openai'])
  await chat(host, { message: 'Hi' })

  const { model, by_model } = await performanceOf()

  expect(model.calls).toBeGreaterThan(0)
  expect(model.error_rate).toBe(0)
  expect(model.ttft_ms?.p50).toBeLessThanOrEqual(model.latency_ms?.p50 ?? -1)
  expect(by_model.reduce((sum, { calls }) => sum + calls, 0)).toBe(model.calls)
})

test('the system is unknown on a host that cannot know, and null is said', async () => {
  expect(await read(system, host)).toMatchObject({ cpu_pct: null, memory: null, disk: null })
})

test('events are grouped by type, and another user sees only their own', async () => {
  host = await testHost({ models: scriptedModels(text('Hello')) })
  await configure(host, ['openai'])
  await chat(host, { message: 'Hi' })

  const all = await read<Activity>(activity, host, { query: { period: '24h', tz: 'Asia/Kathmandu' } })
  const types = all.types.map(({ type }) => type)

  expect(types).toEqual(expect.arrayContaining(['conversation.created', 'daemon.started', 'message.sent']))
  expect(all.total).toBe(all.types.reduce((sum, { count }) => sum + count, 0))
  expect(all.series.reduce((sum, { count }) => sum + count, 0)).toBe(all.total)

  const caller = {
    kind: 'api_key',
    id: 'k',
    user_id: 'user_ben',
    name: 'b',
    scopes: ['read'],
    ...peer,
  } as const
  const own = await read<Activity>(activity, host, { caller })
  expect(own.types.map(({ type }) => type)).not.toContain('conversation.created')
})

test('analytics compare with the period before and group by local hour', async () => {
  host = await testHost({ models: scriptedModels(text('Hello'), text('Again')) })
  await configure(host, ['openai'])
  await chat(host, { message: 'Hi' })
  await host.clock.advance(30 * hour)
  await chat(host, { message: 'Hi' })

  const answer = await read<Analytics>(analytics, host, {
    query: { period: '24h', tz: 'Asia/Kolkata' },
  })

  expect(answer.totals.tokens).toBe(answer.previous.tokens)
  expect(answer.totals).toMatchObject({ conversations: 1, messages: 2, failed_calls: 0 })
  expect(answer.by_hour[23]).toBe(answer.totals.tokens)
  expect(answer.by_weekday[1]).toBe(answer.totals.tokens)
})

test.each([activity, analytics])('$path refuses periods and zones outside the lists', async (endpoint) => {
  expect((await call(endpoint, host, { query: { period: '1y' } })).status).toBe(400)
  expect((await call(endpoint, host, { query: { tz: 'Mars/Olympus' } })).status).toBe(400)
})

test('log lines are filtered by level, area and text', async () => {
  host.log.write('debug', 'request', { route: '/api/agents', status: 200 })
  host.log.write('warn', 'work failed', { kind: 'scheduler.run', reason: 'no Tea left' })
  host.log.write('error', 'odd')
  const lines = async (query: Record<string, string>) =>
    (await read<{ logs: LogLine[] }>(logs, host, { query })).logs.map(({ message }) => message)

  expect(await lines({})).toEqual(['work failed', 'odd'])
  expect(await lines({ level: 'debug', area: 'agents' })).toEqual(['request'])
  expect(await lines({ area: 'scheduler', text: 'tea LEFT' })).toEqual(['work failed'])
  expect(await lines({ limit: '1' })).toEqual(['odd'])
})

test('the log is followed live', async () => {
  const response = await call(logStream, host, { query: { level: 'warn' } })
  const reader = response.body?.getReader() ?? expect.fail()
  await reader.read()
  const next = reader.read()
  host.log.write('info', 'not this')
  host.log.write('warn', 'this')

  const { value } = await next
  expect(parseEvents(new TextDecoder().decode(value))).toEqual([
    expect.objectContaining({ event: 'line', data: expect.objectContaining({ message: 'this' }) }),
  ])
  await reader.cancel()
})
