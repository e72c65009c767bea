import { expect, test } from 'vitest'
import { hang, slow, stall, text } from '../../fixtures/wire/index.ts'
import { collect, drive, newCall } from './drive.ts'

test('a vendor that does not answer for 60 seconds is hung up on', async () => {
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

test('a local Ollama has 300 seconds, since it may have to load the model', async () => {
  await using host = await drive()
  host.wire.script(hang())
  const running = collect(host.models.stream(newCall({ provider: 'ollama' })))
  await host.wire.received(1)

  await host.clock.advance(299_999)
  expect(host.clock.waiting).toBe(1)
  await host.clock.advance(1)

  expect((await running).error).toMatchObject({ code: 'timeout' })
})

test('a stream that falls silent for 120 seconds is hung up on', async () => {
  await using host = await drive()
  host.wire.script(stall('Once upon'))
  const events = host.models.stream(newCall())[Symbol.asyncIterator]()
  expect((await events.next()).value).toMatchObject({ text: 'Once ' })
  expect((await events.next()).value).toMatchObject({ text: 'upon' })
  const next = events.next().catch((error: unknown) => error)

  await host.clock.advance(119_999)
  expect(host.clock.waiting).toBe(1)
  await host.clock.advance(1)

  expect(await next).toMatchObject({ code: 'timeout' })
  await host.wire.requests[0]?.closed
})

test('a slow stream goes on as long as something comes', async () => {
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

test('a reader that takes its time is not a silent vendor', async () => {
  await using host = await drive()
  host.wire.script(text('word '.repeat(200_000)))
  const events = host.models.stream(newCall())[Symbol.asyncIterator]()
  await events.next()

  await host.clock.advance(10 * 60_000)

  expect((await events.next()).value).toMatchObject({ type: 'text' })
  await events.return?.()
})

test('a jump of the wall clock is no silence', async () => {
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

test('the limits can be set', async () => {
  await using host = await drive({ first_chunk_ms: 1_000 })
  host.wire.script(hang())
  const running = collect(host.models.stream(newCall()))
  await host.wire.received(1)

  await host.clock.advance(1_000)

  expect((await running).error).toMatchObject({ code: 'timeout' })
})

test('no wait is left behind', async () => {
  await using host = await drive()

  await collect(host.models.stream(newCall()))

  expect(host.clock.waiting).toBe(0)
})

test('a list that does not come is hung up on, too', async () => {
  await using host = await drive({ fetch: () => new Promise(() => undefined) })
  const listed = host.models.list({ ...newCall() }).catch((error: unknown) => error)

  await host.clock.advance(60_000)

  expect(await listed).toMatchObject({ code: 'timeout' })
})
