import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkBody } from '../../runtime/http/validate.ts'
import { readable } from '../../runtime/validation.ts'

test.each([
  [z.coerce.number().int().min(1).max(200), 'abc', 'must be an integer from 1 to 200'],
  [z.coerce.number().int().min(1).max(200), '500', 'must be an integer from 1 to 200'],
  [z.number().int(), 1.5, 'must be an integer'],
  [z.number().min(0), -1, 'must be a number of at least 0'],
  [z.number().positive(), 0, 'must be greater than 0'],
  [z.number().positive(), 'a', 'must be a number'],
  [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
  [z.string(), undefined, 'is required'],
  [z.string(), 1, 'must be text'],
  [z.string().max(5), 'abcdef', 'must have at most 5 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [z.array(z.string()).min(1), [], 'must not be empty'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
  [z.array(z.string()).min(2), [], 'must have at least 2 items'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.enum(['a', 'b', 'c']), 'd', 'must be a, b, or c'],
  [z.strictObject({}), { x: 1 }, 'does not have the field x'],
  [z.iso.datetime(), 'today', 'must be a time in ISO 8601, such as 2026-01-05T09:00:00Z'],
  [z.email(), 'ada', 'must be an email address'],
  [z.string().regex(/^a$/, 'must be a'), 'b', 'must be a'],
  [z.union([z.string(), z.number()]), true, 'must be text, or a number'],
  [z.discriminatedUnion('type', [z.object({ type: z.literal('cron') })]), { type: 'x' }, 'must be cron'],
])('%# a message says what is accepted: %3$s', (schema, value, message) => {
  expect(schema.safeParse(value, readable).error?.issues[0]?.message).toBe(message)
})

test('a field has one message, that of its type first', () => {
  const schema = z.object({ names: z.array(z.string()).max(2), size: z.number() })

  expect(() => checkBody(schema, { names: 'abc', size: 'x' })).toThrow(/^names must be a list; size must be a number$/)
})
