import { expect, test } from 'vitest'
import { nextSize, Pace } from '../../runtime/pace.ts'

const range = { min: 5, max: 200 }

test.each([
  ['as many as fit into eight milliseconds', 20, 10, 16],
  ['never more than twice as many', 20, 1, 40],
  ['twice as many after no time at all', 20, 0, 40],
  ['never less than half as many', 20, 900, 10],
  ['never more than the most', 150, 1, 200],
  ['never less than the least', 6, 900, 5],
])('%s', (_, size, milliseconds, next) => {
  expect(nextSize(size, milliseconds, range)).toBe(next)
})

test('the pace adapts to the duration of batches', async () => {
  let now = 0
  const pace = new Pace(range)
  const piece = (milliseconds: number) =>
    pace.time(
      () => now,
      async () => {
        now += milliseconds
        return pace.size
      },
    )

  expect([await piece(1), await piece(1), await piece(40), await piece(8)]).toEqual([5, 10, 20, 10])
})
