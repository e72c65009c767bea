import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import type { Host } from '../../runtime/host.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { type EventSource, type ServerEvent, sse } from '../../runtime/http/sse.ts'
import { second } from '../../runtime/time.ts'
import { peer, testHost } from '../support/host.ts'

const contextFor = (host: Host) => contextOf(new Request('http://127.0.0.1:18781/'), host, peer)

const said = (data: unknown): ServerEvent => ({ event: 'said', data })

async function* twoWords() {
  yield { id: '1', ...said('a\nb') }
  yield said({ word: 'c' })
}

/** Says one word, then nothing until its signal aborts. */
const aWord: EventSource = async function* (signal) {
  yield said('word')
  const aborted = Promise.withResolvers<void>()
  const wake = () => aborted.resolve()
  signal.addEventListener('abort', wake)
  try {
    if (!signal.aborted) await aborted.promise
    yield said('bye')
  } finally {
    signal.removeEventListener('abort', wake)
  }
}

test('events are written as field lines, after a comment that opens the stream', async () => {
  const response = sse(contextFor(await testHost()), twoWords)

  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(await response.text()).toBe(
    ': open\n\nid: 1\nevent: said\ndata: "a\\nb"\n\nevent: said\ndata: {"word":"c"}\n\n',
  )
})

test('a comment every 15 s keeps a quiet stream open', async () => {
  const host = await testHost()
  const reader = readerOf(sse(contextFor(host), aWord))
  expect(await reader.next(2)).toEqual([': open\n\n', 'event: said\ndata: "word"\n\n'])
  await host.clock.advance(31 * second)
  expect(await reader.next(1)).toEqual([': beat\n\n'])
  await host.clock.advance(15 * second)
  expect(await reader.next(1)).toEqual([': beat\n\n'])
})

test('heartbeats do not accumulate for a client that does not read', async () => {
  const host = await testHost()
  const response = sse(contextFor(host), aWord)
  await host.clock.advance(150 * second)
  host.stop()

  expect(await response.text()).not.toMatch(/(: beat\n\n){2}/)
})

test('a failing source ends its stream with an error', async () => {
  const host = await testHost()
  const response = sse(contextFor(host), async function* () {
    yield said('word')
    throw new Error('secret')
  })
  const text = await response.text()

  expect(text).toContain('event: error\ndata: {"code":"internal_error"')
  expect(text).not.toContain('secret')
})

test.each([
  ['it has ended', async (_: Host, response: Response) => response.text(), twoWords],
  ['the client has left', async (_: Host, response: Response) => response.body?.cancel(), aWord],
  ['its credential was revoked', endedBy((host) => host.process.connections.endOf('key_1')), aWord],
] as const)('nothing is left of a stream when %s', async (_, end, source) => {
  const host = await testHost()
  const context = contextFor(host)
  const signals: AbortSignal[] = []
  context.caller = { ...context.caller, id: 'key_1' }
  const response = sse(context, (signal) => {
    signals.push(signal)
    return source(signal)
  })
  await end(host, response)
  await host.clock.advance(0)

  expect(host.process.connections.size).toBe(0)
  expect(host.clock.waiting).toBe(0)
  expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([])
})

function endedBy(act: (host: Host) => void) {
  return async (host: Host, response: Response) => {
    const text = response.text()
    act(host)
    await text
  }
}

function readerOf(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  return {
    async next(count: number): Promise<(string | undefined)[]> {
      const chunks: (string | undefined)[] = []
      while (chunks.length < count) chunks.push((await reader?.read())?.value)
      return chunks
    },
  }
}
