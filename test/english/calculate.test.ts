import { expect, test } from 'vitest'
import { calculate } from '../../runtime/english/calculate.ts'

const values: [string, string][] = [
  ['2+2', '4'],
  ['2 + 3 * 4', '14'],
  ['(2 + 3) * 4', '20'],
  ['2^3^2', '512'],
  ['-2^2', '-4'],
  ['2^-1', '0.5'],
  ['10 - 4 - 3', '3'],
  ['100 / 10 / 2', '5'],
  ['10 % 3', '1'],
  ['17 mod 5', '2'],
  ['0.1 + 0.2', '0.3'],
  ['1/3', '≈ 0.333333333333'],
  ['1,000 * 3', '3,000'],
  ['2(3 + 4)', '14'],
  ['5!', '120'],
  ['sqrt(144)', '12'],
  ['square root of 2', '≈ 1.41421356237'],
  ['max(3, 9, 4)', '9'],
  ['average of 3, 5 and 10', '6'],
  ['twelve times two hundred and five', '2,460'],
  ['what is seven plus twenty-one?', '28'],
  ['15% of 80', '12'],
  ['how much is 15 percent of 200', '30'],
  ['80 + 10%', '88'],
  ['200 - 25%', '150'],
  ['20% off 50', '40'],
  ['increase 50 by 10%', '55'],
  ['18% tip on $60', '10.8'],
  ['what percent of 80 is 20', '25%'],
  ['20 is what percent of 80', '25%'],
  ['half of 90', '45'],
  ['7 x 8', '56'],
  ['2 × 3 ÷ 4', '1.5'],
  ['12 squared', '144'],
  ['1e3 * 2', '2,000'],
  ['2 * pi', '≈ 6.28318530718'],
]

test.each(values)('%s is %s', (text, value) => {
  expect(calculate(text)).toMatchObject({ ok: true, value })
})

test.each(['1/0', '5 % 0 / 0', 'sqrt(-1)', '200!', '2^99999', `${'-'.repeat(300)}1`])('%s has no value', (text) => {
  expect(calculate(text)).toMatchObject({ ok: false, reason: expect.any(String) })
})

const otherwise = [
  '',
  '42',
  'hello',
  '2 +',
  '3 4',
  ') 2 (',
  'in 3 weeks',
  '5 miles in km',
  'convert 72 f to c',
  'constructor(1)',
  'toString + 1',
  '__proto__ * 2',
  'process.exit(1)',
  'how many people live in Berlin',
  '1'.repeat(600),
]

test.each(otherwise)('"%s" is not a calculation', (text) => {
  expect(calculate(text)).toBeNull()
})
