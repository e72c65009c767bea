import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { classifyError, type Failure } from '../../../adapters/models/errors.ts'
import type { ModelErrorCode } from '../../../runtime/ports/models.ts'

const now = Date.parse('2026-01-05T09:00:00.000Z')

const classify = (failure: Partial<Failure>) => classifyError({ provider: 'openai', began: false, ...failure }, now)

const openai = (message: string, type = 'invalid_request_error', code: string | null = null) => ({
  error: { message, type, param: null, code },
})

interface Refusal {
  code: ModelErrorCode
  vendor: string
  status: number
  /** As the vendor sends it; a text where that is no JSON. */
  body?: unknown
}

const refusals: Refusal[] = readFileSync(join(import.meta.dirname, '../../fixtures/vendor-refusals.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

test.each(refusals)('$code: $vendor, status $status', ({ code, status, body }) => {
  expect(classify({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }).code).toBe(code)
})

test.each<[ModelErrorCode, boolean, string]>([
  ['provider_unavailable', false, 'fetch failed (connect ECONNREFUSED 127.0.0.1:11434)'],
  ['provider_unavailable', false, 'fetch failed (getaddrinfo ENOTFOUND api.openai.com)'],
  ['timeout', false, 'fetch failed (connect ETIMEDOUT 192.0.2.1:443)'],
  ['timeout', true, 'terminated (Body Timeout Error)'],
  ['interrupted', true, 'terminated (other side closed)'],
])('network: %s when begun is %s: %s', (code, began, message) => {
  expect(classify({ began, message })).toMatchObject({ code, message: `openai: ${message}` })
})

test.each([
  ['17', 17],
  ['1.2', 2],
  [' 0 ', 0],
  ['Mon, 05 Jan 2026 09:01:30 GMT', 90],
  ['Mon, 05 Jan 2026 08:59:00 GMT', 0],
  ['soon', undefined],
])('Retry-After %s is %s seconds', (value, seconds) => {
  expect(classify({ status: 429, headers: { 'retry-after': value } }).retry_after_seconds).toBe(seconds)
})

test("reads OpenAI's retry delay in milliseconds, and Google's in the body", () => {
  const body = JSON.stringify({
    error: { code: 429, details: [{ '@type': 'RetryInfo', retryDelay: '22.4s' }] },
  })

  expect(classify({ status: 429, headers: { 'retry-after-ms': '1500', 'retry-after': '9' } }).retry_after_seconds).toBe(
    2,
  )
  expect(classify({ status: 429, body }).retry_after_seconds).toBe(23)
})

test("the message is the vendor's sentence, short and on one line", () => {
  const error = classify({ status: 500, body: JSON.stringify(openai(`It\nbroke. ${'x'.repeat(1000)}`)) })

  expect(error.message).toMatch(/^openai: It broke\. x+$/)
  expect(error.message.length).toBeLessThan(320)
})

test('an HTML page is not quoted', () => {
  expect(classify({ status: 502, body: '<html><h1>Bad Gateway</h1></html>' }).message).toBe(
    'openai: answered with status 502',
  )
})

test.each([
  'my-secret',
  'sk-proj-abcdefghijklmnopqrstuvwxyz',
  'sk-ab*****************yz',
  'gsk_abcdefghijklmnopqrstuvwxyz012345',
  'AIzaSyA-abcdefghijklmnopqrstuvwxyz01234',
])('does not repeat the key %s', (key) => {
  const error = classify({
    status: 401,
    api_key: 'my-secret',
    body: JSON.stringify(openai(`Incorrect API key provided: ${key}.`)),
  })

  expect(error.message).toBe('openai: Incorrect API key provided: [key].')
})
