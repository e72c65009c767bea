import { expect, test } from 'vitest'
import { recalledLabel } from '../../../web/pages/chat/state/recalled-label.ts'

const episodes = (...used: (boolean | null)[]) =>
  used.map((one, index) => ({ id: `ep_${index}`, score: 0.5, used: one }))

test.each([
  [episodes(null, null), 'Looked at 2 memories'],
  [episodes(true), 'Used 1 memory'],
  [episodes(true, false, true), 'Used 2 memories'],
  [episodes(false), 'Looked at 1 memory, used none'],
])('what an answer had from memory: %j', (recalled, label) => {
  expect(recalledLabel(recalled)).toBe(label)
})
