import { expect, test } from 'vitest'
import { type Hop, isStream, nextHop } from '../../../runtime/outbound/redirects.ts'

const headers = {
  authorization: 'x',
  'content-type': 'text/plain',
  'content-length': '4',
  accept: '*/*',
  'x-goog-api-key': 'x',
}
const hop = (change: Partial<Hop> = {}): Hop => ({
  url: new URL('https://a.test/path?x=1'),
  method: 'POST',
  headers: new Headers(headers),
  body: 'text',
  ...change,
})

const follow = (...[from, status, location]: Parameters<typeof nextHop>): Hop => {
  const next = nextHop(from, status, location)
  if (next.kind !== 'follow') throw new Error(next.kind)
  return next.hop
}

test.each([
  ['/other', 'https://a.test/other'],
  ['other', 'https://a.test/other'],
  ['?y=2', 'https://a.test/path?y=2'],
  ['//b.test/', 'https://b.test/'],
  ['http://b.test', 'http://b.test/'],
])('a Location of %s leads to %s', (location, url) => {
  expect(follow(hop(), 302, location).url.href).toBe(url)
})

test.each([200, 300, 304, 305, 306, 400])('a %i is returned as an answer', (status) => {
  expect(nextHop(hop(), status, '/x')).toEqual({ kind: 'answer' })
})

test('without a Location no redirect is followed', () => {
  expect(nextHop(hop(), 302, null)).toEqual({ kind: 'answer' })
})

test('an invalid URL in Location is an error', () => {
  expect(nextHop(hop(), 302, 'http://[')).toMatchObject({ kind: 'fail' })
})

test('a request that becomes a GET loses its body and the headers that describe it', () => {
  const next = follow(hop(), 302, '/x')

  expect([next.method, next.body]).toEqual(['GET', null])
  expect(Object.keys(Object.fromEntries(next.headers))).toEqual(['accept', 'authorization', 'x-goog-api-key'])
})

test.each(['https://b.test/', 'http://a.test/', 'https://a.test:444/'])('no credential is sent to %s', (location) => {
  expect(Object.keys(Object.fromEntries(follow(hop(), 307, location).headers))).toEqual(['accept', 'content-type'])
})

test('a HEAD stays a HEAD after 303', () => {
  expect(follow(hop({ method: 'HEAD', body: null }), 303, '/x').method).toBe('HEAD')
})

test('a stream is not sent twice, but may be dropped', () => {
  const body = new Blob(['x']).stream()

  expect(nextHop(hop({ body }), 307, '/x')).toMatchObject({ kind: 'fail' })
  expect(follow(hop({ body }), 303, '/x').body).toBeNull()
})

test.each([
  [null, false],
  ['text', false],
  [new Uint8Array(1), false],
  [new ArrayBuffer(1), false],
  [new Blob(), false],
  [new FormData(), false],
  [new URLSearchParams(), false],
  [new ReadableStream(), true],
  [(async function* () {})(), true],
])('%o is a stream: %s', (body, expected) => {
  expect(isStream(body)).toBe(expected)
})
