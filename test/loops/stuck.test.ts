import { expect, test } from 'vitest'
import { stuckIterations, stuckReason, type Unit } from '../../runtime/loops/stuck.ts'

/** `a1`: the call a with the result 1; with `!` it is an error. The letter before a colon is the tool. */
function units(text: string): Unit[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((word) => ({
      tool: 'files',
      call: word.charAt(0),
      outcome: word.slice(1).replace('!', ''),
      is_error: word.endsWith('!'),
    }))
}

test.each([
  ['', false],
  ['a1 a1 a1', false],
  ['a1 a1 a1 a1', true],
  ['b1 a1 a1 a1 a1', true],
  // Progress: the same call has another result.
  ['a1 a2 a3 a4', false],
  ['a1 a1 a1 a1 b1', false],
  // Errors are equal whatever the call was.
  ['a1! b1!', false],
  ['a1! b1! c1!', true],
  ['a1! b2! c1!', false],
  ['a1! b1! c1! d2', false],
  ['a1! b2 c1!', false],
  ['a1 b1 a1 b1 a1', false],
  ['a1 b1 a1 b1 a1 b1', true],
  ['a1 b1 a1 b2 a1 b3', false],
  ['a1 b1 c1 a1 b1 c1', false],
])('%s is stuck: %s', (text, expected) => {
  expect(stuckReason(units(text)) !== null).toBe(expected)
})

test('iterations that do the same several steps are found, and so are those that only say the same', () => {
  const same = { summary: 'x', actions: units('a1 b1 c1') }
  expect(stuckIterations([same, same, same])).toBe(null)
  expect(stuckIterations([same, same, same, same])).toContain('4 times')
  const idle = { summary: 'I am thinking', actions: [] }
  expect(stuckIterations([idle, idle, idle, idle])).toContain('4 times')
  const talk = [1, 2, 3, 4].map((index) => ({ summary: `Thought ${index}`, actions: [] }))
  expect(stuckIterations(talk)).toBe(null)
})
