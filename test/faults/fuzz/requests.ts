import fc, { type Arbitrary } from 'fast-check'
import type { Endpoint } from '../../../runtime/http/endpoint.ts'
import { type JsonSchema, toJsonSchema } from '../../../runtime/http/openapi/json-schema.ts'
import { hostileText, type Mood, someId, valueFor } from './values.ts'

export interface FuzzedRequest {
  method: string
  /** Path and query as they stand in the request line. */
  target: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
  credential: 'admin' | 'none' | 'wrong'
}

/** Requests for one endpoint, with mostly the right method, path, type and credential, and seldom all of them. */
export function requestsFor(endpoint: Endpoint): Arbitrary<FuzzedRequest> {
  return fc.record({
    method: mostly(endpoint.method, fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'), 30),
    target: fc.tuple(pathOf(endpoint), queryOf(endpoint)).map(([path, query]) => path + query),
    headers: headersOf(endpoint),
    body: bodyOf(endpoint),
    credential: fc.oneof(
      { weight: 8, arbitrary: fc.constant('admin' as const) },
      { weight: 1, arbitrary: fc.constantFrom('none' as const, 'wrong' as const) },
    ),
  })
}

const mostly = <Value>(usual: Value, other: Arbitrary<Value>, weight: number): Arbitrary<Value> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

const hostileSegments = [
  '..',
  '.',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc',
  '%00',
  'a%00b',
  '%ff',
  '%',
  '%zz',
  '%c0%ae',
  'a%2fb',
  '%5c..%5c',
  ';x=1',
  '*',
  ':id',
  '{id}',
  '-1',
  '0',
  '',
  'x'.repeat(3000),
  '%25',
  '%E2%80%AE',
]

const segment: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(400).map((index) => encoded(someId(index))) },
  { weight: 1, arbitrary: fc.constantFrom(...hostileSegments) },
  { weight: 1, arbitrary: fc.constantFrom(...hostileText).map(encoded) },
)

function pathOf({ path, params }: Endpoint): Arbitrary<string> {
  const shapes = params ? (toJsonSchema(params, 'input').properties ?? {}) : {}
  const parts = path
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? segmentFor(shapes[part.slice(1, -1)]) : fc.constant(part)))
  const whole = fc.tuple(...parts).map((pieces) => pieces.join(''))
  return fc.oneof(
    { weight: 40, arbitrary: whole },
    { weight: 1, arbitrary: whole.map((text) => `${text}/`) },
    { weight: 1, arbitrary: whole.map((text) => text.replace('/', '//')) },
  )
}

/** A parameter that takes a few names only gets one of them most of the time. */
const segmentFor = (shape: JsonSchema | undefined): Arbitrary<string> =>
  Array.isArray(shape?.enum) ? fc.oneof(fc.constantFrom(...(shape.enum as string[])), segment) : segment

const oddQueries = fc.constantFrom(
  '?',
  '?&&&',
  '?=',
  '?__proto__=1',
  '?constructor[prototype]=x',
  '?%ff=%',
  '?a=1&a=2',
  '?limit=',
  '?limit[]=1',
  '?q=%00',
  '?+=+',
  `?${'x=1&'.repeat(500)}`,
)

function queryOf({ query }: Endpoint): Arbitrary<string> {
  const shapes = query ? toJsonSchema(query, 'input') : {}
  if (!shapes.properties) return mostly('', oddQueries, 20)
  const wild = queryIn(shapes, 'wild')
  return fc.oneof(
    { weight: 10, arbitrary: queryIn(shapes, 'calm') },
    { weight: 10, arbitrary: wild },
    { weight: 1, arbitrary: fc.tuple(wild, oddQueries).map(([built, odd]) => `${built}&${odd.slice(1)}`) },
    { weight: 1, arbitrary: oddQueries },
  )
}

const queryIn = (shape: JsonSchema, mood: Mood): Arbitrary<string> =>
  valueFor(shape, mood).map((given) => {
    const pairs = Object.entries(given ?? {}).map(([name, value]) => `${name}=${encoded(String(textOf(value)))}`)
    return `?${pairs.join('&')}`
  })

const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : value)

