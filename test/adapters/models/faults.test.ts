import { expect, test } from 'vitest'
import { createModels } from '../../../adapters/models/index.ts'
import type { ModelErrorCode } from '../../../runtime/ports/models.ts'
import {
  badChunk,
  cut,
  endEarly,
  endless,
  errorEvent,
  fail,
  garbage,
  hang,
  type Refusal,
  refuse,
  reset,
  type Step,
  stall,
  toolCall,
} from '../../fixtures/wire/index.ts'
import { addTool, apiKey, collect, drive, newCall, vendors } from './drive.ts'

const refusals: [Refusal, ModelErrorCode][] = [
  ['rate_limit', 'rate_limit'],
  ['overloaded', 'overloaded'],
  ['auth', 'auth'],
  ['billing', 'billing'],
  ['model_not_found', 'model_not_found'],
  ['context_overflow', 'context_overflow'],
  ['content_filter', 'content_filter'],
  ['server_error', 'provider_unavailable'],
]

const everyRefusal = vendors.flatMap((provider) =>
  refusals.map(([refusal, code]) => [provider, refusal, code] as const),
)

test.each(everyRefusal)(
  '%s refuses with %s: %s, after one request, without the key',
  async (provider, refusal, code) => {
    await using host = await drive()
    host.wire.script(refuse(refusal))

    const { error, events } = await collect(host.models.stream(newCall({ provider })))

    expect(error).toMatchObject({ name: 'ModelError', code })
    expect(error?.message).not.toContain(apiKey)
    expect(events).toEqual([])
    expect(host.wire.requests).toHaveLength(1)
  },
)

test.each([
  [401, 'auth'],
  [402, 'billing'],
  [404, 'model_not_found'],
  [429, 'rate_limit'],
  [500, 'provider_unavailable'],
  [529, 'overloaded'],
] as const)('status %i is %s', async (status, code) => {
  await using host = await drive()
  host.wire.script(fail(status))

  expect((await collect(host.models.stream(newCall()))).error).toMatchObject({ code })
})

test.each(vendors)('%s: reports the requested retry delay, in seconds or by date, and the limits', async (provider) => {
  await using host = await drive()
  host.wire.script(
    fail(429, { retry_after: '30', headers: { 'x-ratelimit-remaining-tokens': '0' } }),
    fail(429, { retry_after: 'Mon, 05 Jan 2026 09:02:00 GMT' }),
  )

  const first = await collect(host.models.stream(newCall({ provider })))
  const second = await collect(host.models.stream(newCall({ provider })))

  expect(first.error?.retry_after_seconds).toBe(30)
  expect(first.events).toEqual([
    { type: 'limits', headers: { 'retry-after': '30', 'x-ratelimit-remaining-tokens': '0' } },
  ])
  expect(second.error?.retry_after_seconds).toBe(120)
})

test('Google sends the retry delay in the body', async () => {
  await using host = await drive()
  host.wire.script(refuse('rate_limit'))

  expect((await collect(host.models.stream(newCall({ provider: 'google' })))).error?.retry_after_seconds).toBe(23)
})

const brokenStreams: [string, Step][] = [
  ['the connection is cut', cut('Once upon')],
  ['it ends without a finish', endEarly('Once upon')],
  ['a chunk is not JSON', badChunk('Once upon')],
]

test.each(vendors.flatMap((provider) => brokenStreams.map(([what, step]) => [provider, what, step] as const)))(
  '%s: interrupted when %s, with what came before',
  async (provider, _what, step) => {
    await using host = await drive()
    host.wire.script(step)

    const { error, text } = await collect(host.models.stream(newCall({ provider })))

    expect(error).toMatchObject({ code: 'interrupted' })
    expect('Once upon').toContain(text)
    expect(text).toContain('Once ')
    expect(host.wire.requests).toHaveLength(1)
  },
)

test('a chunk that is not JSON is not quoted', async () => {
  await using host = await drive()
  host.wire.script(badChunk('Once upon'))

  const { error } = await collect(host.models.stream(newCall()))

  expect(error?.message).toBe('anthropic: sent a chunk that cannot be read')
})

test.each(vendors)('%s: interrupted when the connection breaks before the first token', async (provider) => {
  await using host = await drive()
  host.wire.script(cut(''))

  expect((await collect(host.models.stream(newCall({ provider })))).error).toMatchObject({
    code: 'interrupted',
  })
})

test.each(vendors)('%s: a tool call of an interrupted answer is never returned', async (provider) => {
  await using host = await drive()
  const step = toolCall('add', { a: 1, b: 2 })
  host.wire.script({ ...step, ending: 'early' } as Step, { ...step, ending: 'cut' } as Step)

  for (const _ of [1, 2]) {
    const { events, error } = await collect(host.models.stream(newCall({ provider, tools: [addTool] })))
    expect(events).toEqual([])
    expect(error).toMatchObject({ code: 'interrupted' })
  }
})

