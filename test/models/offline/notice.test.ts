import { expect, test } from 'vitest'
import { NOTICE, withNotice, withoutNotice } from '../../../runtime/models/offline/notice.ts'

test.each(['Time for tea.', ''])('the notice is taken off again: %j', (text) => {
  expect(withoutNotice(withNotice(text))).toBe(text)
})

test('a text that only mentions the notice stays whole', () => {
  expect(withoutNotice(`${NOTICE} So it says.`)).toBe(`${NOTICE} So it says.`)
})
