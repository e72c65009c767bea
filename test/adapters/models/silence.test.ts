import { expect, test } from 'vitest'
import { anthropic } from '../../fixtures/wire/anthropic.ts'
import { hang, slow, stall, text } from '../../fixtures/wire/index.ts'
import { collect, drive, newCall } from './drive.ts'

test('a vendor that does not respond for 60 seconds is disconnected', async () => {
  await using host = await drive()
  host.wire.script(hang())
  const running = collect(host.models.stream(newCall()))
  await host.wire.received(1)

  await host.clock.advance(59_999)
  expect(host.clock.waiting).toBe(1)
  await host.clock.advance(1)

  expect((await running).error).toMatchObject({ code: 'timeout' })
  await host.wire.requests[0]?.closed
})

test('a local Ollama has 300 seconds, because it may have to load the model', async () => {
  await using host = await drive()
  host.wire.script(hang())
  const running = collect(host.models.stream(newCall({ provider: 'ollama' })))
  await host.wire.received(1)

  await host.clock.advance(299_999)
  expect(host.clock.waiting).toBe(1)
  await host.clock.advance(1)

  expect((await running).error).toMatchObject({ code: 'timeout' })
})

test.each([
  ['a server of the network', { base_url: 'http://192.168.1.20:8000/v1' }, 300],
  ['a server on this machine', { base_url: 'http://localhost:1234/v1' }, 300],
  ['a vendor', {}, 60],
  ['a vendor that a person waits longer for', { first_token_seconds: 90 }, 90],
  ['a local server that a person waits longer for', { base_url: 'http://127.0.0.1/', first_token_seconds: 900 }, 900],
])('%s has its own time to begin', async (_, details, seconds) => {
  const asked = Promise.withResolvers<void>()
  const fetch = () => {
    asked.resolve()
    return new Promise<never>(() => undefined)
  }
  await using host = await drive({ fetch })
  const running = collect(host.models.stream(newCall({ provider: 'openai', ...details })))
  await asked.promise

  await host.clock.advance(seconds * 1_000 - 1)
  expect(host.clock.waiting).toBe(1)
  await host.clock.advance(1)

  const message = `openai: did not answer within ${seconds} s`
  expect((await running).error).toMatchObject({ code: 'timeout', message })
})

test('a stream that falls silent for 120 seconds is disconnected', async () => {
  await using host = await drive()
  host.wire.script(stall('Once'))
  const events = host.models.stream(newCall())[Symbol.asyncIterator]()
  expect((await events.next()).value).toMatchObject({ text: 'Once' })
  const next = events.next().catch((error: unknown) => error)

  await host.clock.advance(119_999)
  expect(host.clock.waiting).toBe(1)
  await host.clock.advance(1)

  const message = 'anthropic: sent nothing for 120 s in the middle of its answer'
  expect(await next).toMatchObject({ code: 'timeout', message })
  await host.wire.requests[0]?.closed
})

test('a local server that falls silent in the middle has no more time than others', async () => {
  await using host = await drive()
  host.wire.script(stall('Once'))
  const events = host.models.stream(newCall({ provider: 'ollama' }))[Symbol.asyncIterator]()
  await events.next()
  const next = events.next().catch((error: unknown) => error)

  await host.clock.advance(120_000)

  expect(await next).toMatchObject({ code: 'timeout' })
})

test('a slow stream continues as long as data arrives', async () => {
  await using host = await drive()
  host.wire.script(slow(['one ', 'two ', 'three']))
  const events = host.models.stream(newCall())[Symbol.asyncIterator]()

  for (const word of ['one ', 'two ', 'three']) {
    const next = events.next()
    await host.wire.received(1)
    await host.clock.advance(50_000)
    host.wire.release()
    expect((await next).value).toMatchObject({ text: word })
  }
  expect((await events.next()).value).toMatchObject({ type: 'finish' })
})

test('a slow reader does not count as a silent vendor', async () => {
  await using host = await drive()
  host.wire.script(text('word '.repeat(200_000)))
  const events = host.models.stream(newCall())[Symbol.asyncIterator]()
  await events.next()

  await host.clock.advance(10 * 60_000)

  expect((await events.next()).value).toMatchObject({ type: 'text' })
  await events.return?.()
})

test('a jump of the wall clock does not count as silence', async () => {
  await using host = await drive()
  host.wire.script(slow(['one ', 'two']))
  const events = host.models.stream(newCall())[Symbol.asyncIterator]()
  const first = events.next()
  await host.wire.received(1)
  host.wire.release()
  await first

  host.clock.jump(-3_600_000)
  const next = events.next()
  host.wire.release()
  expect((await next).value).toMatchObject({ text: 'two' })
  await events.return?.()
})

test('the limits are configurable', async () => {
  await using host = await drive({ first_chunk_ms: 1_000 })
  host.wire.script(hang())
  const running = collect(host.models.stream(newCall()))
  await host.wire.received(1)

  await host.clock.advance(1_000)

  expect((await running).error).toMatchObject({ code: 'timeout' })
})

/** A whole answer whose connection ends when `end` is called. */
function lingering() {
  const { opening, pieces, closing } = anthropic.frames(
    { reasoning: [], text: ['one'], calls: [], finish: 'stop', headers: {} },
    { vendor: 'anthropic', body: {} },
  )
  const seen = { cancelled: false, end: () => {} }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(opening + pieces.join('') + closing))
      seen.end = () => controller.close()
    },
    cancel() {
      seen.cancelled = true
    },
  })
  const headers = { 'content-type': 'text/event-stream' }
  return { seen, fetch: async () => new Response(body, { headers }) }
}

test('after the finish the connection may end on its own', async () => {
  const { seen, fetch } = lingering()
  await using host = await drive({ fetch })
  const events = host.models.stream(newCall())[Symbol.asyncIterator]()
  await events.next()
  expect((await events.next()).value).toMatchObject({ type: 'finish' })
  const end = events.next()

  await host.clock.advance(249)
  expect(seen.cancelled).toBe(false)
  seen.end()

  expect((await end).done).toBe(true)
  expect(seen.cancelled).toBe(false)
})

test('a connection that does not end after the finish is closed', async () => {
  const { seen, fetch } = lingering()
  await using host = await drive({ fetch })
  const running = collect(host.models.stream(newCall()))

  await host.clock.advance(250)

  expect((await running).finish).toMatchObject({ type: 'finish' })
  expect(seen.cancelled).toBe(true)
})

test('no timer is left behind', async () => {
  await using host = await drive()

  await collect(host.models.stream(newCall()))

  expect(host.clock.waiting).toBe(0)
})

test('a model list that does not arrive is also abandoned', async () => {
  await using host = await drive({ fetch: () => new Promise(() => undefined) })
  const listed = host.models.list({ ...newCall() }).catch((error: unknown) => error)

  await host.clock.advance(60_000)

  expect(await listed).toMatchObject({ code: 'timeout' })
})