test.each(vendors)('%s: an error event names its cause, before and after the first token', async (provider) => {
  await using host = await drive()
  host.wire.script(errorEvent('overloaded'), errorEvent('overloaded', 'Once upon'))

  const before = await collect(host.models.stream(newCall({ provider })))
  const after = await collect(host.models.stream(newCall({ provider })))

  expect([before.error?.code, after.error?.code]).toEqual(['overloaded', 'overloaded'])
  expect([before.text, after.text]).toEqual(['', 'Once upon'])
  expect(after.error?.message).toMatch(/^\w+: (The (server|model) is )?(currently )?overloaded/i)
})

test.each(vendors)('%s: unavailable when the connection is refused or reset', async (provider) => {
  await using host = await drive()
  host.wire.script(reset())
  const { error } = await collect(host.models.stream(newCall({ provider })))
  const elsewhere = createModels({ fetch, clock: host.clock })
  const refused = await collect(elsewhere.stream(newCall({ provider, base_url: 'http://127.0.0.1:1/v1' })))

  expect(error).toMatchObject({ code: 'provider_unavailable' })
  expect(refused.error).toMatchObject({ code: 'provider_unavailable' })
})

test("the message of the host's guard is passed on", async () => {
  await using host = await drive()
  const fetch = () => Promise.reject(new Error('private addresses are not allowed'))

  const { error } = await collect(createModels({ fetch, clock: host.clock }).stream(newCall()))

  expect(error).toMatchObject({
    code: 'provider_unavailable',
    message: 'anthropic: private addresses are not allowed',
  })
})

test.each(vendors)('%s: unavailable when an HTML page is returned', async (provider) => {
  await using host = await drive()
  host.wire.script(garbage())

  expect((await collect(host.models.stream(newCall({ provider })))).error).toMatchObject({
    code: 'provider_unavailable',
  })
})

test.each(vendors)("%s: an error inside a gateway's 200 is recognised", async (provider) => {
  await using host = await drive()
  const body = JSON.stringify({ error: { code: 402, message: 'Insufficient credits' } })
  host.wire.script(garbage(body, { content_type: 'application/json' }))

  expect((await collect(host.models.stream(newCall({ provider })))).error).toMatchObject({ code: 'billing' })
})

test.each(vendors)('%s: garbage instead of events is an interrupted answer', async (provider) => {
  await using host = await drive()
  host.wire.script(garbage('\u0000\u0001 no events here\n\n', { content_type: 'text/event-stream' }))

  expect((await collect(host.models.stream(newCall({ provider })))).error).toMatchObject({
    code: 'interrupted',
  })
})

test('an endless error body is not read to its end', async () => {
  await using host = await drive()
  const endlessBody = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1024).fill(120)),
  })
  const fetch = async () => new Response(endlessBody, { status: 500 })

  const { error } = await collect(createModels({ fetch, clock: host.clock }).stream(newCall()))

  expect(error).toMatchObject({ code: 'provider_unavailable' })
})

test.each(vendors)('%s: cancelled before, during the wait and in mid-answer', async (provider) => {
  await using host = await drive()
  const never = newCall({ provider, signal: AbortSignal.abort() })
  expect((await collect(host.models.stream(never))).error).toMatchObject({ code: 'cancelled' })
  expect(host.wire.requests).toHaveLength(0)

  for (const [step, said] of [
    [hang(), ''],
    [stall('Once upon'), 'Once upon'],
  ] as const) {
    const controller = new AbortController()
    const count = host.wire.requests.length + 1
    host.wire.script(step)
    const running = collect(
      abortAfter(said, controller, host.models.stream(newCall({ provider, signal: controller.signal }))),
    )
    await host.wire.received(count)
    if (!said) controller.abort()
    const { error, text } = await running

    expect(error).toMatchObject({ code: 'cancelled' })
    expect(text).toBe(said)
    await host.wire.requests.at(-1)?.closed
  }
})

/** Aborts when the text has come. */
async function* abortAfter<E extends { type: string }>(
  said: string,
  controller: AbortController,
  events: AsyncIterable<E>,
) {
  let seen = ''
  for await (const event of events) {
    yield event
    if (event.type === 'text') seen += (event as unknown as { text: string }).text
    if (said && seen === said) controller.abort()
  }
}

test('a time limit set by the caller is a timeout, not a cancellation', async () => {
  await using host = await drive()
  const signal = AbortSignal.abort(new DOMException('too late', 'TimeoutError'))

  expect((await collect(host.models.stream(newCall({ signal })))).error).toMatchObject({ code: 'timeout' })
})

test.each(vendors)('%s: closes the connection of an endless answer when the reader stops', async (provider) => {
  await using host = await drive()
  host.wire.script(endless())
  let words = 0

  for await (const event of host.models.stream(newCall({ provider }))) {
    if (event.type === 'text') words++
    if (words === 100) break
  }

  await host.wire.requests[0]?.closed
  expect(words).toBe(100)
})

test('an endless answer is eventually cut, regardless of the reader', async () => {
  await using host = await drive()
  host.wire.script(endless('x'.repeat(1024 * 1024)))

  const { error, text } = await collect(host.models.stream(newCall()))

  expect(error).toMatchObject({ code: 'interrupted', message: 'the answer has more than 64 MB' })
  expect(text.length).toBeLessThanOrEqual(64 * 1024 * 1024)
})
