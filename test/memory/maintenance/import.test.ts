import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { list } from '../../../handlers/memory/episodes.ts'
import { upload } from '../../../handlers/settings/memory.ts'
import { decodeText } from '../../../runtime/memory/maintenance/export.ts'
import { itemsOf } from '../../../runtime/memory/maintenance/json-items.ts'
import { call } from '../../support/call.ts'
import { testHost } from '../../support/host.ts'

test.each([
  ['nothing', ''],
  ['a little', 'tea — 茶 🍵'],
  ['characters that lie across its pieces', `x${'🍵'.repeat(600_000)}`],
])('text is decoded in chunks: %s', async (_, text) => {
  const decoded = await decodeText({ clock: createFakeClock() }, new TextEncoder().encode(text))

  expect(decoded === text).toBe(true)
})

test('an incomplete character becomes U+FFFD', async () => {
  const bytes = new TextEncoder().encode('tea 🍵').subarray(0, -1)

  expect(await decodeText({ clock: createFakeClock() }, bytes)).toBe('tea \uFFFD')
})

const read = (text: string) => [...itemsOf(text, 'episodes')]

test('items equal those of JSON.parse for any object', () => {
  const other = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(other, fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (object, episodes, space) => {
      const text = JSON.stringify({ ...object, episodes, __proto__: null }, null, space)
      expect(read(text)).toEqual(JSON.parse(text).episodes)
    }),
  )
})

test('a text of megabytes is an item like any other', () => {
  const text = '"\\ tea'.repeat(1_500_000)

  expect(read(JSON.stringify({ before: text, episodes: [text, 1] }))).toEqual([text, 1])
})

test.each([
  '',
  'null',
  '[]',
  '{}',
  '{"other": []}',
  '{"episodes": {}}',
  '{"episodes": [1, 2}',
  '{"episodes": [1 2]}',
  '{"episodes": [1,]}',
  '{"episodes": [tru]}',
  '{"episodes": []',
  '{"episodes": []} trailing',
  '{"episodes": ["open}',
  '{episodes: []}',
  '{"episodes": [{"a": 1]}',
  '{"episodes": [],}',
  '{"a" "episodes": []}',
])('%s is refused', (text) => {
  expect(() => read(text)).toThrow(SyntaxError)
})

test('an episode that is reported as invalid is not imported', async () => {
  const host = await testHost()
  const text = JSON.stringify({ version: 1, episodes: [{ content: 'tea' }, { content: 'a\u0000b' }] })
  const response = await call(upload, host, { body: text })

  expect(await response.json()).toMatchObject({ imported: 1, invalid: [{ index: 1 }] })
  const { total } = (await (await call(list, host)).json()) as { total: number }
  expect(total).toBe(1)
})
