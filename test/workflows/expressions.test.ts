import { expect, test } from 'vitest'
import { evaluateJsonata } from '../../runtime/jsonata.ts'

const text = "$pad('', 5000, '1') & 'x'"

test.each([
  [`$toMillis(${text}, '[Y]1[M]1[D]1[H]1[m]1[s]1')`, undefined],
  [`$toMillis($pad('', 5000, 'C'), '[YI][MI][DI][HI][mI]1')`, undefined],
  [`$toMillis('2018-04-05T10:11:12', '[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01]')`, 1_522_923_072_000],
  [`$toMillis('5 April 2018', '[D1] [MNn] [Y0001]')`, 1_522_886_400_000],
  [`$fromMillis(0, '[Y]-[M01]')`, '1970-01'],
])('%s is evaluated in linear time', { timeout: 5_000 }, async (expression, value) => {
  expect(await evaluateJsonata(expression, {})).toEqual(value)
  expect(/^native$/).toBeInstanceOf(RegExp)
  expect(/a/).toBeInstanceOf(RegExp)
})

test.each([
  "$fromMillis(0, $pad('', 3000000, '[Y]'))",
  "$formatInteger(10, $pad('', 5000000, '#'))",
  "$formatNumber(1, $pad('', 5000000, '#'))",
])('%s is refused at once', async (expression) => {
  await expect(evaluateJsonata(expression, {})).rejects.toThrow('a picture has at most 200 characters')
})

test('a long evaluation lets other events have their turn until it is stopped', async () => {
  let turns = 0
  let isRunning = true
  const count = () => {
    turns += 1
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  const endless = '($again := function($n) { $n > 0 ? $again($n - 1) : $again(1000000) }; $again(1))'
  await expect(evaluateJsonata(endless, {})).rejects.toThrow('timeout after 2000 milliseconds')
  isRunning = false
  expect(turns).toBeGreaterThan(3)
})

test('large lists are sorted without copies, and equal items keep their order', async () => {
  const numbers = Array.from({ length: 50_000 }, (_, index) => (index * 7_919) % 50_021)
  const sorted = numbers.toSorted((left, right) => left - right)
  expect(await evaluateJsonata('$sort(input)', { input: numbers })).toEqual(sorted)
  expect(await evaluateJsonata("$sort(['b', 'a', 'B'])", {})).toEqual(['B', 'a', 'b'])
  const input = ['b1', 'a1', 'b2', 'a2', 'c1']
  const byLetter = '$sort(input, function($l, $r) { $substring($l, 0, 1) > $substring($r, 0, 1) })'
  expect(await evaluateJsonata(byLetter, { input })).toEqual(['a1', 'a2', 'b1', 'b2', 'c1'])
  await expect(evaluateJsonata("$sort([1, 'a'])", {})).rejects.toThrow('only numbers or only texts')
  const many = { input: Array.from({ length: 100_001 }, () => 1) }
  await expect(evaluateJsonata('$sort(input)', many)).rejects.toThrow('at most 100000 items')
})

test.each(['list.$$', '($own := $$; list.$own)', 'list{id: $$}'])(
  '%s is refused where it repeats a large value for each item',
  async (expression) => {
    const list = Array.from({ length: 200 }, (_, index) => ({ id: String(index) }))
    const data = { list, text: 'x'.repeat(200_000) }
    await expect(evaluateJsonata(expression, data)).rejects.toThrow('its values grow too large')
    expect(await evaluateJsonata(expression, { list, text: 'x' })).toBeDefined()
  },
)
