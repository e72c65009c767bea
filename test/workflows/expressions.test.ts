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
