import { expect, test } from 'vitest'
import { TextSearch } from '../../runtime/secrets/text-search.ts'

const searchFor = (...texts: string[]) => {
  const search = new TextSearch()
  for (const text of texts) search.add(text)
  return search
}

test.each([
  ['abcdefgh', ['abcdefgh'], '*'],
  ['abcdefg', ['abcdefgh'], 'abcdefg'],
  ['xabcdefghy', ['abcdefgh'], 'x*y'],
  ['abcdefghabcdefgh', ['abcdefgh'], '**'],
  ['aaaaaaaaaaaa', ['aaaaaaaa'], '*'],
  ['-12345678abc-', ['12345678', '12345678abc'], '-*-'],
  ['-12345678abc-', ['12345678abc', '12345678'], '-*-'],
  ['-00012345678abc99-', ['12345678', '00012345678abc99'], '-*-'],
  ['-abcdefgh12345678-', ['abcdefgh1234', 'efgh12345678'], '-*-'],
  ['ключ от дома', ['ключ от '], '*дома'],
  ['short', ['short'], 'short'],
])('%s without %j is %s', (text, texts, rest) => {
  expect(searchFor(...texts).replaceAll(text, '*')).toBe(rest)
})

test('without texts nothing is replaced', () => {
  expect(searchFor().replaceAll('abcdefgh', '*')).toBe('abcdefgh')
})

test('finds what a search for each text finds', () => {
  const digits = Array.from({ length: 4_000 }, (_, at) => (at * at * 7 + at) % 10).join('')
  const texts = Array.from({ length: 300 }, (_, at) => digits.slice(at * 13, at * 13 + 8 + (at % 5)))
  const covered = new Set<number>()
  for (const text of texts)
    for (let from = digits.indexOf(text); from >= 0; from = digits.indexOf(text, from + 1))
      for (let at = from; at < from + text.length; at += 1) covered.add(at)
  const kept = [...digits].filter((_, at) => !covered.has(at)).join('')
  expect(searchFor(...texts).replaceAll(digits, '')).toBe(kept)
  expect(searchFor(...texts).replaceAll(`x${digits}`, '')).toBe(`x${kept}`)
})
