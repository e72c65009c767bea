import { expect, test } from 'vitest'
import { coversTrust, sameFacts, sameText } from '../../../runtime/memory/capture/duplicate.ts'

test.each([
  ['My sister Ana lives in Lisbon', 'my sister ANA  lives in Lisbon!', true],
  ['My sister Ana lives in Lisbon', 'My sister Ana lived in Lisbon', false],
])('the same words: %s / %s', (left, right, same) => {
  expect(sameText(left, right)).toBe(same)
})

test.each([
  ['My sister Ana lives in Lisbon', 'Ana, my sister, lives in Lisbon now', true],
  ['My flight leaves on the 12th of May', 'My flight leaves on the 13th of May', false],
  ['My sister Ana lives in Lisbon', 'My sister Ana lives in Porto', false],
  ['I eat meat on Sundays', 'I do not eat meat on Sundays', false],
  ['I love cats', 'We repaired the boiler', false],
])('the same facts: %s / %s', (left, right, same) => {
  expect(sameFacts(left, right)).toBe(same)
})

test("a stranger's word does not stand for the owner's", () => {
  expect(coversTrust('external', 'owner')).toBe(false)
  expect(coversTrust('owner', 'external')).toBe(true)
  expect(coversTrust('owner', 'owner')).toBe(true)
})
