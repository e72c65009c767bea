import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { trigger } from '../../handlers/scheduler/jobs.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, started } from './kit.ts'

const start = { type: 'trigger.manual' }
const retry = { max_attempts: 3, delay_seconds: 1 }
const post = { type: 'http', params: { method: 'POST', url: 'http://localhost/refund' }, retry }

/** Fails like the `fetch` of Node. */
const failing = (cause: object) => () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('connection'), cause) })
}
const answering = (status: number) => () => new Response('no', { status })

/** A host whose requests end like this, and how many it was asked for. */
async function hostWith(answer: (init: RequestInit) => unknown) {
  const seen = { requests: 0 }
  const outbound = {
    ...noOutbound,
    fetch: async (_: unknown, init: RequestInit = {}) => {
      seen.requests += 1
      return answer(init) as Response
    },
  }
  return { host: await testHost({ outbound }), seen }
}

/** Starts the node and lets all of its delays pass. */
async function runOf(host: MemoryHost, node: object): Promise<string> {
  const { id } = await created(host, drawn({ start, node: node as typeof post }, ['start → node']))
  const run = await started(host, id)
  await passing(host)
  return run
}

async function passing(host: MemoryHost): Promise<void> {
  for (let delay = 0; delay < 5; delay += 1) {
    await workOff(host)
    await host.clock.advance(2_000)
  }
  await workOff(host)
}

async function answered(host: MemoryHost, run: string, choice: string): Promise<void> {
  const [wait] = (await execution(host, run)).waiting_for
  const body = { token: wait?.token, choice }
  expect((await call(executions.answer, host, { params: { id: run }, body })).status).toBe(200)
  await passing(host)
}

const unknownOutcomes: [string, (init: RequestInit) => unknown][] = [
  ['a cut connection', failing({ code: 'ECONNRESET', syscall: 'read' })],
  ['an end without an answer', failing({ code: 'UND_ERR_SOCKET' })],
  ['a time-out while it waits for the answer', failing({ code: 'UND_ERR_HEADERS_TIMEOUT' })],
  ['504 of a gateway', answering(504)],
  [
    'an answer that breaks off',
    () => new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) })),
  ],
]

test.each(unknownOutcomes)('after %s, a person decides whether a POST is sent again', async (_, answer) => {
  const { host, seen } = await hostWith(answer)
  const run = await runOf(host, post)
  expect(seen.requests).toBe(1)
  expect(await execution(host, run)).toMatchObject({
    status: 'waiting',
    waiting_for: [
      {
        node_id: 'node',
        kind: 'repeat',
        options: ['Run again', 'Skip', 'Fail'],
        message: expect.stringContaining('It may or may not have taken effect.'),
      },
    ],
  })
  await answered(host, run, 'Run again')
  expect(seen.requests).toBe(2)
  await answered(host, run, 'Run again')
  expect(seen.requests).toBe(3)
  expect(await execution(host, run)).toMatchObject({
    status: 'failed',
    error: { node_id: 'node', uncertain: true },
  })
})

test('after the time limit of the node, a person decides too', async () => {
  const { host, seen } = await hostWith(
    ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  )
  const { id } = await created(host, drawn({ start, node: { ...post, timeout_seconds: 1 } }, ['start → node']))
  const run = await started(host, id)
  const work = workOff(host)
  await expect.poll(() => seen.requests).toBe(1)
  await host.clock.advance(1_000)
  await work
  await passing(host)
  expect(seen.requests).toBe(1)
  expect((await execution(host, run)).waiting_for).toMatchObject([{ kind: 'repeat' }])
})

test('a person can leave out the node or let it fail', async () => {
  const { host, seen } = await hostWith(failing({ code: 'ECONNRESET' }))
  const [skipped, failed] = [await runOf(host, post), await runOf(host, post)]
  await answered(host, skipped, 'Skip')
  await answered(host, failed, 'Fail')
  expect(await execution(host, skipped)).toMatchObject({ status: 'succeeded' })
  expect(await execution(host, failed)).toMatchObject({ status: 'failed', error: { code: 'interrupted' } })
  expect(seen.requests).toBe(2)
})

test.each([
  ['500', answering(500)],
  ['503', answering(503)],
  ['429', answering(429)],
  ['a name that does not exist', failing({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
  ['a refused connection', failing({ code: 'ECONNREFUSED', syscall: 'connect' })],
  ['a connection that is not established in time', failing({ code: 'UND_ERR_CONNECT_TIMEOUT' })],
  ['a certificate that has expired', failing({ code: 'CERT_HAS_EXPIRED' })],
] as const)('after %s, a POST with retry is sent again', async (_, answer) => {
  const { host, seen } = await hostWith(answer)
  const run = await runOf(host, post)
  expect(seen.requests).toBe(3)
  expect((await execution(host, run)).status).toBe('failed')
})

test.each([
  ['GET', { ...post, params: { ...post.params, method: 'GET' } }, 3],
  ['POST that is retry_safe', { ...post, retry_safe: true }, 3],
  ['POST without retry', { ...post, retry: null }, 1],
] as const)('a %s asks nobody', async (_, node, requests) => {
  const { host, seen } = await hostWith(failing({ code: 'ECONNRESET' }))
  const run = await runOf(host, node)
  expect(seen.requests).toBe(requests)
  expect((await execution(host, run)).status).toBe('failed')
})

test('a sub-workflow whose effect is uncertain is not started again unasked', async () => {
  const { host, seen } = await hostWith(failing({ code: 'ECONNRESET' }))
  const inner = await created(host, drawn({ start, node: { ...post, retry: null } }, ['start → node']))
  const run = await runOf(host, { type: 'sub_workflow', params: { workflow_id: inner.id }, retry })
  expect(seen.requests).toBe(1)
  expect((await execution(host, run)).waiting_for).toMatchObject([{ node_id: 'node', kind: 'repeat' }])
})

test('a sub-workflow that has failed without doubt is started again', async () => {
  const { host, seen } = await hostWith(answering(503))
  const inner = await created(host, drawn({ start, node: { ...post, retry: null } }, ['start → node']))
  await runOf(host, { type: 'sub_workflow', params: { workflow_id: inner.id }, retry })
  expect(seen.requests).toBe(3)
})

test('a tool that ended without a result is not called again unasked', async () => {
  const { host, seen } = await hostWith(failing({ code: 'ECONNRESET' }))
  const input = { method: 'POST', url: 'http://localhost/refund' }
  const run = await runOf(host, { type: 'tool', params: { tool: 'http_request', input }, retry })
  expect(seen.requests).toBe(1)
  expect((await execution(host, run)).waiting_for).toMatchObject([{ node_id: 'node', kind: 'repeat' }])
})

test('a job does not retry a workflow with an effect of unknown outcome', async () => {
  const { host, seen } = await hostWith(failing({ code: 'ECONNRESET', syscall: 'read' }))
  const { id } = await created(host, drawn({ start, node: { ...post, retry: null } }, ['start → node']))
  const job = await newJob(host, {
    target: { kind: 'workflow', id },
    retry: { max_attempts: 3, strategy: 'fixed', base_delay: 1 },
  })
  await call(trigger, host, { params: { id: job.id } })
  await passing(host)
  expect(seen.requests).toBe(1)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'failed', attempt: 1 }])
})
