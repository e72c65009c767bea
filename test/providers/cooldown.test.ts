import { expect, test } from 'vitest'
import type { ModelErrorCode } from '../../runtime/ports/models.ts'
import { type Cooldown, coolDown, coolingOf } from '../../runtime/providers/failover.ts'
import { day, hour, minute, second } from '../../runtime/time.ts'

const now = Date.parse('2026-01-05T12:00:00Z')
const before = (strikes: number, until = now): Cooldown => ({
  until,
  code: 'overloaded',
  strikes,
  asked: false,
})

test.each([
  ['rate_limit', undefined, 'model', 30 * second],
  ['rate_limit', 7, 'model', 7 * second],
  ['rate_limit', 0, 'model', 0],
  ['rate_limit', 90 * 24 * 3600, 'model', 7 * day],
  ['overloaded', undefined, 'model', 10 * second],
  ['overloaded', 20, 'model', 20 * second],
  ['provider_unavailable', undefined, 'model', 10 * second],
  ['interrupted', undefined, 'model', 5 * second],
  ['timeout', undefined, 'model', 30 * second],
  ['model_not_found', undefined, 'model', 10 * minute],
  ['billing', undefined, 'provider', 10 * minute],
  ['auth', undefined, 'provider', 5 * minute],
] as [ModelErrorCode, number | undefined, string, number][])(
  '%s with Retry-After %s cools the %s for %d ms',
  (code, retry_after_seconds, scope, length) => {
    const found = coolDown({ code, retry_after_seconds }, undefined, now)
    expect(found?.scope).toBe(scope)
    expect(found?.cooldown).toEqual({
      until: now + length,
      code,
      strikes: 1,
      asked: retry_after_seconds !== undefined,
    })
  },
)

test.each(['context_overflow', 'content_filter', 'cancelled', 'internal_error', 'budget_exceeded'] as const)(
  '%s says nothing about the next call',
  (code) => expect(coolDown({ code }, undefined, now)).toBeNull(),
)

test.each([
  [1, 20 * second],
  [2, 40 * second],
  [3, 80 * second],
  [4, 2 * minute],
  [60, 2 * minute],
])('after %d failures in a row the next lasts %d ms', (strikes, length) => {
  const found = coolDown({ code: 'overloaded' }, before(strikes), now)
  expect(found?.cooldown).toMatchObject({ until: now + length, strikes: strikes + 1 })
})

test('a period without failures resets the count', () => {
  const found = coolDown({ code: 'overloaded' }, before(5, now - 10 * minute), now)
  expect(found?.cooldown).toMatchObject({ until: now + 10 * second, strikes: 1 })
})

test('a model cools down with its provider, whichever cooldown is longer', () => {
  const cooldowns = new Map([
    ['openai/*', before(1, now + hour)],
    ['openai/m', before(1, now + minute)],
    ['google/m', before(1, now)],
  ])
  expect(coolingOf(cooldowns, { provider: 'openai', model: 'm' }, now)?.until).toBe(now + hour)
  expect(coolingOf(cooldowns, { provider: 'openai', model: 'other' }, now)?.until).toBe(now + hour)
  expect(coolingOf(cooldowns, { provider: 'google', model: 'm' }, now)).toBeNull()
})
