import { expect, test } from 'vitest'
import { calculate } from '../../../runtime/models/offline/calculate.ts'

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
  ['5 miles in km', '8.04672 km'],
  ['convert 72 f to c', '≈ 22.2222 °C'],
  ['-40 °C in F', '-40 °F'],
  ['0 K to celsius', '-273.15 °C'],
  ['5 ft 10 in to cm', '177.8 cm'],
  ['5 in in cm', '12.7 cm'],
  ['3 cups in ml', '≈ 709.76471 ml'],
  ['1 GB in MB', '1,000 MB'],
  ['1 GiB in MiB', '1,024 MiB'],
  ['100 Mbit in MB', '12.5 MB'],
  ['how many minutes are in a day', '1,440 min'],
  ['how many days in 3 weeks', '21 days'],
  ['half a mile in km', '0.804672 km'],
  ['90 mph in km/h', '144.84096 km/h'],
]

test.each(values)('%s is %s', (text, value) => {
  expect(calculate(text)).toMatchObject({ ok: true, value })
})

test.each(['1/0', '5 % 0 / 0', 'sqrt(-1)', '200!', '2^99999', '5 kg in km', `${'-'.repeat(300)}1`])(
  '%s has no value',
  (text) => {
    expect(calculate(text)).toMatchObject({ ok: false, reason: expect.any(String) })
  },
)

const otherwise = [
  '',
  '42',
  'hello',
  '2 +',
  '3 4',
  ') 2 (',
  'in 3 weeks',
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
