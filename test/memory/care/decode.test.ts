import { expect, test } from 'vitest'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { decodeText } from '../../../runtime/memory/maintenance/export.ts'

test.each([
  ['nothing', ''],
  ['a little', 'tea — 茶 🍵'],
  ['characters that lie across its pieces', `x${'🍵'.repeat(600_000)}`],
])('a text is decoded piece by piece: %s', async (_, text) => {
  const decoded = await decodeText({ clock: createFakeClock() }, new TextEncoder().encode(text))

  expect(decoded === text).toBe(true)
})

test('what breaks off is marked', async () => {
  const bytes = new TextEncoder().encode('tea 🍵').subarray(0, -1)

  expect(await decodeText({ clock: createFakeClock() }, bytes)).toBe('tea \uFFFD')
})