const types = fc.constantFrom(
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/problem+json',
  'APPLICATION/JSON',
  'application/json/x',
  'null',
)

const oddHeaders: Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  { 'idempotency-key': 'k1' },
  { 'idempotency-key': '__proto__' },
  { 'idempotency-key': 'x'.repeat(2000) },
  { 'last-event-id': 'msg_x.y.1' },
  { 'last-event-id': '\u00ff' },
  { 'x-request-id': 'a b\u00ff' },
  { origin: 'null' },
  { origin: 'http://evil.example' },
  { 'content-length': '0' },
  { 'content-encoding': 'gzip' },
  { accept: 'image/webp' },
  { range: 'bytes=5-1' },
  { 'if-none-match': '*' },
  { 'x-setup-token': 'x' },
  { 'x-api-key': 'y' },
  { 'x-forwarded-for': '127.0.0.1' },
  { upgrade: 'websocket', connection: 'upgrade' },
)

function headersOf(endpoint: Endpoint): Arbitrary<Record<string, string>> {
  const form = endpoint.body_kind === 'form'
  const type = mostly(form ? 'multipart/form-data; boundary=fuzz' : 'application/json', types, 20)
  const odd = fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders })
  return fc.tuple(type, odd).map(([content_type, more]) => ({ 'content-type': content_type, ...more }))
}

const brokenBodies: (string | Uint8Array | undefined)[] = [
  undefined,
  '',
  ' ',
  'null',
  '[]',
  '"text"',
  '7',
  '{',
  '{}',
  '{"a":}',
  '\ufeff{}',
  '{}{}',
  "{'a':1}",
  'NaN',
  '1e999',
  '{"a":1e999,"a":-1e999}',
  '['.repeat(20_000),
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`,
  Uint8Array.of(0xff, 0xfe, 0x00, 0x7b),
  Uint8Array.of(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d),
]

/** Members that are not listed, repeated or inherited, put into the text itself. */
const stowaways = [
  '"__proto__":{"scopes":["admin"]},',
  '"constructor":{"prototype":{}},',
  '"id":"x","id":"y",',
  '"\\u0000":1,',
  '"hasOwnProperty":1,',
]

function bodyOf(endpoint: Endpoint): Arbitrary<string | Uint8Array | undefined> {
  if (endpoint.body_kind) return fc.oneof(formBodies, fc.constantFrom(...brokenBodies))
  if (!endpoint.body) return mostly<string | Uint8Array | undefined>(undefined, fc.constantFrom(...brokenBodies), 12)
  const shape = toJsonSchema(endpoint.body, 'input')
  const calm = bodyIn(shape, 'calm')
  const wild = bodyIn(shape, 'wild')
  const cut = fc.tuple(wild, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1)))
  const stowed = fc
    .tuple(calm, fc.constantFrom(...stowaways))
    .map(([text, more]) => text.replace(/^\{(?!\})/, `{${more}`))
  return fc.oneof(
    { weight: 12, arbitrary: calm },
    { weight: 12, arbitrary: wild },
    { weight: 1, arbitrary: cut },
    { weight: 2, arbitrary: stowed },
    { weight: 1, arbitrary: fc.constantFrom(...brokenBodies) },
  )
}

const bodyIn = (shape: JsonSchema, mood: Mood): Arbitrary<string> =>
  valueFor(shape, mood).map((value) => JSON.stringify(value))

/** What a person would send to make something, alone. */
export function calmBodies(endpoint: Endpoint, count: number): string[] {
  if (!endpoint.body || endpoint.body_kind) return []
  return fc.sample(bodyIn(toJsonSchema(endpoint.body, 'input'), 'calm'), { numRuns: count, seed: 1 })
}

const part = (name: string, content: string) =>
  `--fuzz\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.png"\r\n\r\n${content}\r\n`

const formBodies: Arbitrary<string | Uint8Array | undefined> = fc
  .tuple(
    fc.constantFrom('file', '', '__proto__', '../x', 'a\u0000'),
    fc.constantFrom('', 'GIF89a', '\u0089PNG', 'x'.repeat(9000)),
    fc.constantFrom('--fuzz--\r\n', '', '--fuzz'),
  )
  .map(([name, content, end]) => part(name, content) + end)
