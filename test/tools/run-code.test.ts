import { expect, test } from 'vitest'
import { findTool, toolBench } from './bench.ts'

test('run_code returns the value and what was logged', async () => {
  const { use } = await toolBench()
  const code = 'console.log("adding"); return input.prices.reduce((a, b) => a + b)'

  expect(await use('run_code', { code, input: { prices: [1, 2, 3] } })).toEqual({
    value: 6,
    logs: ['adding'],
    logs_truncated: false,
  })
})

test('run_code says what is wrong with the code, and where', async () => {
  const { use } = await toolBench()

  await expect(use('run_code', { code: 'const a = null\nconsole.log(1)\nreturn a.b' })).rejects.toThrow(
    /^TypeError: cannot read property 'b' of null \(line \d\)\nlog: 1$/,
  )
})

test('run_code has no effects, so that it runs in read-only conversations too', () => {
  const runCode = findTool('run_code')

  expect(runCode?.effect({ code: '1' })).toBe('read')
  expect(runCode?.risk({ code: '1' })).toBe('low')
})
