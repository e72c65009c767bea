import { expect, test } from 'vitest'
import { encodedOnce } from '../../runtime/json.ts'

test('readers of the same value share its text', () => {
  const encoded: unknown[] = []
  const textOf = encodedOnce((value: unknown) => {
    encoded.push(value)
    return String(JSON.stringify(value))
  })
  const [first, second] = [{ a: 1 }, { a: 1 }]

  expect([undefined, first, first, second, second, first].map(textOf)).toEqual([
    'undefined',
    ...Array<string>(5).fill('{"a":1}'),
  ])
  expect(encoded).toEqual([undefined, first, second, first])
})
