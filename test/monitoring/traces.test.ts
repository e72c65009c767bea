import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createTracer } from '../../adapters/otlp/tracer.ts'
import { createOutbound } from '../../adapters/outbound/outbound.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { configure } from '../providers/kit.ts'
import { chat } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'

interface Exported {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  status: { code?: number }
  attributes: { key: string; value: Record<string, unknown> }[]
}

const received: { url: string | undefined; authorization: string | undefined; body: string }[] = []
/** A collector on the loopback. */
const collector = createServer(async (request, response) => {
  const { url, headers } = request
  received.push({ url, authorization: headers.authorization, body: await readText(request) })
  response.end('{}')
})
let endpoint = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
})
afterAll(() => collector.close())

const spansIn = (body: string): Exported[] =>
  JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Exported[] }[] }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  )

test('a turn, its model calls and its tools are sent as one trace, without what was written', async () => {
  const models = scriptedModels(toolCall('time', {}), text('It is noon, zanzibar'))
  const host = await testHost({ models })
  const settings = { endpoint, headers: { authorization: 'Bearer abc' }, version: '1.2.3', log: host.log }
  const tracer = createTracer({ service: 'hearth', ...settings, outbound: createOutbound({}) })
  host.tracer = tracer
  await configure(host, ['openai'])
  await chat(host, { message: 'What time is it, zanzibar?' })
  await workOff(host)
  await tracer.close()

  expect(received.map(({ url, authorization }) => ({ url, authorization }))).toEqual([
    { url: '/v1/traces', authorization: 'Bearer abc' },
  ])
  const { body = '' } = received[0] ?? {}
  expect(body).toContain('hearthd')
  expect(body).not.toContain('zanzibar')
  const spans = spansIn(body)
  const turn = spans.find(({ name }) => name === 'chat.turn') ?? expect.fail()
  const tool = spans.find(({ name }) => name === 'execute_tool time') ?? expect.fail()
  const calls = spans.filter(({ name, traceId }) => name.startsWith('chat ') && traceId === turn.traceId)
  expect(turn.parentSpanId).toBeUndefined()
  expect([tool.traceId, tool.parentSpanId]).toEqual([turn.traceId, turn.spanId])
  expect(calls.length).toBeGreaterThanOrEqual(2)
  for (const one of calls) {
    expect(one.parentSpanId).toBe(turn.spanId)
    expect(one.attributes.map(({ key }) => key)).toContain('gen_ai.usage.output_tokens')
  }
})

test('the trace of a scheduled run names its job and run, and shows that it failed', async () => {
  const host = await testHost({ models: scriptedModels([new ModelError('auth', 'zanzibar')]) })
  const outbound = createOutbound({})
  const tracer = createTracer({
    service: 'hearth',
    endpoint,
    headers: {},
    version: '1',
    outbound,
    log: host.log,
  })
  host.tracer = tracer
  await configure(host, ['openai'])
  const job = await newJob(host)
  await host.clock.advance(3_600_000)
  await workOff(host)
  await tracer.close()
  const body = received.at(-1)?.body ?? ''
  expect(body).not.toContain('zanzibar')
  const [run] = await runsOf(host, job)
  const turn = spansIn(body).find(({ name }) => name === 'chat.turn') ?? expect.fail()
  const attributes = new Map(turn.attributes.map(({ key, value }) => [key, value.stringValue]))
  expect(run?.status).toBe('failed')
  expect(attributes.get('job.id')).toBe(job.id)
  expect(attributes.get('run.id')).toBe(run?.id)
  expect(attributes.get('gen_ai.conversation.id')).toBe(run?.conversation_id)
  expect(attributes.get('error.type')).toBe('auth')
  expect(turn.status.code).toBe(2)
})

test('a collector that is down delays nothing and is reported once', async () => {
  const host = await testHost({ models: scriptedModels(text('Hello'), text('Hello')) })
  const outbound = createOutbound({})
  const tracer = createTracer({
    endpoint: 'http://127.0.0.1:9',
    headers: {},
    service: 'hearth',
    version: '1',
    outbound,
    log: host.log,
  })
  host.tracer = tracer
  await configure(host, ['openai'])
  await chat(host, { message: 'Hi' })
  await tracer.close()
  expect(host.log.lines.filter(({ message }) => message.includes('collector'))).toHaveLength(1)
})

test('without a collector nothing is recorded', async () => {
  expect((await testHost()).tracer).toBeNull()
})

test('a collector that never answers delays the stop by a second at most', async () => {
  const requested = Promise.withResolvers<void>()
  const silent = createServer(() => requested.resolve())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close().closeAllConnections())
  const host = await testHost()
  const settings = { service: 'hearth', headers: {}, version: '1.2.3', log: host.log }
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const tracer = createTracer({ ...settings, endpoint: url, outbound: createOutbound({}) })
  for (let count = 0; count < 1_000; count += 1) tracer.start('turn', undefined, {}).end()

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const closed = tracer.close()
  await requested.promise
  await vi.advanceTimersByTimeAsync(1_000)
  await closed
  const reported = host.log.lines.filter(({ message }) => message.includes('collector'))
  expect(reported.map(({ fields }) => String(fields.cause))).toEqual([
    expect.stringContaining('hearthd stopped before the collector responded'),
  ])
})
