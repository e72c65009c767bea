import { expect, test } from 'vitest'
import { estimateReading, readLimits } from '../../runtime/providers/utilization.ts'
import { day, hour, minute, second } from '../../runtime/time.ts'

const now = Date.parse('2026-01-05T12:00:00Z')
const unix = (at: number) => String(at / second)

test("reads Anthropic's unified windows", () => {
  const headers = {
    'anthropic-ratelimit-unified-status': 'allowed_warning',
    'anthropic-ratelimit-unified-reset': unix(now + 3 * hour),
    'anthropic-ratelimit-unified-5h-utilization': '0.91',
    'anthropic-ratelimit-unified-5h-reset': unix(now + 3 * hour),
    'anthropic-ratelimit-unified-7d-utilization': '0.4',
    'anthropic-ratelimit-unified-7d-reset': unix(now + 2 * day),
  }
  expect(readLimits(headers, now)).toEqual({
    five_hour: { utilization: 0.91, resets_at: now + 3 * hour },
    seven_day: { utilization: 0.4, resets_at: now + 2 * day },
  })
})

test('a rejection is a hard limit until its reset', () => {
  const headers = {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': unix(now + hour),
    'anthropic-ratelimit-unified-5h-utilization': '1.02',
    'anthropic-ratelimit-unified-5h-reset': unix(now + hour),
  }
  expect(readLimits(headers, now)).toEqual({
    five_hour: { utilization: 1, resets_at: now + hour },
    hard_limit_until: now + hour,
  })
})

test("reads Anthropic's limits by request and token, using the fuller one", () => {
  const headers = {
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '49',
    'anthropic-ratelimit-requests-reset': '2026-01-05T12:00:02Z',
    'anthropic-ratelimit-input-tokens-limit': '1000',
    'anthropic-ratelimit-input-tokens-remaining': '250',
    'anthropic-ratelimit-input-tokens-reset': '2026-01-05T12:00:45Z',
  }
  expect(readLimits(headers, now)).toEqual({ five_hour: { utilization: 0.75, resets_at: now + 45 * second } })
})

test.each([
  ['1s', second],
  ['17ms', 17],
  ['6m0s', 6 * minute],
  ['2m59.56s', 2 * minute + 59_560],
  ['1h30m', 90 * minute],
  ['60', minute],
])("reads OpenAI's and Groq's x-ratelimit, reset in %s", (reset, length) => {
  const headers = {
    'x-ratelimit-limit-tokens': '30000',
    'x-ratelimit-remaining-tokens': '3000',
    'x-ratelimit-reset-tokens': reset,
  }
  const { five_hour } = readLimits(headers, now)
  expect(five_hour?.utilization).toBeCloseTo(0.9)
  expect(five_hour?.resets_at).toBeCloseTo(now + length)
})

test('daily request limits count in the long window, token limits per minute in the short one', () => {
  const headers = {
    'x-ratelimit-limit-requests': '14400',
    'x-ratelimit-remaining-requests': '3600',
    'x-ratelimit-reset-requests': '18h0m0s',
    'x-ratelimit-limit-tokens': '6000',
    'x-ratelimit-remaining-tokens': '6000',
    'x-ratelimit-reset-tokens': '0s',
  }
  expect(readLimits(headers, now)).toEqual({
    five_hour: { utilization: 0, resets_at: now },
    seven_day: { utilization: 0.75, resets_at: now + 18 * hour },
  })
})

test.each([
  [{}],
  [{ 'x-ratelimit-remaining-tokens': '0' }],
  [{ 'x-ratelimit-limit-tokens': '0', 'x-ratelimit-remaining-tokens': '0' }],
  [{ 'x-ratelimit-limit-tokens': 'many', 'x-ratelimit-remaining-tokens': '-3' }],
  [{ 'anthropic-ratelimit-unified-5h-utilization': 'NaN' }],
  [{ 'retry-after': '30' }],
])('headers that say nothing are nothing: %j', (headers) => {
  expect(readLimits(headers, now)).toEqual({})
})

test('estimates from the ledger against an allowance', () => {
  expect(estimateReading({ used: 250, since: now - hour }, 1_000, 5 * hour)).toEqual({
    utilization: 0.25,
    resets_at: now + 4 * hour,
  })
  expect(estimateReading({ used: 5_000, since: now }, 1_000, hour).utilization).toBe(1)
  expect(estimateReading({ used: 0, since: null }, 1_000, hour)).toEqual({ utilization: 0, resets_at: null })
})
