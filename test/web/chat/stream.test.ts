import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readStream } from '../../../web/pages/chat/state/stream.ts'

/** The events of a body that arrives in these pieces. */
async function read(...pieces: Uint8Array[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  return (await Array.fromAsync(readStream(body))).flat()
}

const bytes = (text: string) => new TextEncoder().encode(text)

test('parses the name, data and id of an event', async () => {
  expect(await read(bytes('id: 7\nevent: token\ndata: {"content":"hi"}\n\n'))).toEqual([
    { id: '7', event: 'token', data: { content: 'hi' } },
  ])
})

test('ignores comments, unknown events and unreadable data', async () => {
  const text = ': beat\n\nevent: hologram\ndata: {}\n\nevent: token\ndata: {\n\nevent: token\ndata: {}\n\n'
  expect(await read(bytes(text))).toEqual([{ id: '', event: 'token', data: {} }])
})

test('parses the same events however the stream is split', async () => {
  const stream = bytes(
    ': open\n\nid: 1\nevent: token\ndata: {"content":"wörd 🔥"}\r\n\r\nid: 2\revent: token\rdata: {}\r\revent: done\ndata: {}\n\n',
  )
  const whole = await read(stream)
  expect(whole).toHaveLength(3)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(stream.length), { maxLength: 12 }), async (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), stream.length]
      const pieces = places.slice(1).map((end, index) => stream.slice(places[index], end))
      expect(await read(...pieces)).toEqual(whole)
    }),
  )
})

test('cancels the request when its reader stops', async () => {
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes('event: token\ndata: {}\n\n')),
    cancel: () => {
      cancelled = true
    },
  })
  for await (const _ of readStream(body)) break
  expect(cancelled).toBe(true)
})
