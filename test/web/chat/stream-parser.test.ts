import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readStream } from '../../../web/pages/chat/state/read-stream.ts'
import { StreamParser } from '../../../web/pages/chat/state/stream-parser.ts'

const parse = (...pieces: string[]) => {
  const parser = new StreamParser()
  return pieces.flatMap((piece) => parser.push(piece))
}

test('reads name, data and id of an event', () => {
  expect(parse('id: 7\nevent: token\ndata: {"content":"hi"}\n\n')).toEqual([
    { id: '7', event: 'token', data: '{"content":"hi"}' },
  ])
})

test('calls an event without a name "message" and joins its data lines', () => {
  expect(parse('data: one\ndata:two\n\n')).toEqual([{ id: '', event: 'message', data: 'one\ntwo' }])
})

test('keeps the id for the events that name none', () => {
  expect(parse('id: 1\ndata: a\n\ndata: b\n\n').map((event) => event.id)).toEqual(['1', '1'])
})

test('drops comments, unknown fields and events without data', () => {
  expect(parse(': beat\n\nretry: 5\nevent: nothing\n\nmood: fine\ndata: x\n\n')).toEqual([
    { id: '', event: 'message', data: 'x' },
  ])
})

test('ignores an id with NUL and a leading byte order mark', () => {
  expect(parse('\uFEFFid: a\0b\ndata: x\n\n')).toEqual([{ id: '', event: 'message', data: 'x' }])
})

test('strips one space after the colon and no more', () => {
  expect(parse('data:  two spaces\n\n')[0]?.data).toBe(' two spaces')
})

test('holds back an event until its blank line has come', () => {
  const parser = new StreamParser()
  expect(parser.push('data: x\n')).toEqual([])
  expect(parser.push('\n')).toHaveLength(1)
})

test('takes LF, CR and CRLF, also cut between the two', () => {
  expect(parse('data: a\r', '\n\r', '\ndata: b\r\rdata: c\n\n').map((event) => event.data)).toEqual([
    'a',
    'b',
    'c',
  ])
})

test('reads the same events however the stream is cut', () => {
  const stream =
    ': open\n\nid: 1\nevent: token\ndata: {"content":"wörd 🔥"}\r\n\r\nid: 2\rdata: a\rdata: b\r\revent: done\ndata: {}\n\n'
  const whole = parse(stream)
  expect(whole).toHaveLength(3)
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), stream.length]
      const pieces = places.slice(1).map((end, index) => stream.slice(places[index], end))
      expect(parse(...pieces)).toEqual(whole)
    }),
  )
})

test('decodes characters that are cut between two reads', async () => {
  const bytes = new TextEncoder().encode('data: 🔥\n\n')
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const events = await Array.fromAsync(readStream(body))
  expect(events.flat()).toEqual([{ id: '', event: 'message', data: '🔥' }])
})

test('ends the request when its reader leaves', async () => {
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: x\n\n')),
    cancel: () => {
      cancelled = true
    },
  })
  for await (const _ of readStream(body)) break
  expect(cancelled).toBe(true)
})
