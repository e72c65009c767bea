import { expect, test } from 'vitest'
import { newId } from '../../runtime/id.ts'

test('ids name their kind, sort by creation and never repeat, even if the clock is set back', () => {
  const times = [...Array.from({ length: 5_000 }, () => 2_000_000_000_000), 1_900_000_000_000, 2_000_000_000_001]
  const ids = times.map((now) => newId('msg', now))

  expect(ids[0]).toMatch(/^msg_[0-9a-hjkmnp-tv-z]{26}$/)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
})

test('ids of one millisecond in two processes differ: 80 bits are random', () => {
  const starts = Array.from({ length: 2_000 }, (_, index) => newId('msg', 2_100_000_000_000 + index))
  const letters = starts.map((id) => id.slice(-16))
  for (let place = 0; place < 16; place += 1)
    expect(new Set(letters.map((random) => random.charAt(place))).size).toBe(32)
})
