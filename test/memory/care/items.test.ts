import fc from 'fast-check'
import { expect, test } from 'vitest'
import { itemsOf } from '../../../runtime/memory/maintenance/json-items.ts'

const read = (text: string) => [...itemsOf(text, 'episodes')]

test('any list of any object is read item by item as JSON.parse reads it whole', () => {
  const other = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(
      other,
      fc.array(fc.jsonValue()),
      fc.constantFrom(undefined, 1, '\t'),
      (object, episodes, space) => {
        const text = JSON.stringify({ ...object, episodes, __proto__: null }, null, space)
        expect(read(text)).toEqual(JSON.parse(text).episodes)
      },
    ),
  )
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
